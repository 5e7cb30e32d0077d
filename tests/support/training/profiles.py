"""Profiles of training runs of known truth, without any run."""

from __future__ import annotations

import math

import numpy as np

from buto.judging.accusing import accusing_features
from buto.judging.contrasts import COUNT_GRAIN
from buto.judging.features import COUNTER_FEATURES, GAUGE_FEATURES
from buto.judging.profile import TrainingProfile
from buto.run.model import FloatArray
from buto.run.properties import Better, Kind, Property

MIB = 2.0**20
HEAP = Property("jvm.memory.heap.used", "By", Kind.GAUGE, lower=0.0, better=Better.LOWER)
THREADS = Property("jvm.thread.count", "{thread}", Kind.GAUGE, lower=0.0, better=Better.LOWER)
CPU = Property("jvm.cpu.time", "s", Kind.COUNTER, lower=0.0, better=Better.LOWER)
NEVER = Property("jvm.class.unloaded", "{class}", Kind.COUNTER, lower=0.0, better=Better.LOWER)
BALANCE = Property("mbean[shop:type=Till]/Balance", "1", Kind.GAUGE, lower=-math.inf)
GRAINS = {HEAP: 65536.0, THREADS: COUNT_GRAIN, CPU: 0.015, NEVER: COUNT_GRAIN, BALANCE: 0.0}
SCATTER = {HEAP: 0.5 * MIB, THREADS: 0.0, CPU: 0.05, NEVER: 0.0, BALANCE: 2.0}
LEVEL = {HEAP: 30 * MIB, THREADS: 10.0, CPU: 2.0, NEVER: 0.0, BALANCE: -40.0}
ALL = (HEAP, THREADS, CPU, NEVER, BALANCE)


def a_profile(
    n_runs: int = 10,
    seed: int = 0,
    properties: tuple[Property, ...] = ALL,
    levels: dict[Property, FloatArray] | None = None,
) -> TrainingProfile:
    """Gauges that swing by a tenth around their level, counters that count evenly; levels scatter normally.

    Args:
        levels: shape (n_runs,) by property, those that are not drawn.
    """
    random = np.random.default_rng(seed)
    blocks = []
    for prop in properties:
        drawn = LEVEL[prop] + SCATTER[prop] * random.normal(size=n_runs)
        level = (levels or {}).get(prop, drawn)[:, None]
        little = SCATTER[prop] * 0.3
        if prop.kind is Kind.GAUGE:
            shape = np.array([0, -1, 0, 1, 2, 0, -1.5, 0, 1.5, 2, 1, 0]) * SCATTER[prop]
            own = np.array([0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1]) * SCATTER[prop]
            moves = np.array([1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0])
            block = level * moves + shape + own + little * random.normal(size=(n_runs, 12))
        else:
            part = np.array([1, 0.5, 1 / 3, 1 / 3, 1 / 3])
            block = level * part + little * random.normal(size=(n_runs, 5)) * part
        names = GAUGE_FEATURES if prop.kind is Kind.GAUGE else COUNTER_FEATURES
        blocks.append(block[:, [names.index(name) for name in accusing_features(prop)]])
    duration = 5.0 + 0.05 * random.normal(size=(n_runs, 1))
    return TrainingProfile(
        properties,
        (),
        np.array([*(GRAINS[prop] for prop in properties), 0.1]),
        end_s=4.8,
        values=np.hstack([*blocks, duration]),
    )


def places_of(profile: TrainingProfile, prop: Property) -> list[int]:
    """The columns of the features of a property."""
    return [
        place for place, feature in enumerate(profile.catalogue) if profile.quantities[feature.column] == prop
    ]
