"""Which detectors there are, by the name that settings and oracle files use."""

from __future__ import annotations

from collections.abc import Callable

from buto.oracle.bounds.detector import BoundsDetector
from buto.oracle.calibrated.detector import CalibratedDetector
from buto.oracle.settings import Settings
from buto.verdicts import Detector

DETECTORS: dict[str, Callable[[Settings], Detector]] = {
    detector.name: detector for detector in (CalibratedDetector, BoundsDetector)
}
