"""Judge one division of one program's runs by all rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.analysis.evidence import significance
from buto.detectors.bounds.detector import BoundsDetector
from buto.detectors.bounds.settings import THESIS
from buto.detectors.calibrated.detector import CalibratedDetector, FittedCalibrated
from buto.detectors.calibrated.settings import CALIBRATED
from buto.experiments.calibrated.rules import N_CONFIRMED, N_TRIPLES, RULES, SUBTLE_RULE, Judgements, Rule
from buto.experiments.design import EXPERIMENTS, PROGRAMS, SUBTLE, Experiment
from buto.experiments.scores import FN, FP, TN, TP
from buto.runs import FloatArray, Run, RunSet
from buto.verdicts import Status


@dataclass(frozen=True, slots=True)
class Division:
    """One division of all runs of a program: the part of the work that is done at once.

    Attributes:
        number: of the division; together with the seed it decides which runs train.
        judged: see :class:`buto.experiments.calibrated.rules.Size`.
    """

    program: str
    number: int
    judged: int


def judge(division: Division, runs: Mapping[str, RunSet], seed: int) -> Judgements:
    """Judge one division of one program's runs by all rules.

    Args:
        runs: by variant, only usable runs of that program.
    """
    pool = _Pool({name: of_variant.runs for name, of_variant in runs.items()})
    counter = _Counter(pool)
    random = np.random.default_rng([seed, division.number])
    order = {name: random.permutation(len(pool.runs[name])) for name in pool.runs}
    for n in sorted({rule.n_training for rule in RULES}):
        for name in PROGRAMS[division.program]:
            if name in pool.runs and len(pool.runs[name]) > n:
                _judge_variant(name, n, order, pool, counter, random, division.judged)
    return counter.judgements()


class _Pool:
    """The runs of one program, with a number for each.

    Attributes:
        variants: shape (n_runs,), the variant of each run.
        first: by variant, the number of its first run.
    """

    def __init__(self, runs: Mapping[str, Sequence[Run]]) -> None:
        self.runs = runs
        self.variants = np.array([name for name, ours in runs.items() for _ in ours])
        counts = np.cumsum([0, *map(len, runs.values())])
        self.first = dict(zip(runs, counts.tolist(), strict=False))


class _Counter:
    """Counts decisions, see :class:`Judgements`."""

    def __init__(self, pool: _Pool) -> None:
        self._pool = pool
        shape = (len(pool.variants), 4)
        self.experiments = {rule: np.zeros(shape, np.int64) for rule in RULES}
        self.unchanged = {rule: np.zeros(shape, np.int64) for rule in RULES}
        self.subtle: dict[Experiment, list[list[int]]] = {}

    def judgements(self) -> Judgements:
        subtle = {one: np.array(rows, np.int64).reshape(-1, 4) for one, rows in self.subtle.items()}
        return Judgements(self._pool.variants, self.experiments, self.unchanged, subtle)


class _TrainedDetectors:
    """Both detectors, trained with the same runs; scores of runs are computed once."""

    def __init__(self, training: Sequence[Run]) -> None:
        known = RunSet(tuple(training))
        self.fitted: FittedCalibrated = CalibratedDetector(CALIBRATED).fit(known)
        self._bounds = BoundsDetector(THESIS).fit(RunSet(tuple(map(_without_notifications, training))))
        self._scores: dict[tuple[str, ...], FloatArray] = {}

    def accepts(self, rule: Rule, run: Run, more: Sequence[Run]) -> bool:
        """Return whether a run passes; ``more`` are the runs that confirm an outlier."""
        if rule.alpha is None:
            return self._bounds.check(RunSet((_without_notifications(run),))).status is Status.PASS
        score = self._score(run)
        found = significance(score, 1, rule.alpha)
        if not rule.confirmed:
            return found.p_value > rule.alpha
        if not found.highest and found.p_value > rule.alpha:
            return True
        return self.p_value((run, *more), rule.alpha) > rule.alpha

    def p_value(self, runs: Sequence[Run], alpha: float) -> float:
        """Return the p-value of runs that are judged together."""
        return significance(self._score(*runs), len(runs), alpha).p_value

    def _score(self, *runs: Run) -> FloatArray:
        key = tuple(run.id for run in runs)
        if key not in self._scores:
            self._scores[key] = self.fitted.evidence(RunSet(runs)).score
        return self._scores[key]


def _without_notifications(run: Run) -> Run:
    """Return the run without notifications.

    The thesis judges them apart, as no two runs emit the same ones.
    """
    return replace(run, notifications=())


def _judge_variant(
    name: str,
    n: int,
    order: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int64]]],
    pool: _Pool,
    counter: _Counter,
    random: np.random.Generator,
    judged: int,
) -> None:
    """Train with the first ``n`` runs of a variant and judge its other runs and those of other variants."""
    detectors = _TrainedDetectors([pool.runs[name][number] for number in order[name][:n]])
    rules = [rule for rule in RULES if rule.n_training == n]
    experiments = [one for one in EXPERIMENTS if one.training == name and one.negative in pool.runs]
    kinds = [(name, order[name][n:], True, max(1, len(experiments)))]
    kinds += [(one.negative, order[one.negative], False, 1) for one in experiments]
    for variant, numbers, unchanged, times in kinds:
        for number in numbers[:judged]:
            others = [other for other in numbers if other != number]
            more = random.permutation(others)[: N_CONFIRMED - 1]
            for rule in rules:
                if rule.confirmed and len(more) < N_CONFIRMED - 1:
                    continue
                accepted = detectors.accepts(
                    rule, pool.runs[variant][number], [pool.runs[variant][one] for one in more]
                )
                place = pool.first[variant] + int(number)
                kind = (TP if accepted else FN) if unchanged else (FP if accepted else TN)
                if experiments:
                    counter.experiments[rule][place, kind] += times
                if unchanged:
                    counter.unchanged[rule][place, kind] += 1
    if n == SUBTLE_RULE.n_training:
        _judge_subtle(name, detectors, pool, counter, random)


def _judge_subtle(
    name: str, detectors: _TrainedDetectors, pool: _Pool, counter: _Counter, random: np.random.Generator
) -> None:
    alpha = SUBTLE_RULE.alpha
    for experiment in SUBTLE:
        if experiment.training != name or experiment.negative not in pool.runs or alpha is None:
            continue
        ours = pool.runs[experiment.negative]
        for _ in range(N_TRIPLES):
            three = random.permutation(len(ours))[:N_CONFIRMED]
            found = detectors.p_value([ours[number] for number in three], alpha) <= alpha
            counter.subtle.setdefault(experiment, []).append([*map(int, three), int(found)])
