"""Learning from runs that do not fit into memory together: a few properties of all runs at a time.

Every number of a profile is of one property, of the runs' durations or of notifications. What is learned of a
few properties at a time, by :func:`buto.detectors.calibrated.profile.learn`, is therefore to the last digit
what is learned of all at once. Only the envelope, which is drawn and decides nothing, is that of the samples
that a :class:`buto.runs.long.LongRun` has in memory.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from buto.analysis.features import catalogue
from buto.analysis.series import series_of, summaries
from buto.detectors.calibrated.profile import Profile, learn
from buto.properties import Property
from buto.runs import FloatArray, Run, RunSet
from buto.runs.long import LongRun

PART_VALUES = 1 << 24
"""Values of all runs that are held at a time by each of the threads."""

MOST_THREADS = 2


def learn_long(runs: RunSet, properties: Sequence[Property], *, by_class: bool) -> Profile:
    """Return the profile of the runs, as :func:`buto.detectors.calibrated.profile.learn` does."""
    divided = _divided(properties, sum(run.n_samples for run in runs))
    parts = _learned(runs, divided, by_class=by_class)
    numbers = np.concatenate([found for _, found in parts], axis=2)
    for run, found in zip(runs, numbers.tolist(), strict=True):
        if isinstance(run, LongRun):
            run.known.update(zip((prop.name for prop in properties), zip(*found, strict=True), strict=True))
    return _joined([profile for profile, _ in parts])


def _divided(properties: Sequence[Property], n_samples: int) -> list[Sequence[Property]]:
    """Return parts of two properties or more: numpy adds one column in another order."""
    size = max(2, PART_VALUES // n_samples)
    n_parts = max(1, len(properties) // size)
    edges = np.linspace(0, len(properties), n_parts + 1).astype(np.int64)
    return [properties[first:last] for first, last in pairwise(edges.tolist())]


def _learned(
    runs: RunSet, divided: Sequence[Sequence[Property]], *, by_class: bool
) -> list[tuple[Profile, FloatArray]]:
    """Return of each part its profile, and the numbers of runs as :func:`summaries` gives them."""

    def part(properties: Sequence[Property]) -> tuple[Profile, FloatArray]:
        some = [_part_of(run, properties) for run in runs]
        numbers = [summaries(series_of(run, properties), properties) for run in some]
        return learn(some, properties, by_class=by_class), np.array(numbers)

    # Imported here, because it brings logging along and few runs are so long.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(MOST_THREADS, len(os.sched_getaffinity(0)))) as threads:
        return list(threads.map(part, divided))


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
