"""Figures from the judgements of the calibrated oracle, each beside its goal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from buto.experiments.calibrated.rules import SUBTLE_RULE, Counts, Judgements, Rule
from buto.experiments.design import SUBTLE
from buto.experiments.scores import ACCURACY, FN, FP, MCC, TN, TP, standard_error

MCC_AT_10, MCC_AT_5 = 0.98, 0.93
FALSE_ALARMS_CONFIRMED = 0.005
SUBTLE_DETECTION = 0.6
ERRORS = 2.0
"""How many standard errors a rate may lie above its nominal value."""


@dataclass(frozen=True, slots=True)
class Line:
    """One figure.

    Attributes:
        what: what the figure measures, in words.
        value: NaN if too few runs were recorded to measure it.
        error: standard error, clustered by run.
        goal: in words; empty if there is none.
        reached: None without a goal or a value.
        counts: the judgements behind the figure, in words.
    """

    what: str
    value: float
    error: float
    goal: str = ""
    reached: bool | None = None
    counts: str = ""


def lines(judgements: Judgements) -> list[Line]:
    """Return all figures of one host."""
    return [*_experiments(judgements), *_false_alarms(judgements), *_subtle(judgements)]


def _experiments(judgements: Judgements) -> Iterator[Line]:
    goals = {Rule(10, 0.01, confirmed=True): MCC_AT_10, Rule(5, 0.05): MCC_AT_5}
    for rule, by_run in judgements.experiments.items():
        counts = by_run.sum(axis=0)
        value = float(MCC.value(counts)) if counts.sum() else nan
        goal = goals.get(rule)
        yield Line(
            f"MCC over 32 experiments: {rule}",
            value,
            standard_error(MCC, by_run, judgements.variants),
            "" if goal is None else f"at least {goal:g}",
            None if goal is None or isnan(value) else value >= goal,
            _rates(counts),
        )


def _false_alarms(judgements: Judgements) -> Iterator[Line]:
    for rule, by_run in judgements.unchanged.items():
        counts = by_run.sum(axis=0)
        n = int(counts.sum())
        value = float(counts[FN] / n) if n else nan
        error = standard_error(ACCURACY, by_run, judgements.variants)
        goal, reached = _goal(rule, value, error)
        yield Line(f"false alarms, A/A: {rule}", value, error, goal, reached, f"{counts[FN]} of {n} checks")


def _goal(rule: Rule, value: float, error: float) -> tuple[str, bool | None]:
    if rule.alpha is None or rule.n_training < 10:
        return "", None
    if not rule.confirmed:
        within = None if isnan(value) else value <= rule.alpha + ERRORS * error
        return f"{rule.alpha:g}, or at most {ERRORS:g} standard errors above", within
    if rule.alpha == 0.01:
        return f"at most {FALSE_ALARMS_CONFIRMED:g}", None if isnan(
            value
        ) else value <= FALSE_ALARMS_CONFIRMED
    return "", None


def _subtle(judgements: Judgements) -> Iterator[Line]:
    found: list[float] = []
    errors: list[float] = []
    for experiment in SUBTLE:
        rows = judgements.subtle.get(experiment)
        if rows is None or not len(rows):
            continue
        value, error = float(rows[:, -1].mean()), _jackknife(rows)
        yield Line(
            f"{experiment.negative} distinguished from {experiment.training}: {_subtle_rule()}",
            value,
            error,
            counts=f"{rows[:, -1].sum()} of {len(rows)} checks",
        )
        found.append(value)
        errors.append(error)
    if found:
        mean = float(np.mean(found))
        error = float(np.sqrt(np.sum(np.square(errors)))) / len(errors)
        yield Line(
            f"mean over these {len(found)}: {_subtle_rule()}",
            mean,
            error,
            f"at least {SUBTLE_DETECTION:g}",
            mean >= SUBTLE_DETECTION,
        )


def _subtle_rule() -> str:
    return f"n = {SUBTLE_RULE.n_training}, three runs, alpha = {SUBTLE_RULE.alpha:g}"


def _jackknife(rows: Counts) -> float:
    """Return the standard error of the detected share.

    Each run is left out with all triples that it is in.
    """
    runs = np.unique(rows[:, :-1])
    without = [rows[~(rows[:, :-1] == run).any(axis=1), -1] for run in runs]
    shares = np.array([found.mean() for found in without if len(found)])
    return float(np.sqrt((len(shares) - 1) * shares.var())) if len(shares) > 1 else nan


def _rates(counts: Sequence[int] | Counts) -> str:
    tp, fn, tn, fp = (int(counts[kind]) for kind in (TP, FN, TN, FP))
    return f"{fn} of {tp + fn} unchanged failed, {tn} of {tn + fp} changed were detected"
