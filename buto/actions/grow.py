"""Does a program grow with every round of its work? There is no baseline, no training and no oracle.

One launch is judged. Its rounds are those that the program marks, or the test's own load, repeated; without
either, equal shares of what it allocates, of which a first launch tells how much that is. The runs are in the
store under ``NAME@grow``, so that a judgement can be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import Struct, structs

from buto.actions.aside import Aside, name_aside
from buto.actions.ending import check_ending
from buto.actions.events import Reporter, Told, ignore
from buto.actions.launcher import Launcher
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.stored import session_of
from buto.errors import BadFileError, JudgeError, MeasureError, UsageError
from buto.judging.growth import FEWEST_ROUNDS, ROUNDS
from buto.judging.rounds import BY_MALLOC, RoundsBy, RunGrowth, judge_rounds, rounds_of, series_of
from buto.judging.verdict import Status
from buto.measure.holders import find_reader, holding_paths, repository
from buto.measure.private_directory import private_directory
from buto.measure.target import Rounds
from buto.measure.workload.model import Workload
from buto.project.model import NoGrowth, TestConfig
from buto.report.growth import GrowthReport
from buto.run.holding import HoldingPath
from buto.run.model import DUMP_MISSING, ROUNDS_BY, ROUNDS_MARKED, ROUNDS_SHARE, SESSION, Run
from buto.run.units import format_bytes, format_count, format_list
from buto.steps import Action, Advice, Setting, Step

_MOST_SUSPECTS = 3

_MARGIN = 1.1
"""Shares are so much smaller than they could be: a launch may allocate less than the one before, or be slower
to count. Half a share is left for the end."""

_ENOUGH, _ATTEMPTS = 0.75, 3
"""With a smaller part of the wanted shares the program is launched again for smaller ones, so often."""

_SMALLEST, _LONGEST = 4, 64
"""The smallest share that is tried, as a part of the first, because what is kept now and then may rise in no
small one; the most work that is advised, in that of now."""


class GrowRequest(Struct, frozen=True):
    """What to look at.

    Attributes:
        test: its name.
        overrides: what this call specifies of it.
        rounds: how many are counted, warm-up included.
        by_load: whether each round is one load of the test.
    """

    test: str
    overrides: Overrides = NO_OVERRIDES
    rounds: int = ROUNDS
    by_load: bool = False


class GrowOutcome(Struct, frozen=True):
    """What was found.

    Attributes:
        test: its name.
        growth: what grows, and what holds it.
        n_launches: how often the program was launched.
    """

    test: str
    growth: GrowthReport
    n_launches: int

    @property
    def status(self) -> Status:
        return self.growth.status


def grow(project: Project, request: GrowRequest, reporter: Reporter = ignore) -> GrowOutcome:
    """Launch a program, count what it keeps after each round, and judge what grows.

    Raises:
        UsageError, BadFileError: no command is known; see :class:`Project` and :func:`look_for_growth`.
        MeasureError, JudgeError, StorageError: see :func:`look_for_growth`.
    """
    known = project.find_oracle(request.test, Action.GROW, request.overrides)
    test = project.test(request.test, Action.GROW, request.overrides, known)
    return look_for_growth(project.launcher(reporter), test, NoGrowth(request.rounds, request.by_load))


def look_for_growth(
    launcher: Launcher, test: TestConfig, wanted: NoGrowth, before: Run | None = None
) -> GrowOutcome:
    """Launch a test, count what it keeps after each round, and judge what grows.

    Args:
        before: a run of the same program, which tells how much it allocates, and to whose session the
            judged run belongs; None without one.

    Raises:
        UsageError: there is no load to repeat, or the agent does not measure this test.
        MeasureError: the program could not be measured, or did not end as it should.
        JudgeError: there were too few rounds.
        StorageError: the store cannot be written.
    """
    if test.target.collector != "agent":
        raise UsageError(
            f"{test.name}: only the agent counts rounds, got collector: {test.target.collector}",
            advice=Advice(Setting("collector", "agent")),
        )
    reader = find_reader(repository())
    with (
        private_directory() as directory,
        Aside.open(launcher, test, Action.GROW) as aside,
    ):
        launches = _Launches(aside, launcher, directory / "heap.hprof" if reader else None, before)
        run = launches.by_load(wanted.rounds) if wanted.by_load else launches.by_itself(wanted.rounds)
        growth = judge_run(run)
        paths, why_no_path = _holders(test.name, growth.judged, run, launches.dump, reader, launcher.report)
    growth = structs.replace(growth, paths=paths, why_no_path=why_no_path)
    return GrowOutcome(test.name, growth, aside.number)


def judge_run(run: Run) -> GrowthReport:
    """Judge a run that was counted in rounds; JudgeError if it has too few."""
    share_bytes = int(run.metadata.get(ROUNDS_SHARE) or 0)
    by = RoundsBy(run.metadata.get(ROUNDS_BY))
    n_counted = len(rounds_of(run))
    if n_counted < FEWEST_ROUNDS:
        raise _too_few(run, by, n_counted)
    judged = judge_rounds(run, by_work=by is RoundsBy.WORK)
    is_native_known = BY_MALLOC in run.column_of and not np.isnan(run.series(BY_MALLOC)).all()
    why_no_native = "" if is_native_known else run.nan_reasons.get(BY_MALLOC, "")
    return GrowthReport(judged, by, share_bytes, run.id, why_no_native=why_no_native)


def _holders(
    test: str,
    judged: RunGrowth,
    run: Run,
    dump: Path | None,
    reader: tuple[Path, ...] | None,
    reporter: Reporter,
) -> tuple[tuple[HoldingPath, ...], str]:
    """Return how what grows is held, or why that is not known."""
    if not judged.grown:
        return (), ""
    if reader is None or dump is None:
        return (), "LeakCanary's shark is not in the local Maven repository"
    if not dump.exists():
        return (), f"the heap was not dumped: {run.metadata.get(DUMP_MISSING, 'the program ended too early')}"
    suspects = [name for name in judged.suspects if "$$" not in name][:_MOST_SUSPECTS]
    reporter(Told(test, f"looking for what holds {format_list(suspects)}"))
    try:
        for name in suspects:
            paths = holding_paths(dump, name, reader)
            if paths:
                return paths, ""
    except MeasureError as error:
        return (), error.message
    return (), "no path from a root leads to what grows"


class _Launches:
    """Launches one test for its rounds.

    Attributes:
        dump: the file into which each launch writes its heap, if it gets so far; None for none.
    """

    def __init__(self, aside: Aside, launcher: Launcher, dump: Path | None, before: Run | None) -> None:
        self.dump = dump
        self._aside = aside
        self._test = aside.test
        self._reporter = launcher.report
        self._store = launcher.workspace.runs
        self._before = before

    def by_load(self, n: int) -> Run:
        """Return the run of a launch during which the test's load is repeated."""
        workload = self._test.workload
        if workload is None:
            raise UsageError(
                f"{self._test.name} has no workload whose load could be repeated",
                advice=Advice(
                    "add one to its configuration, or let the program mark its rounds: ",
                    Step(Action.GROW, self._test.name),
                ),
            )
        return self._launch(Rounds(n), RoundsBy.LOAD, structs.replace(workload, rounds=n))

    def by_itself(self, n: int) -> Run:
        """Return the run of a launch with the rounds that the program marks, or else of equal shares.

        Earlier runs tell how many it marks, and how much it allocates, or else a first launch does.
        """
        n_before = self._n_marked_before()
        if n_before:
            run = self._by_marks(n, n_before)
            n_marked = _n_marked(run)
            if _every(n, n_marked) == _every(n, n_before):
                return run
            if n_marked:
                return self._by_marks(n, n_marked)
        allocated = 0.0 if self._before is None else _last(self._before, _ALLOCATED)
        why = ""
        if not allocated > 0:
            first = self._launch(Rounds(n), RoundsBy.PROGRAM)
            n_marked = _n_marked(first)
            if n_marked:
                return first if n_marked < 2 * n else self._by_marks(n, n_marked)
            allocated, why = _last(first, _ALLOCATED), "marks no rounds; "
        if not allocated > 0:
            raise JudgeError(
                f"{self._test.name} marks no rounds, and its JVM does not say how much it allocates",
                advice=_MARK,
            )
        share = _share_of(allocated, n)
        for _ in range(_ATTEMPTS):
            self._tell(f"{why}each {format_bytes(share)} that it allocates is one round")
            run = self._launch(Rounds(n, share_bytes=share), RoundsBy.WORK)
            n_marked = _n_marked(run)
            if n_marked:
                return self._by_marks(n, n_marked)
            n_counted = len(rounds_of(run))
            if n_counted >= max(FEWEST_ROUNDS, _ENOUGH * n):
                break
            smaller = smaller_share(run, n)
            if smaller is None:
                break
            share = smaller
            why = f"only {format_count(n_counted, 'round')} could be counted; "
        return run

    def _by_marks(self, n: int, n_marked: int) -> Run:
        """Return the run of a launch of which every so many marked rounds one is counted."""
        every = _every(n, n_marked)
        which = f"one of {every} is counted" if every > 1 else "they are counted"
        self._tell(f"marks {format_count(n_marked, 'round')}; {which} in a launch of its own")
        return self._launch(Rounds(n, every), RoundsBy.PROGRAM)

    def _n_marked_before(self) -> int:
        """Return how many rounds the program marked when it was counted last; 0 if it was not, or none."""
        name = name_aside(self._test.name, Action.GROW)
        try:
            newest = [self._store.load(name, run_id) for run_id in self._store.ids(name)[-1:]]
        except BadFileError:
            return 0  # It only saves a launch.
        by_program = [run for run in newest if run.metadata.get(ROUNDS_BY) == RoundsBy.PROGRAM.value]
        return _n_marked(by_program[0]) if by_program else 0

    def _tell(self, text: str) -> None:
        self._reporter(Told(self._test.name, text))

    def _launch(self, rounds: Rounds, by: RoundsBy, workload: Workload | None = None) -> Run:
        if self.dump is not None:
            self.dump.unlink(missing_ok=True)
        rounds = structs.replace(rounds, dump=self.dump)
        target = replace(self._test.target, live_set=None, rounds=rounds)
        marks = {ROUNDS_BY: by.value, ROUNDS_SHARE: rounds.share_bytes}
        run = self._aside.launch(
            target,
            self._test.workload if workload is None else workload,
            marks if self._before is None else {**marks, SESSION: session_of(self._before)},
        )
        check_ending(run, target)
        return run


_ALLOCATED = "jvm.memory.allocated"


def _share_of(allocated: float, n: int) -> int:
    """Return the bytes of a share, so that a program that allocates so much has n of them."""
    return max(1, int(allocated / (n * _MARGIN + 0.5)))


class Counted(Struct, frozen=True):
    """What a program had allocated when a share of its work ended, and when that round was counted, bytes."""

    end: float
    at: float


def n_countable(allocated: float, share: int, before: Sequence[Counted]) -> int:
    """Return how many rounds of equal shares can be counted of a program that goes on meanwhile.

    What it allocates meanwhile is taken to be as much as it was there, because programs begin fast.

    Args:
        allocated: by the whole program, bytes.
        share: bytes.
        before: rounds of the same program with other shares, at least one.
    """
    n, end = 0, float(share)
    while end <= allocated:
        there = next((counted for counted in before if counted.at >= end), before[-1])
        n += 1
        end = _next_end(n, end + there.at - there.end, share)
    return n


def _next_end(n: int, counted: float, share: int) -> float:
    """Return when a share ends if n rounds were counted before, the last one then, in bytes; as the agent."""
    return max((n + 1) * share, counted + share // 2)


def _counted(run: Run) -> list[Counted]:
    """Return the rounds of a run of equal shares; none if they are not known."""
    share = int(run.metadata.get(ROUNDS_SHARE) or 0)
    rounds, end = [], float(share)
    for at in series_of(run).work:
        if not at >= end:
            return []
        rounds.append(Counted(end, float(at)))
        end = _next_end(len(rounds), at, share)
    return rounds


def smaller_share(run: Run, n: int) -> int | None:
    """Return the largest share with which n rounds can be counted, or else most; None if those are too few.

    Args:
        run: of which too few could be counted.
    """
    allocated, before = _last(run, _ALLOCATED), _counted(run)
    if not before:
        return None
    wanted = max(FEWEST_ROUNDS + 1, n)
    shares = [_share_of(allocated, parts) for parts in range(n, _SMALLEST * n + 1)]
    counts = {share: min(wanted, n_countable(allocated, share, before)) for share in shares}
    best = max(shares, key=lambda share: (counts[share], share))
    return best if counts[best] >= FEWEST_ROUNDS else None


def _how_much_more(run: Run) -> str:
    """Return how much more work a program must do so that its rounds can be counted, if that is known."""
    allocated, before = _last(run, _ALLOCATED), _counted(run)
    works = [n * allocated for n in range(2, _LONGEST + 1)] if before else []
    enough = (
        n
        for n, work in enumerate(works, start=2)
        if n_countable(work, _share_of(work, ROUNDS), before) >= ROUNDS
    )
    more = next(enough, None)
    return "more work" if more is None else f"{more} times the work"


def _every(n: int, n_marked: int) -> int:
    """Return of how many marked rounds one is counted, so that n are."""
    return max(1, n_marked // n)


def _n_marked(run: Run) -> int:
    """Return how many rounds the program has marked, counted or not."""
    marked = str(run.metadata.get(ROUNDS_MARKED, ""))
    if marked.isdecimal():
        return int(marked)
    return 0 if run.metadata.get(ROUNDS_SHARE) else len(rounds_of(run))


def _last(run: Run, name: str) -> float:
    """Return the last value of a property that could be read; NaN without one."""
    values = run.series(name) if name in run.column_of else np.empty(0)
    read = values[~np.isnan(values)]
    return float(read[-1]) if len(read) else float("nan")


_MARK = Advice('let the program mark its rounds: Class.forName("buto.Round").getMethod("end").invoke(null)')


def _too_few(run: Run, by: RoundsBy, n_counted: int) -> JudgeError:
    test = run.test.removesuffix(name_aside("", Action.GROW))
    why = run.nan_reasons.get("jvm.memory.heap.live") if not n_counted else None
    reason = f"; live objects: {why}" if why else ""
    advice = {
        RoundsBy.PROGRAM: Advice(f"let the program work for {ROUNDS} rounds"),
        RoundsBy.LOAD: Advice(Step(Action.GROW, test), f" --workload --rounds {ROUNDS}"),
        RoundsBy.WORK: Advice(f"let it do {_how_much_more(run)}, or ", _MARK),
    }[by]
    meanwhile = f" while it allocates {format_bytes(_last(run, _ALLOCATED))}" if by is RoundsBy.WORK else ""
    return JudgeError(
        f"{test}: {format_count(n_counted, 'round')} could be counted{meanwhile}, and fewer than "
        f"{FEWEST_ROUNDS} tell nothing{reason}",
        advice=advice,
    )
