"""Runs of the variants without any JVM: made of known curves and noise, so that answers are known."""

import zlib

import numpy as np

from buto.run.model import Notification, Outcome, Quality, Run, RunSet
from buto.run.properties import property_for
from buto_replications.design import PROGRAMS, VARIANTS
from buto_replications.thesis.published import JOBS, QUEUE

MIB = 2.0**20
INTERVAL_S = 0.08
POOLS = ("PS Eden Space", "PS Survivor Space", "PS Old Gen", "Metaspace")
NAMES = (
    "jvm.class.loaded",
    "jvm.compilation.time",
    "jvm.cpu.time",
    "jvm.memory.heap.committed",
    "jvm.memory.heap.used",
    "jvm.thread.count",
    *(f"jvm.memory.used[{pool}]" for pool in POOLS),
    "jvm.gc.count[PS Scavenge]",
    "jvm.gc.count[PS MarkSweep]",
)
STEADY = ("jvm.class.loaded", "jvm.thread.count", "jvm.gc.count[PS MarkSweep]")
"""Equal in all runs of a variant."""


def variant_run(variant, number, *, shift=1.0, noise=1.0, n_samples=60, extra=0, quality=None):
    """A run of a variant: every property is a slope of its own, and varies from run to run.

    Args:
        shift: by how many deviations of the noise neighbouring variants of a program lie apart.
        noise: deviation of the values, in MiB.
        extra: further properties, for size.
    """
    program = next(name for name, variants in PROGRAMS.items() if variant in variants)
    place = PROGRAMS[program].index(variant)
    names = [*NAMES, *(JOBS + QUEUE if program == "consumerproducer" else ())]
    names += [f"jvm.memory.used[Pool {repeat}]" for repeat in range(extra)]
    random = np.random.default_rng([zlib.crc32(variant.encode()), number])
    times = np.arange(n_samples) * INTERVAL_S + random.uniform(-0.002, 0.002, n_samples)
    columns = []
    for column, name in enumerate(names):
        level = MIB * (20 + column + (column % 5) * times)
        scatter = 0.0 if name in STEADY else MIB * noise * random.standard_normal((n_samples,))
        columns.append(level + MIB * noise * shift * place * (name not in STEADY) + scatter)
    metadata = {"jvm.uptime": str(int(random.integers(150, 500)))}
    return Run(
        id=f"20260101T{number // 60:02d}{number % 60:02d}00.000Z-{zlib.crc32(variant.encode()) % 65536:04x}",
        test=f"{variant}@parallel",
        properties=tuple(property_for(name) for name in names),
        times_s=times,
        values=np.column_stack(columns),
        outcome=Outcome(0, duration_s=n_samples * INTERVAL_S),
        notifications=_notifications(place, random) if program == "consumerproducer" else (),
        metadata=metadata,
        quality=quality or Quality(),
    )


def a_data_set(n_runs, variants=VARIANTS, **options):
    """As :func:`buto_replications.dataset.archive.load` gives it."""
    return {
        variant: RunSet(tuple(variant_run(variant, number, **options) for number in range(n_runs)))
        for variant in variants
    }


def _notifications(place, random):
    """Ten milestones, earlier for variants that come later in their program."""
    times = np.arange(1, 11) / (2.2 + 0.4 * place) + random.normal(0, 0.01, 10)
    source = "buto.testprograms:type=Counter"
    return tuple(
        Notification(float(time), "milestone", source, sequence, "")
        for sequence, time in enumerate(times, start=1)
    )
