"""What an oracle expects, as one number for each property of a run: what people compare and review."""

from __future__ import annotations

import math
from collections.abc import Iterator

from buto.detectors.levels import Level
from buto.oracle.model import Oracle
from buto.units import format_quantity


def summary(oracle: Oracle) -> dict[str, str]:
    """Return a line for each property, as ``mean 12 MiB, 11.5 MiB to 12.5 MiB``."""
    return {
        level.prop.name: f"{level.number} {', '.join(_parts(level))}"
        for level in oracle.fitted.levels()
        if math.isfinite(level.expected)
    }


def _parts(level: Level) -> Iterator[str]:
    expected, lower, upper = (
        format_quantity(end, level.prop.unit) for end in (level.expected, level.lower, level.upper)
    )
    yield expected
    if not lower == expected == upper:
        yield f"{lower} to {upper}"
