"""Settings of the detector ``regression-models``: the preset ``shang``."""

from __future__ import annotations

from collections.abc import Mapping

from buto.detectors.keys import COMMON, choice, positive, share, whole
from buto.detectors.regression_models.clusters import DISTANCES
from buto.detectors.settings import Settings

NAME = "regression-models"
THRESHOLD, REDUNDANT, DISTANCE, ERROR, STRETCHES = "threshold", "redundant", "distance", "error", "stretches"

SHANG = Settings(
    preset="shang",
    detector=NAME,
    values={THRESHOLD: 0.3, REDUNDANT: 0.9, DISTANCE: "eq1", ERROR: "absolute", STRETCHES: 30},
)
"""The method of Shang et al. (2015)."""

PRESETS: Mapping[str, Settings] = {SHANG.preset: SHANG}

KEYS = (
    positive(THRESHOLD, "The relative error above which a cluster of counters differs.", example=0.3),
    share(REDUNDANT, "The R² above which a counter is left out because others predict it."),
    choice(DISTANCE, "When two counters are near: by absolute correlation, or by the paper's.", *DISTANCES),
    choice(ERROR, "By which mean of relative errors a cluster is judged.", "absolute", "signed"),
    whole(STRETCHES, "Into how many stretches of time a run is divided.", 1, 10_000, example=30),
    *COMMON,
)
