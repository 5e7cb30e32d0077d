"""The oracle: trained from runs, kept in a file, judges later runs."""

from buto.detectors.bounds.detector import BoundsDetector, FittedBounds
from buto.detectors.calibrated.detector import CalibratedDetector, FittedCalibrated
from buto.detectors.registry import DETECTORS
from buto.detectors.settings import (
    CALIBRATED,
    DEFAULT,
    PRESETS,
    SUSTAINED,
    THESIS,
    Settings,
    settings_from,
    with_alpha,
)
from buto.oracle.check import METADATA_SOURCE, at_alpha, check, needs_confirmation
from buto.oracle.model import Oracle
from buto.oracle.persist import load, save
from buto.oracle.train import FEWEST_RUNS, fewest_runs, train

__all__ = [
    "CALIBRATED",
    "DEFAULT",
    "DETECTORS",
    "FEWEST_RUNS",
    "METADATA_SOURCE",
    "PRESETS",
    "SUSTAINED",
    "THESIS",
    "BoundsDetector",
    "CalibratedDetector",
    "FittedBounds",
    "FittedCalibrated",
    "Oracle",
    "Settings",
    "at_alpha",
    "check",
    "fewest_runs",
    "load",
    "needs_confirmation",
    "save",
    "settings_from",
    "train",
    "with_alpha",
]
