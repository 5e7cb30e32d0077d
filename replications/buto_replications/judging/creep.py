"""Many small changes over builds, and few large ones: by the rules of checks, monitor and release.

Runs of a program are those of all cells of the benchmark with one JDK, quiet and beside a load, in a drawn
order: ten train, and no run is launched twice within one check. What a build adds is planted into the
features of allocated bytes; a regression of a pair is its new release.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np
from msgspec import structs

from buto.judging.alarms import IMPROBABLE
from buto.judging.binomial import largest_rate
from buto.judging.detector import FittedCalibrated
from buto.judging.effects import smallest_effects
from buto.judging.judge_settings import CALIBRATED
from buto.judging.monitor import Build, BuildSeries, OverBuilds, look
from buto.judging.procedure import N_CHECKED, N_TURNS, Procedure
from buto.judging.profile import TrainingProfile
from buto.judging.selfknowledge.simulation import Stored, Trace, simulate
from buto.judging.selfknowledge.strength import shares
from buto.run.model import FloatArray, Run, RunSet
from buto_replications.judging.checks import N_TRAINING, CachingJudge, Rate, rate
from buto_replications.report.content import TextTable

ALLOCATED = "jvm.memory.allocated"

DRIFT = 0.01
"""What each build adds, as a share of the level in training."""

N_DRIFT = 10

CHANCE = 0.05
"""Of a good build to be followed by one that regresses."""

N_BUILDS = 40
"""Builds in a row of which some regress."""

N_GOOD = 10
"""Good builds before a regression, of which is counted how soon it is found."""

MOST_NEW = 6

FEWEST_OLD = N_TRAINING + N_CHECKED + 2 * N_TURNS
"""Runs of the old program: those that train, and those of one check of it with all turns."""

FEWEST_NEW = N_CHECKED + N_TURNS

CHANGE, INNOCENT, ON_MAIN = "a change of 1 %", "a change of nothing", "on the main branch"
RELEASE, SAME_RELEASE = "ten builds of +1 %", "ten builds of nothing"
FOUND, LAUNCHES = "found", "launches"
ALL = "all"


@dataclass(frozen=True, eq=False, slots=True)
class CreepTask:
    """The runs of one old program, and of the release that regressed.

    Attributes:
        part: what the runs have in common, as their JDK.
        draws: how often the runs are divided at random.
    """

    part: str
    name: str
    old: RunSet
    new: RunSet
    seed: int
    draws: int = 2


@dataclass(frozen=True, slots=True)
class CountedBuild:
    """One observation.

    Attributes:
        case: one of the constants above.
        value: whether a check fails, as a number; of builds on the main branch, which one of them fails
            first, infinite for none; of what is found, the same; of launches, how many there were.
        builds: of launches, in how many builds; else 1.
        regressed: of launches, how many of these builds had a regression.
    """

    case: str
    part: str
    name: str
    value: float
    builds: int = 1
    regressed: int = 0


def observed(task: CreepTask) -> list[CountedBuild]:
    """Return what checks, monitor and releases say of the builds of one program."""
    return list(_observe(task))


def _observe(task: CreepTask) -> Iterator[CountedBuild]:
    random = np.random.default_rng([task.seed, zlib.crc32(f"creep {task.name}@{task.part}".encode())])
    old, new = task.old.runs, task.new.runs
    for _ in range(task.draws):
        order = random.permutation(len(old))
        training = [old[place] for place in order[:N_TRAINING]]
        others = [old[place] for place in order[N_TRAINING:]]
        trained = CachingJudge.by(training)
        program = _Program.of(trained.fitted, [others, list(new)], random)
        plant = _Planted.of(program.profile, trained.fitted.over_builds().series)
        if plant is not None:
            yield from (_as(build, task) for build in _creep(program, plant))
        yield _as(_find(program), task)
        yield _as(_count_launches(program), task)


def _as(build: CountedBuild, task: CreepTask) -> CountedBuild:
    return CountedBuild(build.case, task.part, task.name, build.value, build.builds, build.regressed)


@dataclass(frozen=True, eq=False, slots=True)
class _Planted:
    """What one build adds.

    Attributes:
        gain: shape (n_features,).
        total: shape (n_quantities,), to what the monitor compares.
    """

    gain: FloatArray
    total: FloatArray

    @classmethod
    def of(cls, profile: TrainingProfile, series: BuildSeries) -> _Planted | None:
        """Return what a hundredth of allocated bytes adds; None if ten of them are below their size."""
        names = [quantity.name for quantity in profile.quantities]
        compared = [quantity.name for quantity in series.quantities]
        if ALLOCATED not in names or ALLOCATED not in compared:
            return None
        number = names.index(ALLOCATED)
        amounts = profile.amounts(np.nan_to_num(profile.values))
        size = DRIFT * float(amounts[number])
        if N_DRIFT * size < smallest_effects(profile.quantities, amounts, {})[number]:
            return None
        columns = np.array([feature.column for feature in profile.catalogue])
        total = np.zeros(len(compared))
        total[compared.index(ALLOCATED)] = size
        return cls(np.where(columns == number, shares(profile) * size, 0.0), total)


@dataclass(frozen=True, eq=False, slots=True)
class _Program:
    """A program that was trained, with runs to draw from.

    Attributes:
        old, new: rows of the profile's features, shape (n_runs, n_features).
        old_totals, new_totals: what the monitor compares, of the same runs, shape (n_runs, n_quantities).
    """

    profile: TrainingProfile
    over: OverBuilds
    random: np.random.Generator
    old: FloatArray
    new: FloatArray
    old_totals: FloatArray
    new_totals: FloatArray

    @classmethod
    def of(
        cls, fitted: FittedCalibrated, sides: Sequence[Sequence[Run]], random: np.random.Generator
    ) -> _Program:
        profile = fitted.profile.hearing([run for side in sides for run in side])
        over = fitted.over_builds()
        rows = [np.array([profile.measure(run) for run in side]) for side in sides]
        totals = [np.array([over.measure(run) for run in side]) for side in sides]
        return cls(profile, over, random, *rows, *totals)

    def series(self) -> BuildSeries:
        return self.over.series

    def check(
        self,
        new: FloatArray,
        first: int,
        old: FloatArray,
        *,
        is_same: bool,
        is_alarmed: bool = False,
        is_release: bool = False,
    ) -> Trace:
        """Return what a check of a program launches and says.

        Args:
            new: rows of the program under check.
            first: which of them is launched first.
            old: rows of the program that turns launch as the old one.
            is_same: whether both are of the same launches, each of which is then launched once.
        """
        ours = self.random.permutation(np.delete(np.arange(len(new)), first))
        theirs = ours[N_CHECKED - 1 + N_TURNS :] if is_same else self.random.permutation(len(old))
        checked = new[[first, *ours[: N_CHECKED - 1]]]
        stored = Stored(
            self.profile,
            self.profile.values,
            checked,
            old[theirs[:N_TURNS]],
            new[ours[N_CHECKED - 1 : N_CHECKED - 1 + N_TURNS]],
            seed=int(self.random.integers(2**32)),
            is_alarmed=is_alarmed,
        )
        return simulate(Procedure(CALIBRATED.alpha, always_turns=is_release), CALIBRATED, stored)


def _creep(program: _Program, plant: _Planted) -> Iterator[CountedBuild]:
    """Yield what is said of ten builds of which each adds a hundredth, and of a release after them."""
    rows, random, series = program.old, program.random, program.series()
    firsts = random.permutation(len(rows))[:N_DRIFT]
    fails_on_main = inf
    for number, first in enumerate(firsts.tolist(), 1):
        level, before = rows + number * plant.gain, rows + (number - 1) * plant.gain
        for case, base in ((CHANGE, before), (INNOCENT, level)):
            trace = program.check(level, first, base, is_same=True)
            yield CountedBuild(case, "", "", float(trace.fails))
        if fails_on_main == inf:
            series = _after(series, program.old_totals[first] + number * plant.total)
            trace = program.check(level, first, rows, is_same=True, is_alarmed=look(series) is not None)
            fails_on_main = number if trace.fails else inf
    yield CountedBuild(ON_MAIN, "", "", fails_on_main)
    for case, level in ((RELEASE, rows + N_DRIFT * plant.gain), (SAME_RELEASE, rows)):
        trace = program.check(level, int(firsts[-1]), rows, is_same=True, is_release=True)
        yield CountedBuild(case, "", "", float(trace.fails))


def _after(series: BuildSeries, totals: FloatArray) -> BuildSeries:
    key = str(len(series.builds))
    return structs.replace(series, builds=(*series.builds, Build(key, key, totals)))


def _find(program: _Program) -> CountedBuild:
    """Return at which build of a regression, after good ones, a check or the turns of an alarm fail."""
    random, series = program.random, program.series()
    for first in random.permutation(len(program.old))[:N_GOOD].tolist():
        series = _after(series, program.old_totals[first])
    for number, first in enumerate(random.permutation(len(program.new))[:MOST_NEW].tolist(), 1):
        series = _after(series, program.new_totals[first])
        is_alarmed = look(series) is not None
        trace = program.check(program.new, first, program.old, is_same=False, is_alarmed=is_alarmed)
        if trace.fails:
            return CountedBuild(FOUND, "", "", number)
    return CountedBuild(FOUND, "", "", inf)


def _count_launches(program: _Program) -> CountedBuild:
    """Return how many launches builds in a row take, of which some regress; one that is found is reverted.

    As a product's store has it, builds that turns confirmed to differ are no reference of later ones, and an
    alarm that turns cleared begins the series anew.
    """
    random, series = program.random, program.series()
    drawn = [_draw_endlessly(random, len(rows)) for rows in (program.old, program.new)]
    launches, regressed, is_bad = 0, 0, False
    for _ in range(N_BUILDS):
        is_bad = is_bad or bool(random.random() < CHANCE)
        regressed += is_bad
        rows, totals = (program.new, program.new_totals) if is_bad else (program.old, program.old_totals)
        first = next(drawn[is_bad])
        series = _after(series, totals[first])
        alarm = look(series)
        trace = program.check(rows, first, program.old, is_same=not is_bad, is_alarmed=alarm is not None)
        launches += trace.n_launches
        if alarm is not None and trace.fails:
            series = series.without(alarm.since.key, alarm.last)
        elif alarm is not None and trace.reaches_turns:
            turns = totals[random.permutation(len(totals))[:N_TURNS]]
            series = series.clear(alarm.first, alarm.last, turns)
        is_bad = is_bad and not trace.fails
    return CountedBuild(LAUNCHES, "", "", launches, N_BUILDS, regressed)


def _draw_endlessly(random: np.random.Generator, n: int) -> Iterator[int]:
    """Yield places of runs, each once before any of them comes again."""
    while True:
        yield from random.permutation(n).tolist()


def tables(counted: Sequence[CountedBuild]) -> list[TextTable]:
    """Return what fails of many small changes, how soon a regression is found, and launches."""
    return [_small(counted), _soon(counted), _launches(counted)]


_ASKED = {
    CHANGE: "checks of a change against its base that fail",
    INNOCENT: "checks of nothing against its base that fail",
    RELEASE: "releases that fail",
    SAME_RELEASE: "releases that fail",
}


def _small(counted: Sequence[CountedBuild]) -> TextTable:
    rows = []
    for case, asked in _ASKED.items():
        for part in _parts(counted, case):
            ours = _of(counted, case, part)
            fails = int(sum(build.value for build in ours))
            upper = largest_rate(fails, len(ours), IMPROBABLE)
            share = rate((build.name, build.value > 0) for build in ours)
            cells = (str(len({build.name for build in ours})), str(len(ours)), str(fails))
            rows.append((case, asked, part, *cells, _percent(share), f"{100 * upper:.1f}"))
    heads = ("builds", "what is counted", "runs", "programs", "number", "fail", "%", "at most, %")
    caption = f"{DRIFT:.0%} more allocated with each of {N_DRIFT} builds: checks and releases that fail"
    note = "%: errors by program; at most: the upper end of the 95 % interval if all are independent"
    return TextTable(caption, heads, tuple(rows), left=3, notes=(note,))


def _soon(counted: Sequence[CountedBuild]) -> TextTable:
    rows = []
    for case, levels in ((ON_MAIN, (4, 6, 8, 10)), (FOUND, (1, 2, 4, MOST_NEW))):
        for part in _parts(counted, case):
            ours = _of(counted, case, part)
            shares = [_percent(rate((build.name, build.value <= n) for build in ours)) for n in levels]
            names = sorted({build.name for build in ours if build.value > levels[-1]})
            cells = [f"{n}: {share}" for n, share in zip(levels, shares, strict=True)]
            rows.append((_SOON[case], part, str(len(ours)), *cells, ", ".join(names)))
    heads = ("what", "runs", "draws", "within builds", "", "", "", "missed in some draw")
    return TextTable("How soon checks and monitor together fail, % of draws", heads, tuple(rows), left=2)


_SOON = {ON_MAIN: f"{DRIFT:.0%} a build, on the main branch", FOUND: "a regression of a pair set apart"}


def _launches(counted: Sequence[CountedBuild]) -> TextTable:
    rows = []
    for part in _parts(counted, LAUNCHES):
        ours = _of(counted, LAUNCHES, part)
        builds, regressed = sum(build.builds for build in ours), sum(build.regressed for build in ours)
        by_program = [
            np.mean([build.value / build.builds for build in ours if build.name == name])
            for name in {build.name for build in ours}
        ]
        error = float(np.std(by_program, ddof=1) / np.sqrt(len(by_program))) if len(by_program) > 1 else nan
        mean = sum(build.value for build in ours) / builds
        rows.append((part, str(builds), f"{regressed / builds:.1%}", f"{mean:.2f} ± {error:.2f}"))
    caption = f"Launches a build, where {CHANCE:.0%} of the builds begin a regression of a pair set apart"
    return TextTable(caption, ("runs", "builds", "have one", "launches a build"), tuple(rows))


def _of(counted: Sequence[CountedBuild], case: str, part: str) -> list[CountedBuild]:
    return [build for build in counted if build.case == case and part in (build.part, ALL)]


def _parts(counted: Sequence[CountedBuild], case: str) -> list[str]:
    parts = list(dict.fromkeys(build.part for build in counted if build.case == case))
    return [*parts, ALL] if len(parts) > 1 else parts


def _percent(share: Rate) -> str:
    return f"{100 * share.value:.1f} ± {100 * share.error:.1f}"
