"""The paper's own methods on the same runs: one model of all prior tests, bagging, and stacking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from buto.judging.settings import judges
from buto.judging.verdict import Status
from buto.run.model import FloatArray, Run, run_set
from buto.run.properties import Property
from buto_replications.design import SUBTLE, Experiment
from buto_replications.detectors.ensemble.intervals import interval_for, intervals_of
from buto_replications.detectors.ensemble.rules import Ensemble, Judging, judge, learn
from buto_replications.detectors.ensemble.settings import FOO, environment_of, judging_of, learning_of
from buto_replications.ensembles.sites import NEVER_SEEN, Share, Site, experiments

N_EACH, N_JUDGED = 4, 4
"""Runs of a variant that train in each environment, and that are judged; mining takes time."""

SINGLE, BAGGING, STACKING = "rules, one model", "rules, bagging", "rules, stacking"
METHODS = (SINGLE, BAGGING, STACKING)


def rules_left_out(some: Sequence[Site]) -> Iterator[Share]:
    """Yield the results of every experiment with each environment left out, single runs only."""
    for site in some:
        others = [one for one in some if one.environment != site.environment]
        models: dict[str, _Models] = {}
        for one in experiments(some):
            if one.training not in models:
                models[one.training] = _Models(site, others, one)
            yield from models[one.training].shares(site, one)


class _Models:
    """What each method learned of one variant in other environments."""

    def __init__(self, site: Site, others: Sequence[Site], one: Experiment) -> None:
        runs = [run for other in others for run in other.runs[one.training][:N_EACH]]
        self._trained = len(runs)
        self._properties = _common([*runs, site.runs[one.training][0]])
        self._step = interval_for(run_set([replace(run, test=one.program) for run in runs]))
        values = [self._values(run) for run in runs]
        kept = [~np.isnan(value).all(axis=0) for value in values]
        self._kept = np.all(kept, axis=0)
        tests = [
            (run.id, environment_of(run.metadata, FOO), value[:, self._kept])
            for run, value in zip(runs, values, strict=True)
        ]
        how = learning_of(FOO)
        self._each = learn(tests, how)
        self._one = learn([("all", {}, np.vstack([value for _, _, value in tests]))], how)

    def shares(self, site: Site, one: Experiment) -> Iterator[Share]:
        """Yield how each method judges the runs of an experiment."""
        usual = judging_of(FOO)
        bagging = Judging(usual.change, stacking=False, ranges=usual.ranges)
        ways = {SINGLE: (self._one, bagging), BAGGING: (self._each, bagging), STACKING: (self._each, usual)}
        groups = [site.runs[name][:N_JUDGED] for name in (one.training, one.negative)]
        for method, (ensemble, how) in ways.items():
            good, bad = (tuple(self._status(ensemble, how, run) for run in runs) for runs in groups)
            yield Share(
                site.name,
                NEVER_SEEN,
                one.training,
                one.negative,
                one in SUBTLE,
                self._trained,
                method,
                good,
                bad,
                good,
                bad,
            )

    def _status(self, ensemble: Ensemble, how: Judging, run: Run) -> Status:
        values = self._values(run)[:, self._kept]
        found = judge(ensemble, environment_of(run.metadata, FOO), values, how)
        return Status.REGRESSION if found.flagged.any() else Status.PASS

    def _values(self, run: Run) -> FloatArray:
        return intervals_of(run, self._properties, self._step)


def _common(runs: Sequence[Run]) -> tuple[Property, ...]:
    names = set.intersection(*({prop.name for prop in run.properties} for run in runs))
    chosen = [prop for prop in runs[0].properties if prop.name in names and judges(FOO, prop)]
    return tuple(sorted(chosen, key=lambda prop: prop.name))
