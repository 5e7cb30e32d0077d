"""The parts of the ensemble taken away one by one, and plain rivals, on the same runs.

All of them flag counters, so that all have the same score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from buto.judging.settings import Settings
from buto_replications.detectors.ensemble.rules import Ensemble, PriorTest, only
from buto_replications.detectors.ensemble.settings import (
    CONSISTENT,
    DEVIATIONS,
    FEWEST,
    FOO,
    MACHINES,
    RANGES,
    RESOLUTION,
)
from buto_replications.ensembles.methods import UNLIKE, Case, FlaggedCounters, PriorTests, flagged
from buto_replications.rivals import SHARE, away, levels

EVERYTHING = "everything"
ENVELOPE = "envelope ± 10 %"
PERCENTAGE = "mean ± 30 %"
BARE = "bare paper, stacking"

_NO_RULES = 10**9
"""More intervals than all prior tests together have."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """The ensemble without some of its parts.

    Attributes:
        changes: to its settings.
        one_model: whether one model is learned of all prior tests as one, without votes.
        pooled: whether the ranges of all prior tests, with their margins, are made one, without votes.
        stacking: whether votes depend on environments.
        work: whether growth is scaled to the usual work.
    """

    changes: Mapping[str, object]
    one_model: bool = False
    pooled: bool = False
    stacking: bool = True
    work: bool = True
    base: Settings = UNLIKE

    def flagged(self, case: Case) -> FlaggedCounters:
        settings = replace(self.base, values={**self.base.values, **self.changes})
        work = case.work if self.work else None
        tests = PriorTests(case, work, settings)
        model = tests.of_all() if self.one_model else tests.of_each()
        if self.pooled:
            model = _pool(model)
        stacking = self.stacking and not (self.one_model or self.pooled)
        return tests.flagged(model, stacking=stacking)


_PAPER = {RESOLUTION: 0.0, RANGES: False, CONSISTENT: False}
_NO_MARGINS = {DEVIATIONS: 0.0, MACHINES: False}

ABLATIONS: Mapping[str, Ablation] = {
    EVERYTHING: Ablation({}),
    "without environments (bagging)": Ablation({}, stacking=False),
    "without votes, margins kept": Ablation({}, pooled=True),
    "without margins of 4 deviations": Ablation({DEVIATIONS: 0.0}),
    "without the factor of the machine": Ablation({MACHINES: False}),
    "without margins of 10 %": Ablation({RESOLUTION: 0.0}),
    "without scaling to the work": Ablation({}, work=False),
    "without rules": Ablation({FEWEST: _NO_RULES}),
    "without ranges, with short rules": Ablation({RANGES: False, FEWEST: 1}),
    "with ranges and short rules": Ablation({FEWEST: 1}),
    ENVELOPE: Ablation({**_NO_MARGINS, FEWEST: _NO_RULES}, one_model=True),
    f"{ENVELOPE}, not scaled": Ablation({**_NO_MARGINS, FEWEST: _NO_RULES}, one_model=True, work=False),
    "bare paper, one model": Ablation(_PAPER, one_model=True, stacking=False, work=False, base=FOO),
    "bare paper, bagging": Ablation(_PAPER, stacking=False, work=False, base=FOO),
    BARE: Ablation(_PAPER, work=False, base=FOO),
}
"""By title. In a run of a minute no rule holds in 29 intervals, so ``everything`` has ranges alone; a run of
six minutes has 720 intervals of half a second."""

TITLES = (*ABLATIONS, PERCENTAGE)


def ablated(case: Case) -> dict[str, FlaggedCounters]:
    """Return what the ensemble flags without some of its parts, and what a typed percentage flags."""
    flags = {title: ablation.flagged(case) for title, ablation in ABLATIONS.items()}
    flags[PERCENTAGE] = by_percentage(case)
    return flags


def _pool(model: Ensemble) -> Ensemble:
    """Return the ranges of all prior tests as one prior test without rules."""
    none = only(model.tests[0].rules, np.zeros(len(model.tests[0].rules.consequents), dtype=bool))
    lowest = np.min([test.lowest for test in model.tests], axis=0)
    highest = np.max([test.highest for test in model.tests], axis=0)
    return Ensemble(model.bins, (PriorTest("all", {}, none, lowest, highest),), model.machines)


def by_percentage(case: Case) -> FlaggedCounters:
    """Return the counters whose level is further than a share from the mean of the prior tests."""
    before, new = (levels(runs, case.properties, case.work) for runs in (case.prior, [case.new]))
    return flagged(case.properties, away(before, new)[0] > SHARE)
