"""The rules that are compared, the runs that they may be measured on, and what they decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from buto.experiments.design import Experiment

FROZEN = datetime(2026, 11, 21, 3, 33, tzinfo=UTC)
"""The method was chosen on runs from before this time. Since then, no constant and no step from runs to a
p-value has changed. The conditions that make a check inconclusive have changed, so alarms are counted by
p-value alone."""

N_CONFIRMED = 3
"""Runs that are judged together if the first one is an outlier."""

N_TRIPLES = 5
"""Groups of three runs that are drawn from each subtle variant in each division."""

FEWEST_TRAINING = 5
"""Training runs of the smallest rule."""

Counts = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is judged.

    Attributes:
        divisions: how often all runs are divided into training runs and others.
        judged: largest number of runs of either kind that one experiment judges in one division.
    """

    divisions: int = 10
    judged: int = 10


FULL_SIZE = Size()


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to judge.

    Attributes:
        n_training: number of training runs.
        alpha: accepted share of false alarms; None for the thesis's best rule, which has none.
        confirmed: whether two more runs follow a first run that is an outlier, and the three decide together.
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
"""The rule for subtle variants; it judges three runs at once."""


@dataclass(frozen=True, eq=False, slots=True)
class Judgements:
    """The decisions of all rules, counted for each run.

    Attributes:
        variants: shape (n_runs,), the variant of each run.
        experiments: by rule, shape (n_runs, 4), over all thirty-two experiments.
        unchanged: by rule, the same for runs of the training variant alone, each variant counted once.
        subtle: by experiment of :data:`buto.experiments.design.SUBTLE`, shape (n_triples, 4): the numbers of
            three runs, and whether the rule detected that they differ from the training runs.
    """

    variants: np.ndarray[tuple[int], np.dtype[np.str_]]
    experiments: Mapping[Rule, Counts]
    unchanged: Mapping[Rule, Counts]
    subtle: Mapping[Experiment, Counts]


def combine(parts: Sequence[Judgements]) -> Judgements:
    """Return the judgements of several divisions as one; programs follow one another."""
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
