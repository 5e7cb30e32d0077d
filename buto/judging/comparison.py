"""Compare two programs by runs of both, without a stored oracle: for machines that change from day to day.

The two are launched in turns, in an order drawn from a fixed set (:mod:`buto.judging.orders`), and what the
launches say is found by bets and a permutation test (:mod:`buto.judging.turns`). When they end,
and what they decide, is the rule of :mod:`buto.judging.procedure`.

Runs that were not launched in turns are compared as they are: the actual assignment of runs is one of many
ways of dealing them out, and its rank is exact if the runs are exchangeable, which a machine that changed in
between breaks.

Here is also what comes before: what can be compared in two programs' runs, and what prevents it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import comb

import numpy as np
from msgspec import Struct, structs

from buto.errors import JudgeError
from buto.judging import rank
from buto.judging.beyond import find_counted_properties, totals
from buto.judging.carryover import carry_over
from buto.judging.classifiers import MetadataSettings, compare_metadata, learn_metadata
from buto.judging.configuration import with_alpha
from buto.judging.detector import explain_comparison
from buto.judging.effects import MINIMUM_EFFECT, smallest_effects
from buto.judging.evidence import Evidence, could_not_be_read, weigh
from buto.judging.findings import findings, outlier_shares
from buto.judging.fitted_judge import find_noted
from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.modes import find_modes
from buto.judging.orders import Orders, balanced_orders
from buto.judging.procedure import CARRIED_OVER, N_TURNS, Do, Next, Procedure, TurnsLook, Why
from buto.judging.profile import TrainingProfile, learn
from buto.judging.protocol import Comparison, Reasoning
from buto.judging.rank import FEWEST_RUNS
from buto.judging.readable import MOST_UNREAD, has, partly_unread, unread
from buto.judging.settings import Settings, judges
from buto.judging.turns import Before, Launched, Prior, Turns, look_at_turns, prepare_turns
from buto.judging.verdict import Roles, Status, Verdict
from buto.run.model import EXACTLY, IN_TURNS, BoolArray, FloatArray, Run, RunSet
from buto.run.properties import LIVE_CLASSES, Property, is_judged, title_of
from buto.run.window import cut_set_to_window
from buto.steps import Action, Advice, Setting, Step, isolation


class Comparable(Struct, frozen=True):
    """What can be compared.

    Attributes:
        properties: read in every run, by name.
        one_sided: a sentence for each property that every method judges and only one program has.
        lacking: the same of the others, which a run may do without: there was no collection, or the kernel
            does not tell.
    """

    properties: tuple[Property, ...]
    one_sided: tuple[str, ...]
    lacking: tuple[str, ...]


def comparable(first: RunSet, second: RunSet, settings: Settings) -> Comparable:
    """Return the properties that the settings judge and that were read in every run.

    A property that is missing in some runs of a program gives no information about it and is left out.

    Raises:
        JudgeError: there are none.
    """
    ours, theirs = (set.intersection(*map(_read, runs)) for runs in (first, second))
    known = {prop.name: prop for prop in (*second.properties, *first.properties)}
    wanted = [known[name] for name in sorted(known) if judges(settings, known[name])]
    both = tuple(prop for prop in wanted if prop.name in ours & theirs)
    if not both:
        raise JudgeError(
            f"no property was read in every run of {_test(first)} and {_test(second)}",
            advice=Advice(
                Step(Action.SHOW_RUN, _test(second), run_id=second.runs[-1].id), " says why for one run"
            ),
        )
    one_sided: dict[bool, list[str]] = {True: [], False: []}
    owners = [f"the runs of {_test(runs)}" for runs in (first, second)]
    if owners[0] == owners[1]:
        owners = ["the old program's runs", "the new program's runs"]
    for prop in wanted:
        for whose, names in zip(owners, (ours - theirs, theirs - ours), strict=True):
            if prop.name in names:
                one_sided[is_judged(prop)].append(
                    f"{prop.name} could not be compared: only {whose} have it, each of them"
                )
    return Comparable(both, tuple(one_sided[True]), tuple(one_sided[False]))


def unequally_read(first: RunSet, second: RunSet, properties: Sequence[Property]) -> tuple[str, ...]:
    """Return a sentence for each property of which a run of one program lacks far more samples than any of
    the other's; not for those that are read seldom, at times that differ from run to run.
    """
    properties = [prop for prop in properties if is_judged(prop)]
    if not properties:
        return ()
    lacking = [np.array([unread(run, properties) for run in runs]) for runs in (first, second)]
    most = [shares.max(axis=0) for shares in lacking]
    sentences = []
    for place, prop in enumerate(properties):
        side = int(most[1][place] > most[0][place])
        if most[side][place] - most[1 - side][place] > MOST_UNREAD:
            run = (first, second)[side].runs[int(lacking[side][:, place].argmax())]
            sentences.append(partly_unread(prop.name, most[side][place], run))
    return tuple(sentences)


def environment_differences(
    first: RunSet, second: RunSet, settings: MetadataSettings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a sentence for each key of metadata that differs: those that decide, and those that do not.

    Raises:
        JudgeError: runs of the first differ among themselves in a key that decides.
    """
    model = learn_metadata([run.metadata for run in first], settings)
    sentences = {
        (difference.deciding, difference.key): (
            f"{difference.key} differs: {difference.expected!r} with {_test(first)}, "
            f"{difference.observed!r} with {_test(second)}"
        )
        for run in second
        for difference in compare_metadata(model, run.metadata, settings)
    }
    decide, reported = (
        tuple(sentences[key] for key in sorted(sentences) if key[0] is deciding) for deciding in (True, False)
    )
    return decide, reported


def unequal_times(first: RunSet, second: RunSet) -> tuple[str, ...]:
    """Return a warning if all runs of one program were made before those of the other."""
    earlier, later = sorted((first, second), key=lambda runs: runs.runs[0].id)
    if earlier.runs[-1].id > later.runs[0].id:
        return ()
    sentence = (
        f"all runs of {_test(earlier)} were made before those of {_test(later)}: what changed on the machine "
        "in between looks like a difference of the two"
    )
    return (sentence,)


def _read(run: Run) -> set[str]:
    """Return the names of the properties that have a value from which statistics can be made."""
    return {prop.name for prop in run.properties if has(run, prop)}


def _test(runs: RunSet) -> str:
    return runs.runs[0].test


DETECTOR = "comparison"


OF_THE_COMMAND = ("jvm.", "system.processors")
"""How metadata begin that a command decides: which JVM, its arguments, its heap. Where two programs differ
in them, that is what is compared."""


PROGRAM = "buto.jvm"
"""The metadata key of the main class or jar, which differs between two programs on purpose."""


PLACES = (
    "jvm.class.path",
    "system.property[[]java.class.path]",
    "system.property[[]jdk.module.path]",
    "system.property[[]sun.java.command]",
    "system.property[[]user.dir]",
)
"""Patterns of metadata that say where a program is, which differs between two programs on purpose."""


def comparing(settings: Settings) -> JudgeSettings:
    """Return the settings of a comparison, from those of a test.

    All of them if it is judged by the calibrated oracle, else the default's; but metadata that a command
    decides do not keep runs from being compared.
    """
    taken = CALIBRATED
    if isinstance(settings, JudgeSettings):
        taken = settings
    deciding = tuple(key for key in taken.metadata.deciding if not key.startswith(OF_THE_COMMAND))
    ignored = tuple(dict.fromkeys((*taken.metadata.ignored, PROGRAM, *PLACES)))
    return replace(taken, metadata=structs.replace(taken.metadata, deciding=deciding, ignored=ignored))


def smallest_p_value(n_first: int, n_second: int, settings: JudgeSettings) -> float:
    """Return the p-value of the largest possible difference of runs that were not launched in turns.

    With equally many runs of each program, every assignment has a mirror image with the same distance,
    unless only the worse direction counts.
    """
    mirrored = n_first == n_second and settings.fail_on == "any"
    return rank.smallest_p_value(comb(n_first + n_second, n_second), mirrored=mirrored)


def runs_needed(settings: JudgeSettings) -> int:
    """Return the smallest number of runs of each program that can show a difference at their alpha."""
    return rank.runs_needed(lambda n: smallest_p_value(n, n, settings), settings.alpha)


def turns_needed(settings: JudgeSettings) -> int:
    """Return the smallest number of launches of each program in turns that can show a difference together.

    It is more than that of other runs, because only some of all orders are balanced in time.
    """
    n_mirrored = 2 if settings.fail_on == "any" else 1

    def smallest(n_each: int) -> float:
        n_orders = Procedure(settings.alpha, n_asked_turns=n_each).n_orders(2 * n_each)
        return max(n_mirrored / len(balanced_orders(n_each).is_new), 1 / n_orders)

    share = Procedure(settings.alpha, n_asked_turns=FEWEST_RUNS).permutation_alpha
    return rank.runs_needed(smallest, share)


NO_ORDER = (
    "these launches have no order that could have been drawn, and what differs may be chance: "
    "launch both programs again"
)

CARRY_OVER = (
    "a launch depends on which program was launched before it ({}, p = {:.2g}), as by a cache that both share"
)

FEWEST_KNOWN = 4
"""Launches of two programs of which nothing is known before, after which it is clear what is compared."""


class Programs(Comparison):
    """Compares two programs.

    Args:
        before: what is known of both before they are launched in turns; None for nothing.
    """

    def __init__(
        self,
        settings: Settings,
        alpha: float | None = None,
        runs: int | None = None,
        before: object | None = None,
    ) -> None:
        taken = comparing(settings)
        self.settings: JudgeSettings = taken if alpha is None else with_alpha(taken, alpha)
        self.alpha, self.fewest = self.settings.alpha, turns_needed(self.settings)
        self.procedure = Procedure(self.alpha, n_asked_turns=runs)
        self.most = self.procedure.n_turns
        assert before is None or isinstance(before, Before)
        self._before = before
        self._rows: dict[str, FloatArray] = {}

    @cached_property
    def _orders(self) -> Orders:
        return balanced_orders(self.most)

    @cached_property
    def _with_prior(self) -> Turns | None:
        if self._before is None:
            return None
        profile, known, checked = self._before
        return prepare_turns(profile, self.settings, self._orders, known, Prior(known, checked))

    def order(self, seed: int) -> tuple[bool, ...]:
        return self._orders.draw(seed)

    def next_step(self, first: RunSet, second: RunSet) -> Next:
        runs, is_new = _in_order(cut_set_to_window(first), cut_set_to_window(second))
        return self.procedure.after_launch(self._look(runs, is_new))

    def compare(self, first: RunSet, second: RunSet, roles: Roles | None = None) -> tuple[Verdict, Reasoning]:
        """Judge whether two programs differ; findings name what the second has more or less of.

        Both count equally: properties, scales and features come from the runs of both, or from what is known
        of both before. Runs that are not valid are left out with a warning. Inconclusive if there are too few
        for alpha, or the machines differ; or if the programs do not, but a property is there in one of them
        only, or in far fewer samples.

        Raises:
            JudgeError: too few runs of one of them, no property that was read in all runs, or a machine
                that changed between runs of the first.
        """
        mark = _mark_of(first, second)
        # Whoever launched them chose the limit, and whoever judges them again may not.
        judge = self
        if mark is not None and not self._launches_as(mark):
            judge = Programs(self.settings, runs=mark.n_asked)
        verdict = judge._compare(first, second)
        verdict = verdict if roles is None else replace(verdict, roles=roles)
        return verdict, explain_comparison(verdict)

    def _launches_as(self, mark: _Mark) -> bool:
        return (mark.n_each, mark.n_asked) == (self.most, self.procedure.n_asked_turns)

    def p_value_of(self, first: Sequence[Run], second: Sequence[Run], is_new: Sequence[bool]) -> float:
        """Return the p-value of all these launches, whichever of them were made first.

        Args:
            first, second: runs of both programs, each in the order in which they are taken.
            is_new: the order of both, one that :meth:`order` gives.
        """
        sides = iter(first), iter(second)
        runs = [next(sides[label]) for label in is_new]
        turns, launched = self._without_prior(runs, runs, np.array(is_new, np.bool_))
        return turns.p_value(launched, self.procedure.n_orders(len(runs)))

    def _compare(self, first: RunSet, second: RunSet) -> Verdict:
        ours, theirs = cut_set_to_window(first.valid()), cut_set_to_window(second.valid())
        mark = _mark_of(ours, theirs)
        in_turns = mark is not None
        if min(len(ours), len(theirs)) < (2 if in_turns else FEWEST_RUNS):
            raise JudgeError(
                f"{len(ours)} and {len(theirs)} usable runs of the two programs are too few to compare them",
                advice=Advice(Setting("runs", str(FEWEST_RUNS)), " or more"),
            )
        settings = self.settings
        verdict = Verdict(
            Status.INCONCLUSIVE,
            DETECTOR,
            warnings=_unusable(first, second),
            run_ids=tuple(run.id for run in theirs),
            n_training=len(ours),
            alpha=settings.alpha,
            settings=settings.to_data(),
            roles=_roles(first, second),
        )
        too_few = _too_few(ours, theirs, settings)
        if not in_turns and smallest_p_value(len(ours), len(theirs), settings) > settings.alpha:
            return replace(verdict, reasons=(too_few,))
        elsewhere, reported = environment_differences(ours, theirs, settings.metadata)
        if elsewhere:
            return replace(verdict, reasons=elsewhere)
        shared = comparable(ours, theirs, settings)
        profile = self._profile((*ours, *theirs), shared)
        values = np.array([self._row(profile, run) for run in (*ours, *theirs)])
        if in_turns and self._before is not None:
            # What is told is what has decided.
            modes = find_modes(profile.catalogue, profile.quantities, profile.values)
            values = values if modes is None else modes.match(values)
        evidence = weigh(profile, values, len(theirs), settings)
        one_sided = (
            *shared.one_sided,
            *unequally_read(ours, theirs, shared.properties),
            *could_not_be_read(evidence),
        )
        lacking = (*shared.lacking, *could_not_be_read(evidence, usual=False))
        runs, is_new = _in_order(ours, theirs)
        look = (
            self._look(runs, is_new, mark.seed)
            if mark is not None
            else TurnsLook(len(ours), len(theirs), p_value=evidence.mattering.p_value)
        )
        step = self._judge(look, in_turns=in_turns)
        fails, is_open = step.do is Do.FAIL, step.do is Do.LAUNCH
        undecided = (too_few,) if is_open else (NO_ORDER,) if step.do is Do.UNDECIDED else one_sided
        reasons = () if fails else undecided
        named = findings(evidence, evidence.mattering, theirs, settings, detector=DETECTOR, fails=fails)
        if fails and not named:
            # Bets take sizes from the old program alone, of which a share may be less than of all runs.
            by_old = weigh(profile, values, len(theirs), settings, sized_by=values[: len(ours)])
            of_ranks = (
                findings(by_old, ranked, theirs, settings, detector=DETECTOR, fails=True)
                for ranked in (by_old.mattering, by_old.any)
            )
            named = next(filter(None, of_ranks), ())
        certain = evidence.any.p_value <= settings.alpha
        others = findings(evidence, evidence.any, theirs, settings, detector=DETECTOR) if certain else ()
        return replace(
            verdict,
            status=Status.REGRESSION if fails else Status.INCONCLUSIVE if reasons else Status.PASS,
            findings=named if fails or not in_turns else (),
            noted=find_noted(named if fails or not in_turns else (), (*(() if fails else named), *others)),
            reasons=reasons,
            undecided=one_sided,
            warnings=(
                *(self._carry_over(runs, is_new) if in_turns else ()),
                *(*verdict.warnings, *unequal_times(ours, theirs), *one_sided, *lacking, *reported),
            ),
            p_value=self.procedure.combine_p_values(look) if in_turns else look.p_value,
            reach=outlier_shares(evidence, settings),
            guarantee=_guarantee(look, step, self.procedure) if in_turns else _free_guarantee(evidence),
            needs_more=too_few if is_open else "",
            steps=(step,),
        )

    def _carry_over(self, runs: Sequence[Run], is_new: Sequence[bool]) -> tuple[str, ...]:
        """Return a sentence if a launch depends on the program of the one before."""
        known = find_counted_properties(runs)
        values = totals(runs, known)
        read = np.flatnonzero(~np.isnan(values).any(axis=0))
        properties, values = [known[place] for place in read], values[:, read]
        minimum = self.settings.flat().get(MINIMUM_EFFECT, {})
        least = smallest_effects(properties, values.mean(axis=0), minimum)
        dependence = carry_over(values, np.array(is_new, np.bool_), least)
        if dependence.column is None or dependence.p_value > CARRIED_OVER:
            return ()
        seen = CARRY_OVER.format(title_of(properties[dependence.column].name), dependence.p_value)
        return (isolation(seen),)

    def _judge(self, look: TurnsLook, *, in_turns: bool) -> Next:
        if not in_turns:
            assert look.p_value is not None
            return Next(Do.FAIL if look.p_value <= self.alpha else Do.PASS, Why.PERMUTATION)
        return self.procedure.after_launch(look)

    def _look(self, runs: Sequence[Run], is_new: Sequence[bool], seed: int | None = None) -> TurnsLook:
        """Return what launches in turns say, in the order of time; see :meth:`Orders.allows` for the seed."""
        labels = np.array(is_new, np.bool_)
        n, n_new = len(labels), int(labels.sum())
        look = TurnsLook(n - n_new, n_new)
        if n > self._orders.n_launches or not self._orders.allows(labels, seed):
            return look
        turns, launched = self._with_prior, None
        if turns is not None and self._before is not None:
            launched = Launched(self._rows_of(self._before.profile, runs), labels)
        elif n > FEWEST_KNOWN:
            # Bets are on what the first launches show, so that none is made again when others follow.
            turns, launched = self._without_prior(runs[:FEWEST_KNOWN], runs, labels)
        if turns is not None and launched is not None and self.procedure.bets:
            look = look_at_turns(self.procedure, launched, turns.wealth(launched), None)
        if n not in self.procedure.looks:
            return look
        if turns is None or launched is None or self._before is None:
            turns, launched = self._without_prior(runs, runs, labels)
        return structs.replace(look, p_value=turns.p_value(launched, self.procedure.n_orders(n)))

    def _without_prior(
        self, known: Sequence[Run], runs: Sequence[Run], labels: BoolArray
    ) -> tuple[Turns, Launched]:
        """Return how programs of which nothing is known before are compared, and the launches.

        Args:
            known: the launches that say what is compared.
        """
        profile = self._learn_profile(known)
        rows = self._rows_of(profile, runs)
        return prepare_turns(profile, self.settings, self._orders, rows[: len(known)], None), Launched(
            rows, labels
        )

    def _rows_of(self, profile: TrainingProfile, runs: Sequence[Run]) -> FloatArray:
        return np.array([self._row(profile, run) for run in runs])

    def _profile(self, runs: Sequence[Run], shared: Comparable) -> TrainingProfile:
        if self._before is not None:
            return self._before.profile.hearing(runs)
        return learn(runs, shared.properties, by_class=judges(self.settings, LIVE_CLASSES))

    def _learn_profile(self, runs: Sequence[Run]) -> TrainingProfile:
        """Return the profile of some runs, whatever programs they are of."""
        known = {prop.name: prop for run in runs for prop in run.properties}
        read = set.intersection(*map(_read, runs))
        properties = tuple(known[name] for name in sorted(read) if judges(self.settings, known[name]))
        return learn(runs, properties, by_class=judges(self.settings, LIVE_CLASSES))

    def _row(self, profile: TrainingProfile, run: Run) -> FloatArray:
        if self._before is None or profile is not self._before.profile:
            return profile.measure(run)
        if run.id not in self._rows:
            self._rows[run.id] = profile.measure(run)
        return self._rows[run.id]


def _in_order(first: RunSet, second: RunSet) -> tuple[list[Run], list[bool]]:
    """Return the runs of two programs in the order of their start, and which are of the second."""
    sides = sorted(
        [*((run, False) for run in first), *((run, True) for run in second)], key=lambda side: side[0].id
    )
    return [run for run, _ in sides], [is_new for _, is_new in sides]


class _Mark(Struct, frozen=True):
    """What runs in turns say of the call that launched them.

    Attributes:
        n_each: how often it would launch each program at most.
        seed: of its order; None if it is not known.
        n_asked: the same as ``n_each`` if a user asked for it; None for as often as decides.
    """

    n_each: int
    seed: int | None
    n_asked: int | None


def _mark_of(first: RunSet, second: RunSet) -> _Mark | None:
    """Return the mark of all these runs; None if no single call launched them in turns."""
    marks = {run.metadata.get(IN_TURNS) for run in (*first.valid(), *second.valid())}
    text, *more = str(marks.pop() if len(marks) == 1 else "").split(":")
    if not text.isdecimal():
        return None
    n_each, seed = int(text), more[0] if more else ""
    # Earlier versions did not write that a number was asked for.
    is_exact = EXACTLY in more or n_each != N_TURNS
    return _Mark(n_each, int(seed) if seed.isdecimal() else None, n_each if is_exact else None)


def _roles(first: RunSet, second: RunSet) -> Roles:
    known, judged = first.runs[0].test, second.runs[0].test
    return Roles(judged, f"runs of {judged}", known, f"runs of {known}")


def _too_few(first: RunSet, second: RunSet, settings: JudgeSettings) -> str:
    return (
        f"{len(first)} runs of {first.runs[0].test} and {len(second)} of {second.runs[0].test} are too few "
        f"at alpha {settings.alpha:g}: {runs_needed(settings)} of each are needed"
    )


def _unusable(first: RunSet, second: RunSet) -> tuple[str, ...]:
    return tuple(
        f"run {run.id} cannot be judged: {run.quality.describe()}"
        for run in (*first, *second)
        if not run.quality.valid
    )


def _guarantee(look: TurnsLook, step: Next, procedure: Procedure) -> str:
    """Return how the verdict of launches in turns came about, and what holds whatever the machine did."""
    launches = f"{look.n_old} + {look.n_new} launches in a random order"
    if step.why is Why.BETS:
        text = f"{launches}: their numbers tell old from new {look.wealth:.3g} times better than guessing"
        return f"{text}; those of an unchanged program do so in at most one check of {procedure.winning:.3g}"
    if look.p_value is None:
        return f"{launches} do not decide"
    share = f"{look.p_value:.3g} of all orders that could have been drawn set them as far apart"
    return (
        f"{launches}: {share}; holds whatever the values are distributed like, and on a machine that drifts"
    )


def _free_guarantee(evidence: Evidence) -> str:
    significance = evidence.mattering.significance
    as_far = round(significance.p_value * significance.n_choices)
    return (
        f"{as_far} of {significance.n_choices} ways of dealing the runs out to the two set them as far "
        "apart; holds whatever the values are distributed like, if the machine did not change between the "
        "runs"
    )
