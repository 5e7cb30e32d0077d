"""What the paper's method makes of its own example, eight counters in eight observations of two versions."""

from __future__ import annotations

from dataclasses import dataclass

from buto.detectors.calibrated.load_findings import Errors
from buto.detectors.calibrated.load_models import merges
from buto.detectors.regression_models.clusters import clustered, distances
from buto.detectors.regression_models.judging import judged
from buto.experiments.clusters.table1 import BOTH, KEPT, NAMES, NEW, OLD
from buto.runs import FloatArray


@dataclass(frozen=True, slots=True)
class ExampleCluster:
    """A cluster of the example.

    Attributes:
        members, target: names of counters.
        errors: of the new version.
    """

    members: tuple[str, ...]
    target: str
    errors: Errors


def kept() -> tuple[str, ...]:
    """Return the counters that the paper keeps."""
    return tuple(NAMES[column] for column in KEPT)


def example_distances() -> FloatArray:
    """Return the distances of the counters that are kept, by the paper's equation 1; shape (6, 6)."""
    return distances(BOTH[:, KEPT], "eq1")


def example_merges() -> list[float]:
    """Return the heights of the dendrogram's merges."""
    heights: list[float] = merges(example_distances())[:, 2].tolist()
    return heights


def example_clusters() -> list[ExampleCluster]:
    """Return the clusters, each with its target and its model's errors."""
    names = kept()
    found = judged([OLD[:, KEPT]], NEW[:, KEPT], names, 1.0, "eq1")
    groups = clustered(BOTH[:, KEPT], "eq1")
    return [
        ExampleCluster(tuple(names[one] for one in members), names[one.target], one.new)
        for members, one in zip(groups, found, strict=True)
    ]
