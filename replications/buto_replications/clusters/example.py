"""What the paper's method makes of its own example.

The example is eight counters in eight observations of two versions: Table 1 of Shang et al.,
with the fourth old "IO write byte/sec" as its other numbers have it: 4,756.79.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.judging.load.findings import Errors
from buto.judging.load.models import merges
from buto.run.model import FloatArray
from buto_replications.detectors.regression_fits import clustered, distances
from buto_replications.detectors.regression_models import judged

NAMES = (
    "CPU Privileged",
    "CPU User",
    "IO read byte/sec",
    "IO read op/sec",
    "IO write byte/sec",
    "IO write op/sec",
    "Memory Working set",
    "Memory Private byte",
)
OLD = np.array(
    [
        [29.17, 27.29, 29.90, 33.23, 31.43, 30.91, 31.15, 30.21],
        [33.02, 29.48, 28.23, 26.25, 26.95, 26.22, 26.04, 29.38],
        [0.0] * 8,
        [0.0] * 8,
        [7808.00, 4481.75, 7787.79, 4756.79, 7349.50, 4499.50, 4641.17, 8310.15],
        [180.36, 163.29, 174.36, 178.87, 188.47, 192.43, 187.91, 178.80],
        [144867, 144388, 146522, 145020, 145822, 145822, 144364, 144499],
        [146203, 146625, 147763, 147681, 147583, 147587, 146153, 146305],
    ]
).T
NEW = np.array(
    [
        [29.38, 30.52, 30.21, 33.02, 31.77, 28.23, 29.48, 28.02],
        [26.98, 27.29, 31.04, 27.92, 27.08, 28.23, 32.29, 33.54],
        [175008.30, 176262.16, 177867.55, 178745.03, 181573.41, 174242.61, 165634.03, 163400.87],
        [1611.37, 1628.83, 1655.19, 1649.85, 1654.89, 1615.44, 1514.00, 1526.93],
        [4364.58, 7908.74, 4514.13, 7588.77, 4887.06, 7767.46, 4262.85, 3961.54],
        [190.99, 183.79, 188.82, 189.32, 189.58, 186.40, 179.88, 167.89],
        [144499, 144499, 144499, 144753, 144753, 145056, 146874, 144503],
        [146326, 146350, 146379, 146649, 146682, 146981, 148759, 146383],
    ]
).T
BOTH = np.vstack([OLD, NEW])
KEPT = [0, 1, 2, 4, 5, 7]


@dataclass(frozen=True, slots=True)
class ExampleCluster:
    """A cluster of the example."""

    members: tuple[str, ...]
    target: str
    errors: Errors


def kept() -> tuple[str, ...]:
    return tuple(NAMES[column] for column in KEPT)


def example_distances() -> FloatArray:
    """Return the distances of the counters that are kept, by the paper's equation 1; shape (6, 6)."""
    return distances(BOTH[:, KEPT], "eq1")


def example_merges() -> list[float]:
    heights: list[float] = merges(example_distances())[:, 2].tolist()
    return heights


def example_clusters() -> list[ExampleCluster]:
    names = kept()
    clusters = judged([OLD[:, KEPT]], NEW[:, KEPT], names, 1.0, "eq1")
    groups = clustered(BOTH[:, KEPT], "eq1")
    return [
        ExampleCluster(tuple(names[member] for member in members), names[cluster.target], cluster.new)
        for members, cluster in zip(groups, clusters, strict=True)
    ]
