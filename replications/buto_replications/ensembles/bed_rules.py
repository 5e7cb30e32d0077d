"""What the paper's methods flag in a run of the bed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from buto.judging.calibrated.machine_numbers import Work
from buto.judging.settings import Settings
from buto.run.model import Run
from buto.run.properties import Property
from buto_replications.detectors.ensemble.intervals import intervals_of
from buto_replications.detectors.ensemble.rules import BoolArray, Ensemble, judge, learn
from buto_replications.detectors.ensemble.settings import (
    DEVIATIONS,
    ENVIRONMENT,
    FEWEST,
    FOO,
    MACHINES,
    environment_of,
    judging_of,
    learning_of,
)
from buto_replications.ensembles.flagged import Flagged, flagged
from buto_replications.ensembles.rules import BAGGING, SINGLE, STACKING
from buto_replications.ensembles.sites import COMPONENTS

PAPERS = (SINGLE, BAGGING, STACKING)

UNLIKE = replace(
    FOO, values={**FOO.values, ENVIRONMENT: list(COMPONENTS), FEWEST: 29, DEVIATIONS: 4.0, MACHINES: True}
)
"""The paper's rules for short runs of unlike machines: what prior tests differ in means nothing."""

PLAIN = "foo"
"""Stacking with the paper's parameters; the others have those of UNLIKE. Of these,
``prior-deviations`` and ``machine-factor`` do nothing for one model: it learns all prior tests as one."""

INTERVAL_S = 5.0
"""Length of an interval, as in the paper."""


def by_rules(
    prior: Sequence[Run], new: Run, properties: Sequence[Property], work: Work | None
) -> dict[str, Flagged]:
    """Return what the paper's methods flag, with one model of all prior tests, or one of each."""
    rules = _Rules(prior, new, properties, work, UNLIKE)
    each = rules.of_each()
    return {
        SINGLE: rules.flagged(rules.of_all(), stacking=False),
        BAGGING: rules.flagged(each, stacking=False),
        STACKING: rules.flagged(each, stacking=True),
    }


def by_plain_rules(prior: Sequence[Run], new: Run, properties: Sequence[Property]) -> Flagged:
    """Return what stacking flags with the paper's parameters."""
    rules = _Rules(prior, new, properties, None, FOO)
    return rules.flagged(rules.of_each(), stacking=True)


class _Rules:
    """The intervals of prior tests and of a new one, for the paper's methods.

    Args:
        settings: whose thresholds the rules have.
    """

    def __init__(
        self,
        prior: Sequence[Run],
        new: Run,
        properties: Sequence[Property],
        work: Work | None,
        settings: Settings,
    ) -> None:
        values = [intervals_of(run, properties, INTERVAL_S, work) for run in (*prior, new)]
        read = ~np.isnan(np.vstack(values)).all(axis=0)
        kept = np.flatnonzero(
            read & ~np.array([np.isnan(one).all(axis=0) for one in values[:-1]]).any(axis=0)
        )
        self._properties = [properties[place] for place in kept.tolist()]
        environments = [environment_of(run.metadata, settings) for run in prior]
        self._tests = [
            (run.id, environment, value[:, kept])
            for run, environment, value in zip(prior, environments, values, strict=False)
        ]
        self._new = values[-1][:, kept]
        self._environment = environment_of(new.metadata, settings)
        self._how, self._usual = learning_of(settings), judging_of(settings)

    def of_each(self) -> Ensemble:
        """Return one model of each prior test."""
        return learn(self._tests, self._how, self._times)

    def of_all(self) -> Ensemble:
        """Return one model of all prior tests, which knows nothing of environments."""
        return learn([("all", {}, np.vstack([value for *_, value in self._tests]))], self._how, self._times)

    def flagged(self, model: Ensemble, *, stacking: bool) -> Flagged:
        """Return the counters that a model flags."""
        found = judge(model, self._environment, self._new, replace(self._usual, stacking=stacking))
        return flagged(self._properties, found.flagged)

    @property
    def _times(self) -> BoolArray:
        return np.array([prop.unit == "s" for prop in self._properties])
