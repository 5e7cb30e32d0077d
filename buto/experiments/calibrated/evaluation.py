"""How good the calibrated oracle is: on runs that were recorded after its last change, and on no others.

The method was chosen on the runs before FROZEN, and on other runs whose account gave it its first form;
everything here is about the runs since. Runs are divided at random several times, into training runs and
others; the same divisions serve all rules, the thesis's best one among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from buto.analysis.evidence import significance
from buto.detectors.bounds.detector import BoundsDetector
from buto.detectors.bounds.settings import THESIS
from buto.detectors.calibrated.detector import CalibratedDetector, FittedCalibrated
from buto.detectors.calibrated.settings import CALIBRATED
from buto.errors import JudgeError
from buto.experiments.dataset.archive import started
from buto.experiments.design import EXPERIMENTS, PROGRAMS, SUBTLE, Experiment
from buto.experiments.scores import FN, FP, TN, TP
from buto.experiments.thesis.evaluation import Watch
from buto.experiments.workers import in_parallel
from buto.runs import FloatArray, Run, RunSet
from buto.verdicts import Status

FROZEN = datetime(2026, 11, 21, 3, 33, tzinfo=UTC)
"""No constant and no step from runs to a p-value has changed since; runs from before chose it. What makes a
check inconclusive has: alarms are counted here by the p-value alone."""

CONFIRMED = 3
"""Runs that are judged together where the first one stood out."""

TRIPLES = 5
"""Of each subtle variant in each division."""

FEWEST = 5
"""Training runs of the smallest rule."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is judged.

    Attributes:
        divisions: of all runs into training runs and others.
        judged: runs of either kind that one experiment judges in one division, at most.
    """

    divisions: int = 10
    judged: int = 10


WHOLE = Size()

Counts = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to judge.

    Attributes:
        n_training: how many runs train.
        alpha: None for the thesis's best rule, which has none.
        confirmed: whether a first run that stands out is followed by two more, and the three decide.
    """

    n_training: int
    alpha: float | None = None
    confirmed: bool = False

    def __str__(self) -> str:
        if self.alpha is None:
            return f"thesis, n = {self.n_training}"
        runs = "confirmed" if self.confirmed else "one run"
        return f"n = {self.n_training}, alpha = {self.alpha:g}, {runs}"


RULES = tuple(
    rule
    for n in (5, 10, 20)
    for rule in (
        *(Rule(n, alpha, confirmed) for alpha in (0.05, 0.01) for confirmed in (False, True)),
        Rule(n),
    )
)
SUBTLE_RULE = Rule(20, 0.01)
"""Three runs are judged at once."""


@dataclass(frozen=True, eq=False, slots=True)
class Judgements:
    """What rules said of runs, counted for each run.

    Attributes:
        variants: shape (n_runs,), of which variant each run is.
        experiments: by rule, shape (n_runs, 4), over all thirty-two experiments.
        unchanged: by rule, the same for runs of the training variant alone, each variant counted once.
        subtle: by experiment of :data:`SUBTLE`, one row for each three runs: their numbers, and whether
            they were told from the training runs; shape (n_triples, 4).
        oversight: by rule and experiment, how many of the judged changed runs passed.
    """

    variants: np.ndarray[tuple[int], np.dtype[np.str_]]
    experiments: Mapping[Rule, Counts]
    unchanged: Mapping[Rule, Counts]
    subtle: Mapping[Experiment, Counts]


@dataclass(frozen=True, slots=True)
class Division:
    """One division of all runs of a program, the part of the work that is done at once."""

    program: str
    number: int
    judged: int


def evaluate(
    runs: Mapping[str, RunSet],
    *,
    seed: int,
    size: Size = WHOLE,
    workers: int = 1,
    watch: Watch = lambda done, parts: None,
) -> Judgements:
    """All judgements of one host; for one seed always the same, however many processes share the work.

    Args:
        runs: by variant. Those from before FROZEN may not be among them.

    Raises:
        ValueError: a run from before FROZEN.
        JudgeError: no variant has enough runs.
    """
    early = [run.id for of_variant in runs.values() for run in of_variant if started(run) < FROZEN]
    if early:
        raise ValueError(f"{len(early)} runs were there when the method was chosen, {early[0]} among them")
    usable = {name: of_variant.valid() for name, of_variant in runs.items()}
    tasks = [
        _Task(Division(program, number, size.judged), _of_program(program, usable), seed)
        for program in PROGRAMS
        for number in range(size.divisions)
    ]
    tasks = [task for task in tasks if any(len(ours) > FEWEST for ours in task.runs.values())]
    if not tasks:
        raise JudgeError(
            f"no variant has more than {FEWEST} usable runs since {FROZEN:%Y-%m-%d %H:%M}",
            advice="record new ones: buto experiments generate --help",
        )
    parts = []
    for done, part in enumerate(in_parallel(_judged, tasks, workers), start=1):
        parts.append(part)
        watch(done, len(tasks))
    return together(parts)


@dataclass(frozen=True, eq=False, slots=True)
class _Task:
    division: Division
    runs: Mapping[str, RunSet]
    seed: int


def _of_program(program: str, runs: Mapping[str, RunSet]) -> dict[str, RunSet]:
    names = [*PROGRAMS[program], *(one.negative for one in SUBTLE if one.program == program)]
    return {name: runs[name] for name in names if name in runs}


def _judged(task: _Task) -> Judgements:
    return judge(task.division, task.runs, task.seed)


def judge(division: Division, runs: Mapping[str, RunSet], seed: int) -> Judgements:
    """Judge one division of one program's runs by all rules.

    Args:
        runs: by variant, usable ones of that program alone.
    """
    pool = _Pool({name: of_variant.runs for name, of_variant in runs.items()})
    result = _Tally(pool)
    random = np.random.default_rng([seed, division.number])
    order = {name: random.permutation(len(pool.runs[name])) for name in pool.runs}
    for n in sorted({rule.n_training for rule in RULES}):
        for name in PROGRAMS[division.program]:
            if name in pool.runs and len(pool.runs[name]) > n:
                _judge_variant(name, n, order, pool, result, random, division.judged)
    return result.judgements()


def together(parts: Sequence[Judgements]) -> Judgements:
    """The judgements of several divisions; runs of unlike programs behind one another."""
    by_program: dict[tuple[str, ...], list[Judgements]] = {}
    for part in parts:
        by_program.setdefault(tuple(part.variants.tolist()), []).append(part)
    groups = list(by_program.values())

    def stacked(field: str) -> dict[Rule, Counts]:
        return {
            rule: np.vstack([sum(getattr(part, field)[rule] for part in group) for group in groups])
            for rule in RULES
        }

    subtle: dict[Experiment, list[Counts]] = {}
    for part in parts:
        for experiment, rows in part.subtle.items():
            subtle.setdefault(experiment, []).append(rows)
    return Judgements(
        np.concatenate([group[0].variants for group in groups]),
        stacked("experiments"),
        stacked("unchanged"),
        {experiment: np.vstack(rows) for experiment, rows in subtle.items()},
    )


class _Pool:
    """The runs of one program, numbered through."""

    def __init__(self, runs: Mapping[str, Sequence[Run]]) -> None:
        self.runs = runs
        self.variants = np.array([name for name, ours in runs.items() for _ in ours])
        counts = np.cumsum([0, *map(len, runs.values())])
        self.first = dict(zip(runs, counts.tolist(), strict=False))


class _Tally:
    def __init__(self, pool: _Pool) -> None:
        self._pool = pool
        shape = (len(pool.variants), 4)
        self.experiments = {rule: np.zeros(shape, np.int64) for rule in RULES}
        self.unchanged = {rule: np.zeros(shape, np.int64) for rule in RULES}
        self.subtle: dict[Experiment, list[list[int]]] = {}

    def judgements(self) -> Judgements:
        subtle = {one: np.array(rows, np.int64).reshape(-1, 4) for one, rows in self.subtle.items()}
        return Judgements(self._pool.variants, self.experiments, self.unchanged, subtle)


class _Learned:
    """What one training set taught to the two detectors, and features of the runs that it is asked about."""

    def __init__(self, training: Sequence[Run]) -> None:
        known = RunSet(tuple(training))
        self.fitted: FittedCalibrated = CalibratedDetector(CALIBRATED).fit(known)
        self._bounds = BoundsDetector(THESIS).fit(RunSet(tuple(map(_silent, training))))
        self._scores: dict[tuple[str, ...], FloatArray] = {}

    def accepts(self, rule: Rule, run: Run, more: Sequence[Run]) -> bool:
        """Whether a run passes; ``more`` are those that are there to confirm what stands out."""
        if rule.alpha is None:
            return self._bounds.check(RunSet((_silent(run),))).status is Status.PASS
        score = self._score(run)
        found = significance(score, 1, rule.alpha)
        if not rule.confirmed:
            return found.p_value > rule.alpha
        if not found.highest and found.p_value > rule.alpha:
            return True
        return self.p_value((run, *more), rule.alpha) > rule.alpha

    def p_value(self, runs: Sequence[Run], alpha: float) -> float:
        return significance(self._score(*runs), len(runs), alpha).p_value

    def _score(self, *runs: Run) -> FloatArray:
        key = tuple(run.id for run in runs)
        if key not in self._scores:
            self._scores[key] = self.fitted.evidence(RunSet(runs)).score
        return self._scores[key]


def _silent(run: Run) -> Run:
    """Without notifications, which the thesis judges apart: no two runs here emit the same ones."""
    return replace(run, notifications=())


def _judge_variant(
    name: str,
    n: int,
    order: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int64]]],
    pool: _Pool,
    result: _Tally,
    random: np.random.Generator,
    judged: int,
) -> None:
    learned = _Learned([pool.runs[name][number] for number in order[name][:n]])
    rules = [rule for rule in RULES if rule.n_training == n]
    experiments = [one for one in EXPERIMENTS if one.training == name and one.negative in pool.runs]
    kinds = [(name, order[name][n:], True, max(1, len(experiments)))]
    kinds += [(one.negative, order[one.negative], False, 1) for one in experiments]
    for variant, numbers, unchanged, times in kinds:
        for number in numbers[:judged]:
            others = [other for other in numbers if other != number]
            more = random.permutation(others)[: CONFIRMED - 1]
            for rule in rules:
                if rule.confirmed and len(more) < CONFIRMED - 1:
                    continue
                accepted = learned.accepts(
                    rule, pool.runs[variant][number], [pool.runs[variant][one] for one in more]
                )
                place = pool.first[variant] + int(number)
                kind = (TP if accepted else FN) if unchanged else (FP if accepted else TN)
                if experiments:
                    result.experiments[rule][place, kind] += times
                if unchanged:
                    result.unchanged[rule][place, kind] += 1
    if n == SUBTLE_RULE.n_training:
        _judge_subtle(name, learned, pool, result, random)


def _judge_subtle(
    name: str, learned: _Learned, pool: _Pool, result: _Tally, random: np.random.Generator
) -> None:
    alpha = SUBTLE_RULE.alpha
    for experiment in SUBTLE:
        if experiment.training != name or experiment.negative not in pool.runs or alpha is None:
            continue
        ours = pool.runs[experiment.negative]
        for _ in range(TRIPLES):
            three = random.permutation(len(ours))[:CONFIRMED]
            found = learned.p_value([ours[number] for number in three], alpha) <= alpha
            result.subtle.setdefault(experiment, []).append([*map(int, three), int(found)])
