"""The sizes that matter, all multiplied by one factor: the curve of harmless changes against regressions."""

from __future__ import annotations

import re

from buto.detectors.calibrated.settings import CALIBRATED, JudgeSettings
from buto.detectors.effects import NEVER, USUAL

FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)

_NUMBER = re.compile(r"^(\d+(?:\.\d+)?)(.*)$")


def with_sizes(factor: float) -> JudgeSettings:
    """Return the judge with all sizes that matter multiplied; with 0 every certain change fails."""
    if factor == 1.0:
        return CALIBRATED
    if factor == 0.0:
        return CALIBRATED.with_value("minimum-effect", "0")
    sizes = {
        pattern: " and ".join(_scaled(part, factor) for part in text.split(" and "))
        for pattern, text in USUAL.items()
    }
    return CALIBRATED.with_value("minimum-effect", sizes)


def _scaled(part: str, factor: float) -> str:
    found = _NUMBER.match(part.strip())
    if part == NEVER or found is None:
        return part
    return f"{float(found[1]) * factor:g}{found[2]}"
