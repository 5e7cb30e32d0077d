"""Which detectors there are, by the name that settings and oracle files use."""

from __future__ import annotations

from buto.detectors.bounds.detector import BoundsDetector
from buto.detectors.calibrated.detector import CalibratedDetector
from buto.detectors.protocol import Detector

DETECTORS: dict[str, type[Detector]] = {
    detector.name: detector for detector in (CalibratedDetector, BoundsDetector)
}
