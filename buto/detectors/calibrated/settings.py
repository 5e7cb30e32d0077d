"""Settings of the calibrated oracle: the preset ``calibrated``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from buto.analysis.scores.candidates import CANDIDATES, Candidate
from buto.detectors.bounds.settings import SUSTAINED, BandSettings
from buto.detectors.effects import is_effect
from buto.detectors.keys import ALPHA, COMMON, Key, choice, number, patterns
from buto.detectors.settings import ALSO_JUDGED, Settings

CALIBRATED = replace(SUSTAINED, preset="calibrated", detector="calibrated")
"""One p-value for a check, over all properties and times. The bounds of ``sustained`` are drawn, and say when
a change began."""

GATE, SCORE, RESOLUTION = "gate", "score", "resolution"
CONTRASTS = "contrasts"
COARSE, FINE = "coarse", "fine"
OFFERED = tuple(name for name, one in CANDIDATES.items() if not one.prior_freedom)
"""Candidates whose score of one quantity does not depend on the others', so that sensitivity can be found."""

EXACT_COUNTERS = [
    "jvm.memory.allocated",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.memory.used_after_last_gc*Old*",
    "jvm.memory.heap.live",
    "jvm.object.live",
    "jvm.object.live.by_class",
    "jvm.class.initialized",
    "jvm.lock.contended",
    "jvm.safepoint.count",
    "process.memory.usage",
    "process.thread.count",
    "process.unix.file_descriptor.count",
    "process.socket.count",
    "process.io.bytes*",
    "process.io.calls*",
]
"""Recorded properties that ``calibrated-next`` also judges: most are nearly equal in equal runs."""

CALIBRATED_NEXT = replace(
    CALIBRATED,
    preset="calibrated-next",
    values={SCORE: "likelihood", RESOLUTION: FINE, GATE: 0.3, ALSO_JUDGED: EXACT_COUNTERS},
)
"""It finds smaller changes; ``docs/methods/next-method.md`` says why it is not the default."""

PRESETS: Mapping[str, BandSettings] = {one.preset: one for one in (CALIBRATED, CALIBRATED_NEXT)}


def _are_effects(value: Any) -> bool:
    return isinstance(value, Mapping) and all(is_effect(str(size)) for size in value.values())


KEYS = (
    ALPHA,
    choice("fail-on", "Which changes fail a check.", "any", "worse"),
    Key(
        "minimum-effect",
        {
            "title": "a mapping from shell patterns of properties to quantities",
            "description": "The smallest change of a property that counts, in its unit or as a share of "
            "its level; never if no change of it counts.",
            "type": "object",
            "additionalProperties": {"type": ["string", "number"]},
            "examples": ["{jvm.memory.heap.*: 64KiB, jvm.cpu.time: 5%}"],
        },
        _are_effects,
        "a mapping from shell patterns of properties to quantities (64KiB, 3, 5%, never)",
    ),
    number(
        GATE,
        "Largest p-value of a first run that two more runs follow; default: its score must be the highest.",
        0.0,
        1.0,
        title="a share from 0 to 1",
        example=0.3,
    ),
    choice(SCORE, f"How far runs differ over all properties; default {CONTRASTS}.", CONTRASTS, *OFFERED),
    choice(
        RESOLUTION,
        f"The smallest differences that mean something; default {COARSE}.",
        COARSE,
        FINE,
    ),
    patterns(
        ALSO_JUDGED,
        "Recorded properties that are judged beside the usual ones: shell patterns; default none.",
    ),
    *COMMON,
)


def candidate_of(settings: Settings) -> Candidate | None:
    """Return the score that replaces the usual one; None: contrasts."""
    return CANDIDATES.get(settings.values.get(SCORE, CONTRASTS))


def is_fine(settings: Settings) -> bool:
    """Return whether small differences of exact counters mean something."""
    return bool(settings.values.get(RESOLUTION, COARSE) == FINE)


def gate_of(settings: Settings) -> float | None:
    """Return the largest p-value of a first run that two more follow; None: it must surpass all others."""
    gate: float | None = settings.values.get(GATE)
    return gate


def with_usual_score(settings: BandSettings) -> BandSettings:
    """Return the settings with the score whose distribution over unchanged runs is known."""
    return replace(settings, values={key: value for key, value in settings.values.items() if key != SCORE})
