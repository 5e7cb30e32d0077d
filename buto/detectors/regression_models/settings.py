"""Settings of the method ``regression-models``, and of the paper's ``shang`` and ``shang-calibrated``."""

from __future__ import annotations

from dataclasses import replace

from buto.detectors.keys import ALPHA, COMMON, Key, choice, number, patterns, positive, share, whole
from buto.detectors.regression_models.clusters import DISTANCES
from buto.detectors.settings import ALSO_JUDGED, Settings

NAME = "regression-models"
THRESHOLD, REDUNDANT, DISTANCE, ERROR, STRETCHES = "threshold", "redundant", "distance", "error", "stretches"
CALIBRATION, EACH, WORST = "calibration", "each", "worst"
PREDICTORS, NOT_JUDGED, BLOCKS, REACH, GATE = "predictors", "not-judged", "blocks", "extrapolation", "gate"
COSTS, KEPT = "costs", "kept"


ALL_OF_PROCESS = ["jvm.*", "process.*"]
"""Recorded properties that are judged beside the usual ones: under unlike load, any of them may tell."""

OF_A_LIFETIME = [
    "host.*",
    "load.late",
    "metrics.*_max",
    "metrics.*_max[[]*",
    "metrics.*_max_*",
    "metrics.*average*",
    "metrics.*ratio*",
    "metrics.*_cpu_usage*",
    "metrics.*_load_*",
    "metrics.*time_since*",
    "metrics.*_start_time_*",
    "metrics.system_*",
]
"""Largest values, averages, ratios and times since the start do not depend on the present load; the others
are of the machine."""

PAID_FOR = [
    "*cpu.time",
    "*memory.allocated",
    "*jvm.memory.heap.used_after_last_gc",
    "*.io.bytes*",
    "*.io.calls*",
    "*.disk.io[[]write]",
    "load.latency.p50*",
]
"""What requests cost. There are few of these, so one of them can decide alone. What is read from a disk is
not among them, because it depends on what the kernel has in its cache."""

MAY_LEAK = ["*jvm.memory.heap.used_after_last_gc", "*jvm.thread.count", "process.unix.file_descriptor.count"]
"""What requests may leave behind. Processes of a database come and go, so theirs is not among them."""

WITHOUT_ANSWERS = "load.latency*"
"""A kind of request that is rare under this load has no latency in most samples, and nothing is wrong."""

DEFAULT = Settings(
    method=NAME,
    values={
        "alpha": 0.01,
        GATE: 0.12,
        PREDICTORS: ["load.throughput*"],
        REACH: 1.0,
        COSTS: PAID_FOR,
        KEPT: MAY_LEAK,
        STRETCHES: 12,
        BLOCKS: 1,
        ALSO_JUDGED: ALL_OF_PROCESS,
        NOT_JUDGED: OF_A_LIFETIME,
    },
)
"""Models of every property by the load; the run is the replicate, and the p-value is by rank."""

SHANG = Settings(
    method="shang",
    values={
        THRESHOLD: 0.3,
        REDUNDANT: 0.9,
        DISTANCE: "eq1",
        ERROR: "absolute",
        STRETCHES: 30,
        CALIBRATION: EACH,
    },
)
"""The method of Shang et al. (2015)."""

SHANG_CALIBRATED = replace(
    SHANG,
    method="shang-calibrated",
    values={**SHANG.values, THRESHOLD: 0.05, DISTANCE: "correlation", STRETCHES: 10, CALIBRATION: WORST},
)
"""The same, with training runs in place of the typed threshold."""

KEYS = (
    positive(THRESHOLD, "The relative error above which a cluster of counters differs.", example=0.3),
    share(REDUNDANT, "The R² above which a counter is left out because others predict it."),
    choice(DISTANCE, "When two counters are near: by absolute correlation, or by the paper's.", *DISTANCES),
    choice(ERROR, "By which mean of relative errors a cluster is judged.", "absolute", "signed"),
    whole(STRETCHES, "Into how many stretches of time a run is divided.", 1, 10_000, example=30),
    choice(
        CALIBRATION,
        "Whether each cluster by itself, or the worst of a check, must be worse than in any training run.",
        EACH,
        WORST,
    ),
    ALPHA,
    number(
        GATE,
        "Largest p-value of a first run that two more runs follow.",
        0.0,
        1.0,
        title="a share from 0 to 1",
        example=0.12,
    ),
    patterns(
        PREDICTORS,
        "Properties that are the load: shell patterns; without any, those that most others follow.",
    ),
    patterns(COSTS, "Properties of which one alone can decide if it is more than expected: shell patterns."),
    patterns(KEPT, "Gauges of what requests may keep: their growth is judged, too. Shell patterns."),
    positive(
        REACH,
        "How many times the variance of a run a prediction may have, and by how many widths of the range "
        "of training a mean rate may be outside of it; beyond, the load is extrapolated.",
        example=1.0,
    ),
    whole(BLOCKS, "Into how many blocks a long run is divided; 1: runs are compared.", 1, 1000, example=200),
    patterns(ALSO_JUDGED, "Recorded properties that are judged beside the usual ones: shell patterns."),
    patterns(NOT_JUDGED, "Properties that are not judged: shell patterns."),
    *COMMON,
)


def keys_of(settings: Settings) -> tuple[Key, ...]:
    """Return the keys of one of these methods."""
    return tuple(key for key in KEYS if key.name in settings.own())
