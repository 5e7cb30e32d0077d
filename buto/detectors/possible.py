"""Which values a property can have at all: a range that people are shown has no others."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from buto.detectors.views import Band
from buto.properties import Property, Topic, topic_of
from buto.runs import MetadataValue, Run
from buto.verdicts import Finding

HEAP_MAX = "jvm.memory.heap.max"
"""The key of a run's metadata with the maximum size of its heap, in bytes."""


def highest(prop: Property, runs: Iterable[Run]) -> float:
    """Return the largest possible value in the property's unit, infinite if none is known.

    That of the heap and its pools is the largest maximum heap size of these runs.
    """
    if prop.unit != "By" or topic_of(prop.name) is not Topic.HEAP:
        return prop.upper
    return min(prop.upper, max((_bytes(run.metadata.get(HEAP_MAX)) for run in runs), default=math.inf))


def possible_band(band: Band, prop: Property, runs: Iterable[Run]) -> Band:
    """Return a band of levels without what is impossible."""
    least, most = prop.lower, highest(prop, runs)
    sides = (np.clip(side, least, most) for side in (band.lower, band.expected, band.upper))
    return Band(band.times_s, *sides)


def possible_level(finding: Finding, prop: Property, runs: Iterable[Run]) -> Finding:
    """Return a finding about a level whose range has nothing impossible."""
    if finding.upper is None or not math.isfinite(finding.upper):
        return finding
    return replace(finding, upper=min(finding.upper, highest(prop, runs)))


def _bytes(size: MetadataValue) -> float:
    """Return a size of metadata, which older runs have as text; infinite if it is not known."""
    try:
        return math.inf if size is None else float(size)
    except ValueError:
        return math.inf
