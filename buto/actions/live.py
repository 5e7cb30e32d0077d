"""Measuring, on the user's own program, how often checks fail it unchanged, and whether they find more use.

The checks are those of :mod:`buto.actions.check`. In some of them the agent uses more than the program does,
by the size that the oracle promises to detect: in the checked runs and in those of the new program in turns.
Their runs and results are in a temporary directory: no history, no label, no later check and no mood knows
them. Kinds of checks take turns, so that Ctrl-C leaves some of each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from math import ceil, isfinite
from pathlib import Path
from statistics import median

from msgspec import Struct, structs

from buto import oracle
from buto.actions.check import CheckRequest, check
from buto.actions.events import Event, Failed, Judged, Reporter, RunStored, Told, Warned, ignore
from buto.actions.old_program import choose_old_program
from buto.actions.plan import procedure_of
from buto.actions.project import NO_OVERRIDES, Project
from buto.actions.record import measuring_alone
from buto.actions.stored import is_of_another_program, training_runs
from buto.actions.workspace import Workspace
from buto.errors import JudgeError, UsageError
from buto.judging.alarms import IMPROBABLE, Strength
from buto.judging.binomial import ShareLimits, limits_of
from buto.judging.verdict import Status
from buto.measure.private_directory import private_directory
from buto.measure.target import PROCESS, Extra, Use
from buto.oracle import Oracle
from buto.programs.named import Unkept
from buto.project.model import TestConfig
from buto.run.model import Run
from buto.run.names import start_of
from buto.run.properties import is_time, property_for, title_of
from buto.run.units import format_count, format_list, format_quantity, format_seconds
from buto.run.window import cut_to_window
from buto.steps import Action, Advice, Setting, Step

DEFAULT_CHECKS = 10

USES: Mapping[str, Use] = {
    "jvm.memory.allocated": Use.ALLOCATED,
    "jvm.memory.heap.live": Use.KEPT,
    "jvm.memory.heap.used": Use.KEPT,
    "jvm.thread.count": Use.THREADS,
    "process.unix.file_descriptor.count": Use.DESCRIPTORS,
    "jvm.cpu.time": Use.CPU,
}
"""Properties of which the agent can use more, and how."""

FOUND = 0.9
"""Of the changes of a size that an oracle prints as detectable, the share that it promises to find."""

_COUNTED = (Use.ALLOCATED, Use.CPU)
"""What is used at an even rate; all else is there from the start to the end."""

_NS = 1e9

_SPREAD = 0.9
"""Of the shortest run: what is left at the program's end is used there at once."""

_LARGEST_CPU = 0.4
"""Of a core: what the agent can burn between two samples is a little more."""


class LiveRequest(Struct, frozen=True):
    """What to measure.

    Attributes:
        test: a test that has an oracle and a kept program, which has not changed since.
        n_checks: how many checks of the unchanged program; of every other kind half as many.
    """

    test: str
    n_checks: int = DEFAULT_CHECKS


class LiveCheck(Struct, frozen=True):
    """One check.

    Attributes:
        status: its verdict; None if it ended with an error.
        error: what that says first; empty without one.
    """

    status: Status | None
    n_launches: int
    seconds: float
    error: str = ""

    def __str__(self) -> str:
        what = self.error if self.status is None else self.status.value
        return f"{what} ({format_count(self.n_launches, 'launch')}, {format_seconds(self.seconds)})"


class LiveTrial(Struct, frozen=True):
    """Checks of one kind.

    Attributes:
        title: what was checked, as a phrase.
        wanted: the share that should fail at least, 0 where none is promised; None for checks that should
            pass.
        statuses: the verdict of each check, in order; None of one that ended with an error.
        n_launches, seconds: of all of them together.
    """

    title: str
    wanted: float | None
    statuses: tuple[Status | None, ...] = ()
    n_launches: int = 0
    seconds: float = 0.0

    @property
    def n_failed(self) -> int:
        return self.statuses.count(Status.REGRESSION)

    @property
    def n_undecided(self) -> int:
        return len(self.statuses) - self.n_failed - self.statuses.count(Status.PASS)

    @property
    def n_counted(self) -> int:
        """Return of how many checks the share is: what is not decided is not found, and is no alarm."""
        return len(self.statuses) - (self.n_undecided if self.wanted is None else 0)

    @property
    def limits(self) -> ShareLimits:
        """Return the limits of the share that fails."""
        return limits_of(self.n_failed, self.n_counted, IMPROBABLE)

    def breaks(self, alpha: float) -> bool:
        """Return whether these checks show that a promise is not kept, or nothing at all."""
        if not self.statuses:
            return False
        if self.wanted is not None:
            return self.limits.upper < self.wanted
        return not self.n_counted or self.limits.lower > alpha

    def after(self, checked: LiveCheck) -> LiveTrial:
        """Return the same with one check more."""
        return structs.replace(
            self,
            statuses=(*self.statuses, checked.status),
            n_launches=self.n_launches + checked.n_launches,
            seconds=self.seconds + checked.seconds,
        )


class LiveOutcome(Struct, frozen=True):
    """What the checks showed.

    Attributes:
        alpha: share of checks of the unchanged program that may fail.
        trials: the kinds of checks: first those of the unchanged program.
        left_out: sizes that were not tried, each with the reason.
    """

    alpha: float
    trials: tuple[LiveTrial, ...]
    left_out: tuple[str, ...] = ()

    def after(self, place: int, checked: LiveCheck | None) -> LiveOutcome:
        """Return the same with one check more of the trial in this place; None if it cannot be made."""
        trial = self.trials[place]
        if checked is None:
            text = f"{trial.title} (more than the agent can burn beside the program)"
            return structs.replace(self, left_out=tuple(dict.fromkeys((*self.left_out, text))))
        trials = (*self.trials[:place], trial.after(checked), *self.trials[place + 1 :])
        return structs.replace(self, trials=trials)

    @property
    def broken(self) -> tuple[LiveTrial, ...]:
        """Return the kinds of checks that show that a promise is not kept."""
        return tuple(trial for trial in self.trials if trial.breaks(self.alpha))


class LiveStopped(KeyboardInterrupt):
    """Ctrl-C, with what the checks so far showed."""

    def __init__(self, outcome: LiveOutcome) -> None:
        super().__init__("stopped")
        self.outcome = outcome


def measure_live(project: Project, request: LiveRequest, reporter: Reporter = ignore) -> LiveOutcome:
    """Check the unchanged program, and with more use, as often as wanted.

    Raises:
        JudgeError: the oracle promises no alarm rate, its program cannot be launched in turns, or the
            program is another one now.
        UsageError, BadFileError: see :class:`Project`; or the agent does not measure this test.
        StorageError: the store or a temporary directory cannot be written.
        ButoError: the first check cannot be carried out.
        LiveStopped: Ctrl-C.
    """
    action = Action.SELFTEST
    known = project.oracle(request.test, action)
    test = project.test(request.test, action, NO_OVERRIDES, known)
    launcher = project.launcher(reporter)
    workspace = launcher.workspace
    _require_turns(workspace, known, test)
    if is_of_another_program(training_runs(workspace, known).runs[-1:]):
        raise JudgeError(
            f"the program of {known.test} is not that of its training any more",
            advice=Advice(
                "bring back the program of the training, or if its change is meant: ",
                Step(Action.ACCEPT, known.test),
            ),
        )
    sizes, left_out = _sizes(known)
    half = max(1, request.n_checks // 2)
    kinds = [_Kind(LiveTrial("unchanged", None), request.n_checks)]
    kinds.append(_Kind(LiveTrial("unchanged, always in turns", None), half, always_turns=True))
    kinds += [
        _Kind(LiveTrial(_title(strength), _promise(strength)), half, size=strength) for strength in sizes
    ]
    _tell_what_is_ahead(known, kinds, reporter)
    if left_out:
        reporter(Told(known.test, f"not tried: {format_list(left_out, len(left_out))}"))
    # The scheduler's hosts see to it themselves that they carry out one launch at a time.
    alone = nullcontext() if project.scheduler else measuring_alone(launcher)
    with alone, private_directory() as directory:
        bench = _Bench(_aside(project, known.test, directory), known, reporter)
        outcome = LiveOutcome(procedure_of(known).alpha, tuple(kind.trial for kind in kinds), left_out)
        try:
            for place in _order([kind.n for kind in kinds]):
                kind, is_first = kinds[place], not any(trial.statuses for trial in outcome.trials)
                checked = bench.check(kind, is_first=is_first)
                outcome = outcome.after(place, checked)
                if checked is not None:
                    number = f"{len(outcome.trials[place].statuses)} of {kind.n}"
                    reporter(Told(known.test, f"{kind.trial.title}, {number}: {checked}"))
        except KeyboardInterrupt as stop:
            raise LiveStopped(outcome) from stop
    return outcome


class _Kind(Struct, frozen=True):
    """Checks that are to be made.

    Attributes:
        trial: before the first of them.
        n: how many.
        size: of what the agent uses more; None for nothing.
    """

    trial: LiveTrial
    n: int
    always_turns: bool = False
    size: Strength | None = None


class _Bench:
    """Makes one check after another, and knows how long the unchanged program runs."""

    def __init__(self, project: Project, known: Oracle, reporter: Reporter) -> None:
        self._project, self._known, self._reporter = project, known, reporter
        self._whole_s, self._judged_s = float("inf"), float("inf")

    def check(self, kind: _Kind, *, is_first: bool) -> LiveCheck | None:
        """Make one check; None if the agent cannot use so much.

        Raises:
            ButoError: the first check ended with it.
        """
        extra = None if kind.size is None else extra_for(kind.size, self._whole_s, self._judged_s)
        if kind.size is not None and extra is None:
            return None
        runs: list[Run] = []
        began = time.monotonic()
        request = CheckRequest((self._known.test,), always_turns=kind.always_turns, extra=extra)
        (result,) = check(self._project, request, self._quietly(runs)).results
        seconds = time.monotonic() - began
        if result.error is not None and is_first:
            raise result.error
        if extra is None:
            self._learn_durations([run for run in result.runs if run.quality.valid])
        status = None if result.verdict is None or result.error is not None else result.verdict.status
        error = "" if result.error is None else result.error.message.splitlines()[0]
        return LiveCheck(status, len(runs), seconds, error)

    def _quietly(self, runs: list[Run]) -> Callable[[Event], None]:
        """Return what passes on how launches go on, and what else is told as a detail."""

        def note(event: Event) -> None:
            match event:
                case RunStored(run):
                    runs.append(run)
                    self._reporter(event)
                case Told(test, text) | Warned(test, text):
                    self._reporter(Told(test, text, detail=True))
                case Failed(result) if result.error is not None:
                    self._reporter(Told(result.test, result.error.message, detail=True))
                case Judged() | Failed():
                    pass
                case _:
                    self._reporter(event)

        return note

    def _learn_durations(self, runs: Sequence[Run]) -> None:
        self._whole_s = min([self._whole_s, *(run.outcome.duration_s for run in runs)])
        self._judged_s = min([self._judged_s, *(cut_to_window(run).outcome.duration_s for run in runs)])


def extra_for(size: Strength, whole_s: float, judged_s: float) -> Extra | None:
    """Return what the agent uses, so that the judged part of a run has this size more; None if it cannot.

    Args:
        size: of a property in USES.
        whole_s: how long the unchanged program runs; the shortest time is best.
        judged_s: how long the part is that is judged; as long without a window.
    """
    use, amount = USES[size.quantity.name], size.more
    if use not in _COUNTED:
        return Extra(use, ceil(amount))
    # A window sees its part of what is used from the start to the end.
    spread_s = whole_s if judged_s < whole_s else _SPREAD * whole_s
    amount *= whole_s / judged_s
    if use is not Use.CPU:
        return Extra(use, ceil(amount), spread_s)
    return Extra(use, ceil(amount * _NS), spread_s) if amount <= _LARGEST_CPU * spread_s else None


def _require_turns(workspace: Workspace, known: Oracle, test: TestConfig) -> None:
    """Raise an error if checks of this test do not keep the promises that are measured here."""
    if not oracle.promises_alarm_rate(known):
        raise JudgeError(
            f"the oracle of {known.test} promises no rate of false alarms; method: {known.settings.method}",
            advice=Advice("leave out judge: method; then ", Step(Action.TRAIN, known.test)),
        )
    if test.target.collector != "agent":
        raise UsageError(
            f"{known.test}: only the agent can use more than the program does, got collector: "
            f"{test.target.collector}",
            advice=None if test.target.collector == PROCESS else Advice(Setting("collector", "agent")),
        )
    program = choose_old_program(workspace, known, test).program
    if isinstance(program, Unkept):
        raise JudgeError(
            f"{known.test}: without turns no check detects what is promised, and {program.reason}",
            advice=program.advice or None,
        )


def _sizes(known: Oracle) -> tuple[list[Strength], tuple[str, ...]]:
    """Return the promised sizes that the agent can use, and what it could use without a promise."""
    strengths = {strength.quantity.name: strength for strength in known.strengths or ()}
    if not strengths.keys() >= USES.keys():
        every = known.fitted.strengths(everything=True).found
        strengths = {strength.quantity.name: strength for strength in every} | strengths
    sizes = [strengths[name] for name in USES if name in strengths and isfinite(strengths[name].more)]
    tried = {strength.quantity.name for strength in sizes}
    return sizes, tuple(f"{title_of(name)} (no size is promised)" for name in USES if name not in tried)


def _promise(size: Strength) -> float:
    """Return the share that is promised to be found.

    None of times: the scatter of ten runs in a row says too little of another hour. Of a program that works
    for a given time, the load of that hour moves all of it.
    """
    return 0.0 if is_time(property_for(size.quantity.name)) else FOUND


def _title(size: Strength) -> str:
    amount = size.more if USES[size.quantity.name] is Use.CPU else ceil(size.more)
    return f"{title_of(size.quantity.name)} +{format_quantity(amount, size.quantity.unit)}"


def _order(counts: Sequence[int]) -> list[int]:
    """Return places, each as often as its count, evenly mixed; the first place comes first."""
    shares = [(number / count, place) for place, count in enumerate(counts) for number in range(count)]
    return [place for _, place in sorted(shares)]


def _tell_what_is_ahead(known: Oracle, kinds: Sequence[_Kind], reporter: Reporter) -> None:
    """Say how many checks follow, and how many launches and how long they take at most."""
    ahead = procedure_of(known).ahead
    in_turns = ahead.first + 2 * ahead.turns
    most = sum(kind.n * (in_turns if kind.always_turns else ahead.most) for kind in kinds)
    launch_s = _launch_s(known)
    took = "" if launch_s is None else f", {format_seconds(most * launch_s)} at the pace of the training"
    plan_text = ", ".join(f"{kind.n} {kind.trial.title}" for kind in kinds)
    reporter(Told(known.test, f"checks: {plan_text}; at most {format_count(most, 'launch')}{took}"))


def _launch_s(known: Oracle) -> float | None:
    """Return the time from one launch of the training to the next, seconds; None if it is not known."""
    starts = sorted(start for start in map(start_of, known.run_ids) if start is not None)
    gaps = [(after - before).total_seconds() for before, after in pairwise(starts)]
    return median(gaps) if gaps else None


def _aside(project: Project, test: str, directory: Path) -> Project:
    """Return a project that keeps what it records in a directory, and explains nothing."""
    files = structs.replace(project.files, store=directory / "store", programs=project.files.store)
    configuration, ours = project.configuration, project.find_test(test)
    if configuration is not None and ours is not None:
        tests = {**configuration.tests, test: replace(ours, explains=False)}
        configuration = replace(configuration, tests=tests)
    return structs.replace(project, files=files, configuration=configuration)
