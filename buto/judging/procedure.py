"""What a check does next: the one rule by which a check, a comparison and all that simulates them decide.

A check launches the program once and looks at what differs from training (*first look*). What looks ordinary
passes. Else two more runs are launched, and all three are judged together by rank. If they differ, the old
program and the new one are launched in turns, which alone accuse.

Of alpha, the share of checks of unchanged programs that may fail, the bets of the turns have
:data:`BETTING_SHARE`, their permutation test :data:`PERMUTATION_SHARE`; both are exact. What is left is for
the third answer, that something outside the program has changed both: its share is counted, not proven.

Pure: from what is known so far to the next step. What launches decides nothing, and no limit of the rule is
anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import ceil

from msgspec import Struct

LEVEL_T = 2.5
"""Predictive t of a level from which a first run is suspicious."""

GROWTH_T = 4.0
"""The same of growth during the run, which scatters more."""

RANK = 0.3
"""Largest p-value by rank of a first run that is suspicious, where there is no t: under a load that varies,
and among several machines."""

N_FIRST = 1
N_CONFIRMING = 2
"""Runs that follow a suspicious first run, and are judged with it."""

N_CHECKED = N_FIRST + N_CONFIRMING

SUSPICIOUS = 0.05
"""Largest p-value of several runs that turns follow; it may exceed alpha, because the turns decide."""

N_TURNS = 10
"""How often each program is launched in turns, at most."""

PASSING: Mapping[int, float] = {8: 0.5, 13: 0.25}
"""By number of launches in turns, the p-value above which no difference is expected any more. To pass early
can only lose a finding, so it costs nothing of alpha."""

BETTING_SHARE = 0.4
PERMUTATION_SHARE = 0.4
OUTSIDE_SHARE = 0.2
"""Shares of alpha; see above."""

FEWEST_OF_EACH = 2
"""With fewer launches of one program, the turns decide nothing: one run alone never fails a check, even if
its place in the order was so unlikely that it has won all bets."""

FEW_ORDERS = 500
"""Orders among which the drawn one is ranked where turns may only pass."""

ORDERS_BEYOND = 16
"""So many orders more extreme than the drawn one leave it a p-value that fails, where turns may fail."""

CARRIED_OVER = 0.01
"""Largest p-value from which turns say that a launch changes the next one. It decides nothing else."""

ROUNDING = 1e-9


class Do(Enum):
    """What a check does next."""

    LAUNCH = "launch"
    TURNS = "turns"
    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"

    @property
    def ends(self) -> bool:
        return self in (Do.PASS, Do.FAIL, Do.UNDECIDED)


class Why(Enum):
    """The reason for a step."""

    BEGIN = "no run yet"
    METHOD = "the method decides by a rule of its own"
    ASKED = "so many runs are wanted"
    ORDINARY = "nothing differs by a size that matters"
    SUSPICIOUS = "the first run is beyond what training expects"
    HIDDEN = "an odd training run may hide a difference"
    UNREAD = "a property could not be read"
    ONE_RUN = "one run never fails alone"
    NOT_COMPARABLE = "the runs cannot be compared"
    ELSEWHERE = "the environment is another one than in training"
    TOO_FEW = "the training runs are too few to decide"
    DIFFERS = "the runs differ from the training runs"
    COUNTED = "counters that no machine moves differ from training"
    MONITOR = "the first runs of the last builds differ from those before"
    NEEDS_TURNS = "only turns can tell the program from the machine"
    BETS = "the bets on the labels have won enough"
    PERMUTATION = "hardly an order of launches sets the programs as far apart"
    NO_DIFFERENCE = "old and new do not differ in turns"
    OPEN = "the launches so far do not decide"
    OUTSIDE = "both programs are beyond training in counters that no machine moves"
    KNOWN_OUTSIDE = "both programs are beyond training, in another environment"
    BUSIER = "both programs are beyond training, on a busier machine with which their counters move"
    MEANT = "commits say that all that differs is meant"


class Next(Struct, frozen=True):
    """A step of a check.

    Attributes:
        n: how many launches; 0 without one.
    """

    do: Do
    why: Why
    n: int = 0


class FirstLook(Struct, frozen=True):
    """How far a first run is from training.

    Attributes:
        level, growth: predictive t of the level and of the growth that differ most, of those that differ by a
            size that matters; 0 where there is none.
        rank: p-value by rank, where there is no t.
        is_farthest: whether no training run differs as much in anything, where there is no t.
        quantity: what is farthest; empty if nothing is.
    """

    level: float = 0.0
    growth: float = 0.0
    rank: float = 1.0
    is_farthest: bool = False
    quantity: str = ""

    @property
    def is_suspicious(self) -> bool:
        by_t = self.level >= LEVEL_T or self.growth >= GROWTH_T
        return by_t or self.rank <= RANK + ROUNDING or self.is_farthest


class Looked(Struct, frozen=True):
    """What training says of the runs of a check so far.

    Attributes:
        n_runs: usable runs.
        first: of one run; None of several.
        p_value: of all of them together, by rank; None if there is none.
        counted: the same of counters that no machine moves.
        is_elsewhere: whether the environment differs from training in a key that decides.
        is_comparable: whether a p-value would mean anything: not under another load, for example.
        has_too_few: whether the training runs are too few to show what they would have to.
        may_hide: whether an odd training run may hide a difference.
        lacks: whether a property could not be read.
        is_alarmed: whether the first runs of the last builds differ from all before them, see
            :mod:`buto.judging.monitor`. It accuses nobody, so that only turns decide.
    """

    n_runs: int
    first: FirstLook | None = None
    p_value: float | None = None
    counted: float = 1.0
    is_elsewhere: bool = False
    is_comparable: bool = True
    has_too_few: bool = False
    may_hide: bool = False
    lacks: bool = False
    is_alarmed: bool = False


class TurnsLook(Struct, frozen=True):
    """What the launches in turns so far say.

    Attributes:
        n_old, n_new: usable launches.
        wealth: the largest W so far after which the winning features differed by a size that matters.
        p_value: of the permutation test; None where nobody asked for it.
    """

    n_old: int
    n_new: int
    wealth: float = 1.0
    p_value: float | None = None

    @property
    def n_launches(self) -> int:
        return self.n_old + self.n_new

    @property
    def has_both(self) -> bool:
        """Whether each program was launched often enough to decide anything."""
        return min(self.n_old, self.n_new) >= FEWEST_OF_EACH


class Ahead(Struct, frozen=True):
    """What a check launches at least and at most.

    Attributes:
        first: runs of the new program.
        more: runs that follow if they look different.
        turns: how often each program is then launched in turns; 0 for never.
    """

    first: int
    more: int
    turns: int

    @property
    def most(self) -> int:
        return self.first + self.more + 2 * self.turns


class Procedure(Struct, frozen=True):
    """The rule of one check.

    Attributes:
        alpha: share of checks of unchanged programs that may fail.
        asked: how many runs are judged together; None for one, and two more if it is suspicious.
        has_turns: whether the old program and the new one can be launched in turns.
        n_asked_turns: how often each is launched in turns, exactly; None for as often as decides.
        always_turns: whether turns follow whatever the first run shows, to try them.
    """

    alpha: float
    asked: int | None = None
    has_turns: bool = True
    n_asked_turns: int | None = None
    always_turns: bool = False

    @property
    def ahead(self) -> Ahead:
        more = N_CONFIRMING if self.asked is None else 0
        return Ahead(self.asked or N_FIRST, more, self.n_turns if self.has_turns else 0)

    @property
    def n_turns(self) -> int:
        """How often each program is launched in turns at most."""
        return self.n_asked_turns or N_TURNS

    @property
    def winning(self) -> float:
        """The W from which the bets decide."""
        return 1.0 / (BETTING_SHARE * self.alpha)

    @property
    def permutation_alpha(self) -> float:
        """The largest p-value by which the permutation test decides."""
        return (PERMUTATION_SHARE if self.bets else BETTING_SHARE + PERMUTATION_SHARE) * self.alpha

    @property
    def bets(self) -> bool:
        """Whether turns may end by bets; not where a user asked for a number of launches."""
        return self.n_asked_turns is None

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of launches in turns at which the permutation test is looked at; the last one decides."""
        last = 2 * self.n_turns
        return (*(n for n in PASSING if self.bets and n < last), last)

    def n_orders(self, n_launches: int) -> int:
        """Return among how many orders the drawn one is ranked after so many launches."""
        if n_launches < self.looks[-1]:
            return FEW_ORDERS
        return ceil(ORDERS_BEYOND / self.permutation_alpha)

    def begin(self) -> Next:
        """Return the first step."""
        return Next(Do.LAUNCH, Why.BEGIN if self.asked is None else Why.ASKED, self.asked or N_FIRST)

    def after_runs(self, looked: Looked) -> Next:
        """Return the step after some runs of the new program."""
        step = self._by_training(looked)
        if step.do is Do.PASS and looked.is_alarmed:
            return self._in_turns(Why.MONITOR, Next(Do.UNDECIDED, Why.MONITOR))
        return step

    def _by_training(self, looked: Looked) -> Next:
        if looked.is_elsewhere:
            return self._in_turns(Why.ELSEWHERE, Next(Do.UNDECIDED, Why.ELSEWHERE))
        if looked.n_runs == 0 or not looked.is_comparable:
            return Next(Do.UNDECIDED, Why.NOT_COMPARABLE)
        if self.always_turns and self.has_turns:
            return Next(Do.TURNS, Why.ASKED)
        if looked.n_runs == N_FIRST:
            return self._after_first(looked)
        if looked.p_value is None:
            return Next(Do.UNDECIDED, Why.NOT_COMPARABLE)
        if looked.p_value <= max(self.alpha, SUSPICIOUS) + ROUNDING:
            return self._in_turns(Why.DIFFERS, self._without_turns(looked, looked.p_value))
        if looked.has_too_few:
            return self._in_turns(Why.TOO_FEW, Next(Do.UNDECIDED, Why.TOO_FEW))
        if looked.may_hide or looked.lacks:
            return Next(Do.UNDECIDED, Why.HIDDEN if looked.may_hide else Why.UNREAD)
        return Next(Do.PASS, Why.ORDINARY)

    def after_launch(self, look: TurnsLook) -> Next:
        """Return the step after a launch in turns."""
        if self.has_won(look):
            return Next(Do.FAIL, Why.BETS)
        if look.n_launches < self.looks[-1]:
            hopeless = PASSING.get(look.n_launches, 1.0)
            if self.bets and look.has_both and look.p_value is not None and look.p_value > hopeless:
                return Next(Do.PASS, Why.NO_DIFFERENCE)
            return Next(Do.LAUNCH, Why.OPEN, 1)
        return self.judge_all(look)

    def has_won(self, look: TurnsLook) -> bool:
        """Return whether the bets decide; what they won early counts as soon as both were launched enough."""
        return self.bets and look.has_both and look.wealth >= self.winning

    def judge_all(self, look: TurnsLook) -> Next:
        """Return what launches in turns say if no more follow, however many they are."""
        if self.has_won(look):
            return Next(Do.FAIL, Why.BETS)
        if look.p_value is None:
            return Next(Do.UNDECIDED, Why.NOT_COMPARABLE)
        if look.p_value <= self.permutation_alpha + ROUNDING:
            return Next(Do.FAIL, Why.PERMUTATION)
        return Next(Do.PASS, Why.NO_DIFFERENCE)

    def after_turns(
        self, decided: Next, *, are_outside: bool, is_known: bool, is_busier: bool = False
    ) -> Next:
        """Return what turns say beside training.

        Args:
            decided: by the turns alone.
            are_outside: whether counters that no machine moves are beyond training in both programs.
            is_known: whether a difference of the environment is known that may explain it.
            is_busier: whether the machine is busier than in training, and these counters move with it.
        """
        if decided.do is not Do.PASS or not are_outside:
            return decided
        if is_known:
            return Next(Do.PASS, Why.KNOWN_OUTSIDE)
        return Next(Do.PASS, Why.BUSIER) if is_busier else Next(Do.FAIL, Why.OUTSIDE)

    def combine_p_values(self, look: TurnsLook) -> float:
        """Return one p-value of the turns: at most alpha exactly if they fail.

        The smaller of the two tests' p-values, each divided by its share (Bonferroni with weights).
        """
        by_bets = 1.0 / look.wealth / BETTING_SHARE if self.bets and look.has_both else 1.0
        # Earlier looks end a check, but never make it fail.
        by_rank = 1.0
        if look.p_value is not None and look.n_launches >= self.looks[-1]:
            by_rank = look.p_value * self.alpha / self.permutation_alpha
        return min(1.0, by_bets, by_rank)

    def _after_first(self, looked: Looked) -> Next:
        is_suspicious = looked.first is not None and looked.first.is_suspicious
        if is_suspicious or looked.may_hide:
            why = Why.SUSPICIOUS if is_suspicious else Why.HIDDEN
            if self.asked is None:
                return Next(Do.LAUNCH, why, N_CONFIRMING)
            return Next(Do.UNDECIDED, Why.ONE_RUN)
        return Next(Do.UNDECIDED, Why.UNREAD) if looked.lacks else Next(Do.PASS, Why.ORDINARY)

    def _without_turns(self, looked: Looked, p_value: float) -> Next:
        """Return what several runs that differ say where there are no turns.

        What is read by a clock or follows the machine accuses nobody.
        """
        if looked.counted <= self.alpha + ROUNDING:
            return Next(Do.FAIL, Why.COUNTED)
        if p_value <= self.alpha + ROUNDING:
            return Next(Do.UNDECIDED, Why.NEEDS_TURNS)
        if looked.has_too_few:
            return Next(Do.UNDECIDED, Why.TOO_FEW)
        if looked.may_hide or looked.lacks:
            return Next(Do.UNDECIDED, Why.HIDDEN if looked.may_hide else Why.UNREAD)
        return Next(Do.PASS, Why.ORDINARY)

    def _in_turns(self, why: Why, otherwise: Next) -> Next:
        return Next(Do.TURNS, why) if self.has_turns else otherwise


def after_waivers(failed: Next, *, has_findings: bool, has_counted: bool, lacks: bool) -> Next:
    """Return what a check that fails says where commits mean some of what it fails for.

    Args:
        failed: by all findings.
        has_findings: whether any is left.
        has_counted: whether one of these is of a counter that no machine moves.
        lacks: whether something could not be judged beside the findings.
    """
    if has_findings:
        # Only counters accuse where there are no turns.
        is_moved = failed.why is Why.COUNTED and not has_counted
        return Next(Do.UNDECIDED, Why.NEEDS_TURNS) if is_moved else failed
    return Next(Do.UNDECIDED, Why.UNREAD) if lacks else Next(Do.PASS, Why.MEANT)
