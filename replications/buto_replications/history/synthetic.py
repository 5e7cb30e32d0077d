"""A made-up history of the paper's size, in which truth is known.

Each metric follows one of a few hidden factors, such as the load of one part of the system. In each group of
test cases, some factors are faults: they hardly vary between good versions, and an abnormal version raises
one of them. The same factors vary freely, and mean nothing, in other groups; so what is learned from all
groups together contradicts itself. Test cases of a group differ in all factors, which a baseline of the same
test case takes away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.run.model import FloatArray
from buto_replications.detectors.history.engine import Examples


@dataclass(frozen=True, slots=True)
class Size:
    """How large a history is; the defaults are those of the paper.

    Attributes:
        repeats: rows of each configuration, which is one version of one test case.
        abnormal: number of abnormal configurations; with 5 repeats the paper has 148.
        faults: factors that are faults, in each group.
    """

    groups: int = 20
    cases: int = 15
    configurations: int = 4184
    repeats: int = 5
    abnormal: int = 148
    metrics: int = 200
    factors: int = 16
    faults: int = 1


PAPER_SIZE = Size()

SUMMARY = 16
"""Number of summary metrics."""

SHIFT, FREE, STILL = 8.0, 2.0, 0.4
"""In units of a factor: how far a fault raises it; its deviation between versions where it varies freely, and
where it is a fault."""

GROUP, CASE = 3.0, 0.5
"""Its deviation between groups, and between test cases of a group."""

SHARE, NOISE = 0.05, 0.6
"""By which share a metric grows with a unit of its factor, and how many units its repeats vary."""


def synthetic_history(size: Size, seed: int) -> Examples:
    """Return a history; the same for the same seed."""
    random = np.random.default_rng(seed)
    loadings = _loadings(size, random)
    centres = random.normal(0, GROUP, (size.groups, size.factors))
    levels = random.uniform(1, 8, size.metrics)
    is_fault = np.zeros((size.groups, size.factors), dtype=bool)
    for row in is_fault:
        row[random.permutation(size.factors)[: size.faults]] = True
    n = size.configurations
    group = np.arange(n) % size.groups
    case = random.integers(size.cases, size=n)
    abnormal = np.zeros(n, dtype=bool)
    abnormal[random.permutation(n)[: size.abnormal]] = True
    of_case = random.normal(0, CASE, (size.groups, size.cases, size.factors))[group, case]
    deviation = np.where(is_fault[group], STILL, FREE)
    target, baseline = (of_case + random.normal(0, 1, (n, size.factors)) * deviation for _ in range(2))
    for one in np.flatnonzero(abnormal):
        target[one, random.choice(np.flatnonzero(is_fault[group[one]]))] += SHIFT

    def measured(factors: FloatArray) -> FloatArray:
        units = ((factors + centres[group]) @ loadings).repeat(size.repeats, axis=0)
        found: FloatArray = np.exp(levels + SHARE * (units + random.normal(0, NOISE, units.shape)))
        return found

    return Examples(
        measured(target),
        measured(baseline),
        abnormal.repeat(size.repeats),
        group.repeat(size.repeats),
        np.arange(n).repeat(size.repeats),
    )


def _loadings(size: Size, random: np.random.Generator) -> FloatArray:
    """Return how metrics follow factors, shape (n_factors, n_metrics); the first factors have most."""
    shares = np.linspace(3, 1, size.factors)
    factor = random.choice(size.factors, size=size.metrics, p=shares / shares.sum())
    loadings = random.normal(0, 0.05, (size.factors, size.metrics))
    loadings[factor, np.arange(size.metrics)] += random.uniform(0.5, 1.5, size.metrics)
    return loadings


def summarised(rows: FloatArray) -> FloatArray:
    """Return summary metrics: means of neighbouring metrics, shape (n_rows, SUMMARY)."""
    blocks = np.array_split(np.arange(rows.shape[1]), SUMMARY)
    return np.column_stack([rows[:, block].mean(axis=1) for block in blocks])
