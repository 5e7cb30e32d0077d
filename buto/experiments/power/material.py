"""The features of recorded runs, computed once for all methods of judging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from buto.detectors.bounds.detector import BoundsDetector
from buto.detectors.calibrated.settings import CALIBRATED
from buto.detectors.calibrated.training.profile import Profile, learn
from buto.experiments.dataset.archive import started
from buto.experiments.design import EXPERIMENTS, PROGRAMS, SUBTLE
from buto.runs import FloatArray, RunSet

DESIGN, CHECK = "design", "check"
PARTS = {"references": DESIGN, "classloading": DESIGN, "leaker": CHECK, "consumerproducer": CHECK}
"""By program: whether its runs choose a method or check it; see ``docs/methods/next-method-design.md``."""


@dataclass(frozen=True, eq=False, slots=True)
class Material:
    """All runs of one variant on one host, and those of other variants on the scale of its profile.

    Attributes:
        name: of the variant and its host.
        part: ``design`` or ``check``.
        profile: of all valid runs in the order of their start.
        starts_s: shape (n_runs,), when they started, in seconds.
        others: by variant that an experiment compares with this one, shape (n_others, n_features).
        subtle: the names of those that differ only a little.
    """

    name: str
    part: str
    profile: Profile
    starts_s: FloatArray
    others: Mapping[str, FloatArray]
    subtle: frozenset[str]


def materials(host: str, runs: Mapping[str, RunSet], fewest: int) -> Iterator[Material]:
    """Yield the material of each variant of the thesis that has at least ``fewest`` usable runs on a host."""
    for program, variants in PROGRAMS.items():
        for variant in variants:
            if variant in runs and len(runs[variant].valid()) >= fewest:
                yield _material(f"{variant}@{host}", PARTS[program], variant, runs)


def _material(name: str, part: str, variant: str, runs: Mapping[str, RunSet]) -> Material:
    ours = runs[variant].valid()
    known = learn(ours.runs, BoundsDetector(CALIBRATED).judged(ours))
    compared = [one.negative for one in (*EXPERIMENTS, *SUBTLE) if one.training == variant]
    theirs = {other: runs[other].valid().runs for other in compared if other in runs}
    profile = known.hearing([run for some in theirs.values() for run in some])
    return Material(
        name,
        part,
        replace(profile, values=_readable(profile.values)),
        np.array([started(run).timestamp() for run in ours]),
        {
            other: _readable(np.array([profile.measure(run) for run in some]))
            for other, some in theirs.items()
        },
        frozenset(one.negative for one in SUBTLE),
    )


def _readable(values: FloatArray) -> FloatArray:
    """Return features as they are; a property that a changed program never had counts as none of it."""
    return np.where(np.isnan(values), 0.0, values)
