"""Settings of the calibrated oracle: the preset ``calibrated``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from buto.detectors.bounds.settings import SUSTAINED, BandSettings
from buto.detectors.effects import is_effect
from buto.detectors.keys import COMMON, Key, choice, number

SMALLEST_ALPHA = 0.0005
"""One in as many choices of runs as the calibrated oracle looks at."""

CALIBRATED = replace(SUSTAINED, preset="calibrated", detector="calibrated")
"""One p-value for a check, over all properties and times. The bounds of ``sustained`` are drawn, and say when
a change began."""

PRESETS: Mapping[str, BandSettings] = {CALIBRATED.preset: CALIBRATED}


def _are_effects(value: Any) -> bool:
    return isinstance(value, Mapping) and all(is_effect(str(size)) for size in value.values())


KEYS = (
    number(
        "alpha",
        "Share of checks of an unchanged program that may fail; default 0.01.",
        SMALLEST_ALPHA,
        0.5,
        title=f"a share of checks from {SMALLEST_ALPHA:g} to 0.5",
    ),
    choice("fail-on", "Which changes fail a check.", "any", "worse"),
    Key(
        "minimum-effect",
        {
            "title": "a mapping from shell patterns of properties to quantities",
            "description": "The smallest change of a property that counts, in its unit or as a share of "
            "its level.",
            "type": "object",
            "additionalProperties": {"type": ["string", "number"]},
            "examples": ["{jvm.memory.heap.*: 64KiB, jvm.cpu.time: 5%}"],
        },
        _are_effects,
        "a mapping from shell patterns of properties to quantities (64KiB, 3, 5%)",
    ),
    *COMMON,
)
