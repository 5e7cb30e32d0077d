"""Learning from runs that do not fit into memory together: a few properties of all runs at a time.

Every number of a calibrated oracle is of one property, of the runs' durations or of notifications. What is
learned of a few properties at a time, by :func:`buto.detectors.calibrated.training.profile.learn`, is
therefore to the last digit what is learned of all at once. Only the bands over time, which are drawn and
decide nothing, are those of the samples that a :class:`buto.runs.long.LongRun` has in memory.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from buto.analysis.features import catalogue
from buto.analysis.pipeline import Wholes
from buto.analysis.series import series_of, summaries
from buto.analysis.spread import grains
from buto.detectors.bounds.detector import BoundsDetector, FittedBounds
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.training.profile import Profile, learn
from buto.detectors.settings import judges
from buto.properties import LIVE_CLASSES, Property
from buto.runs import FloatArray, Run, RunSet
from buto.runs.long import LongRun

PART_VALUES = 1 << 24
"""Values of all runs that are held at a time by each of the threads."""

MOST_THREADS = 2


@dataclass(frozen=True, eq=False, slots=True)
class _Part:
    """What was learned of some properties.

    Attributes:
        numbers: shape (n_runs, 2, n_properties), see :func:`buto.analysis.series.summaries`.
        grain: shape (n_properties,).
    """

    profile: Profile
    numbers: FloatArray
    grain: FloatArray


def learn_long(runs: RunSet, settings: BandSettings) -> tuple[Profile, FittedBounds]:
    """Return the profile of the runs and their bands; JudgeError if no property can be judged."""
    detector = BoundsDetector(settings)
    properties = detector.judged(runs)
    divided = _divided(properties, sum(run.n_samples for run in runs))
    parts = _learned(runs, divided, by_class=judges(settings, LIVE_CLASSES))
    found = Wholes(
        np.concatenate([part.numbers for part in parts], axis=2),
        np.concatenate([part.grain for part in parts]),
    )
    for run, numbers in zip(runs, found.numbers.tolist(), strict=True):
        if isinstance(run, LongRun):
            run.known.update(zip((prop.name for prop in properties), zip(*numbers, strict=True), strict=True))
    return _joined([part.profile for part in parts]), detector.fit(runs, found)


def _divided(properties: Sequence[Property], n_samples: int) -> list[Sequence[Property]]:
    """Return parts of two properties or more: numpy adds one column in another order."""
    size = max(2, PART_VALUES // n_samples)
    n_parts = max(1, len(properties) // size)
    edges = np.linspace(0, len(properties), n_parts + 1).astype(np.int64)
    return [properties[first:last] for first, last in pairwise(edges.tolist())]


def _learned(runs: RunSet, divided: Sequence[Sequence[Property]], *, by_class: bool) -> list[_Part]:
    def part(properties: Sequence[Property]) -> _Part:
        some = [_part_of(run, properties) for run in runs]
        numbers = [summaries(series_of(run, properties), properties) for run in some]
        profile = learn(some, properties, by_class=by_class)
        return _Part(profile, np.array(numbers), _grain(profile, some, properties))

    # Imported here, because it brings logging along and few runs are so long.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(MOST_THREADS, len(os.sched_getaffinity(0)))) as threads:
        return list(threads.map(part, divided))


def _grain(profile: Profile, runs: Sequence[Run], properties: Sequence[Property]) -> FloatArray:
    """Return the grain of all properties; a profile leaves out constants."""
    known = dict(zip((prop.name for prop in profile.properties), profile.grain, strict=False))
    others = [prop for prop in properties if prop.name not in known]
    more = grains(others, [series_of(run, others).values for run in runs]) if others else ()
    known |= dict(zip((prop.name for prop in others), more, strict=True))
    return np.array([known[prop.name] for prop in properties])


def _part_of(run: Run, properties: Sequence[Property]) -> Run:
    return run.part(properties) if isinstance(run, LongRun) else run


def _joined(profiles: Sequence[Profile]) -> Profile:
    """Return the profile of all properties; the other quantities are the same in each part's."""
    last = profiles[-1]
    widths = [len(catalogue(one.properties)) for one in profiles]
    return Profile(
        tuple(prop for one in profiles for prop in one.properties),
        last.emitters,
        np.concatenate(
            [*(one.grain[: len(one.properties)] for one in profiles), last.grain[len(last.properties) :]]
        ),
        last.end_s,
        np.hstack(
            [
                *(one.values[:, :width] for one, width in zip(profiles, widths, strict=True)),
                last.values[:, widths[-1] :],
            ]
        ),
        last.classes,
    )
