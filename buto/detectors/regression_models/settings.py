"""Settings of the paper's methods ``shang`` and ``shang-calibrated``."""

from __future__ import annotations

from dataclasses import replace

from buto.detectors.keys import COMMON, choice, positive, share, whole
from buto.detectors.regression_models.clusters import DISTANCES
from buto.detectors.settings import Settings

THRESHOLD, REDUNDANT, DISTANCE, ERROR, STRETCHES = "threshold", "redundant", "distance", "error", "stretches"
CALIBRATION, EACH, WORST = "calibration", "each", "worst"


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
    *COMMON,
)
