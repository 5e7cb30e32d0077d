"""What can be drawn of a check under a load that varies: deviations, and clusters of what was misjudged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from buto.detectors.calibrated.load.clusters import distances, merges
from buto.detectors.calibrated.load.findings import SMALLEST, measure_of, misjudged, name_of
from buto.detectors.calibrated.load.judged import Judged
from buto.detectors.calibrated.load.observed import FEWEST_SAMPLES
from buto.detectors.readable import readable
from buto.detectors.views import ClusterView, RunsView
from buto.properties import Kind, Property
from buto.runs import FloatArray, Run
from buto.verdicts import Finding

MOST_LEAVES = 24
"""So many properties are in the picture of a cluster, the largest deviations first."""

MOST_CLUSTERS = 4


class ByLoadView(RunsView):
    """The judged properties of the runs, their deviations, and the clusters that were misjudged.

    Args:
        judge: gives the numbers of a check of some runs.
    """

    reach_of = "of the largest deviation of unchanged runs"
    bands_decide = False

    def __init__(
        self, runs: Sequence[Run], judged: Sequence[Property], judge: Callable[[Sequence[Run]], Judged]
    ) -> None:
        super().__init__(runs)
        self.properties, self._judge = tuple(judged), judge

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return each property's deviation as a share of the largest of unchanged runs, NaN of constants and
        if the runs cannot be judged.
        """
        if not self._can_be_judged(runs):
            return np.full(len(self.properties), np.nan)
        check = self._judge(runs)
        usual = np.maximum(check.evidence.any.usual, SMALLEST)
        found = np.minimum(np.abs(check.evidence.any.deviation) / usual, 1.0)
        of_name: dict[str, float] = {}
        for prop, share in zip(check.properties, found.tolist(), strict=True):
            of_name[prop.name] = max(share, of_name.get(prop.name, 0.0))
        return np.array([of_name.get(prop.name, np.nan) for prop in self.properties])

    def clusters(self, runs: Sequence[Run], findings: Sequence[Finding]) -> tuple[ClusterView, ...]:
        """Return the clusters whose targets these findings name, in their order."""
        if not self._can_be_judged(runs) or not findings:
            return ()
        check = self._judge(runs)
        column_of = {
            (prop.name, measure_of(check, column)): column for column, prop in enumerate(check.properties)
        }
        wanted = [(one.subject, one.measure) for one in findings]
        targets = [column_of[one] for one in wanted if one in column_of]
        return tuple(_cluster(check, target) for target in targets[:MOST_CLUSTERS])

    def _can_be_judged(self, runs: Sequence[Run]) -> bool:
        """Return whether all runs have enough samples, and some property was read in all of them."""
        if not runs or any(run.n_samples < FEWEST_SAMPLES for run in runs):
            return False
        return bool(np.all([readable(run, self.properties) for run in runs], axis=0).any())


def _cluster(check: Judged, target: int) -> ClusterView:
    members = next(cluster for cluster in check.clusters if target in cluster)
    size = np.abs(check.evidence.any.deviation)
    ranked = sorted(members, key=lambda one: (one != target, -float(size[one])))[:MOST_LEAVES]
    values = np.vstack(check.values)[:, ranked]
    found = set(misjudged(check, check.evidence.any))
    points = [
        np.column_stack([expected[:, target], measured[:, target]])
        for expected, measured in zip(check.predicted, check.values, strict=True)
    ]
    return ClusterView(
        check.properties[target],
        check.grows(target) or check.properties[target].kind is Kind.COUNTER,
        tuple(name_of(check, one) for one in ranked),
        len(members),
        merges(distances(values, "correlation")),
        frozenset(place for place, one in enumerate(ranked) if one in found),
        np.vstack(points[: check.first_checked]),
        np.vstack(points[check.first_checked :]),
    )
