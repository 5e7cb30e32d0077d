"""The size of a change that matters, as a user writes it, and by default.

``64KiB``, ``20ms``, ``3``, ``5%`` of a property's level, both (``5% and 1MiB``), or ``never``. A smaller
change is noted and fails no check. :data:`USUAL` has the sizes for what no setting names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from buto.errors import UsageError
from buto.judging.accusing import is_level
from buto.judging.features import SLOPE
from buto.run.model import BoolArray, FloatArray
from buto.run.patterns import fits
from buto.run.properties import Nature, Property, nature_of
from buto.run.units import parse_bytes, parse_seconds, scale_of_unit

MINIMUM_EFFECT = "minimum-effect"
"""The key of ``judge`` for them."""

NEVER = "never"
"""The effect with which no change of a property counts."""

EVERYTHING = "*"
AND = " and "

DIGITS = 2
"""Significant digits of an effect that is proposed."""

USUAL: Mapping[str, str] = {
    EVERYTHING: "5%",
    "run.duration": "10% and 100ms",
    "jvm.cpu.time": "10% and 50ms",
    "command.cpu.time": "10% and 1ms",
    "process.cpu.*": "10%",
    "jvm.memory.heap.used": "5% and 1MiB",
    "jvm.memory.heap.committed": NEVER,
    "jvm.memory.heap.used_after_last_gc": "5% and 128KiB",
    "jvm.memory.heap.live": "2% and 32KiB",
    "jvm.object.live": "2% and 500",
    "jvm.object.live.by_class": "1% and 32KiB",
    "jvm.memory.allocated": "5% and 512KiB",
    "jvm.memory.non_heap.used": "5% and 1MiB",
    "jvm.memory.non_heap.committed": NEVER,
    "jvm.memory.used[[]*": "10% and 1MiB",
    "jvm.memory.committed[[]*": NEVER,
    "jvm.memory.used_after_last_gc[[]*": "5% and 128KiB",
    "jvm.memory.*Eden*": NEVER,
    "jvm.memory.*Survivor*": NEVER,
    "jvm.memory.used*Metaspace*": "10% and 1MiB",
    "jvm.memory.used*Class Space*": "10% and 256KiB",
    "jvm.memory.used*Code*": "20% and 1MiB",
    "jvm.memory.pending_finalization": "10% and 10",
    "jvm.memory.threshold.crossings*": "10% and 5",
    "jvm.class.*": "15% and 150",
    "jvm.compilation.time": "20% and 100ms",
    "jvm.thread.*": "1",
    "jvm.thread.virtual.pinned": "10% and 1",
    "process.thread.count": "1",
    "jvm.buffer.count*": "10% and 2",
    "jvm.buffer.memory.*": "5% and 64KiB",
    "jvm.gc.count*": "20% and 3",
    "jvm.gc.time*": "20% and 20ms",
    "jvm.safepoint.count": "10% and 5",
    "jvm.lock.contended": "20% and 20",
    "command.memory.peak": "5% and 512KiB",
    "command.paging.faults[[]minor*": "5% and 100",
    "command.paging.faults[[]major*": NEVER,
    "process.memory.usage": "5% and 4MiB",
    "process.unix.file_descriptor.count": "1",
    "process.socket.count": "1",
    "process.io.bytes*": "10% and 64KiB",
    "process.io.calls*": "10% and 250",
    "process.disk.io[[]write*": "20% and 1MiB",
    "process.context_switches[[]voluntary*": "30% and 300",
}
"""Sizes by shell pattern; the last pattern that fits holds. ``docs/methods/judging.md`` says why each."""

PART = 2.0
"""What differs in a part of the run only, or in how it moves, matters from twice the size on: the same work
may come a little earlier."""

GROWTH = 0.25
"""Growth during the run matters from this share of the size of a level on: what grows does not end."""

GROWTH_MEASURE = "growth from the first to the last third"
"""What findings call it."""

PART_MEASURES = {
    "mean-early": "mean of the first third",
    "mean-middle": "mean of the second third",
    "mean-late": "mean of the last third",
    "deviation": "scatter within the run",
    "low": "p10 over the run",
    "median": "median over the run",
    "high": "p90 over the run",
    "largest": "largest value",
    "last": "last value",
    "roughness": "mean step between two samples",
    "increase-early": "increase in the first third",
    "increase-middle": "increase in the second third",
    "increase-late": "increase in the last third",
}
"""Features of a part of the run, or of how a property moves, and what findings call them."""


def feature_called(measure: str) -> str:
    """Return the name of the feature that findings call so; the words themselves for any other."""
    called = {words: name for name, words in PART_MEASURES.items()} | {GROWTH_MEASURE: SLOPE}
    return called.get(measure, measure)


def share_that_matters(prop: Property, feature: str) -> float:
    """Return from which multiple of a property's size on a difference matters, by the feature's name."""
    if feature == SLOPE:
        return GROWTH
    return PART if feature in PART_MEASURES and not is_level(prop, feature) else 1.0


PER_CLASS: Mapping[str, float] = {
    "jvm.memory.heap.used_after_last_gc": 3072.0,
    "jvm.memory.used_after_last_gc[[]*": 3072.0,
    "jvm.memory.heap.live": 3072.0,
    "jvm.object.live": 80.0,
    "jvm.object.live.by_class": 1024.0,
}
"""What a loaded class may keep alive by itself, in the unit of the property: its mirror, its constants, and
the tables that describe it. A live heap that grew with the number of classes has grown by this much less."""

_PARSERS = {"By": parse_bytes, "s": parse_seconds}


def effects_from(written: Any) -> dict[str, str]:
    """Return the effects by pattern from a value of MINIMUM_EFFECT: a mapping, or one size for all."""
    if isinstance(written, Mapping):
        return {str(name): str(size) for name, size in written.items()}
    return {EVERYTHING: str(written)}


def is_effect(text: str) -> bool:
    """Return whether a text is a quantity of some unit, a share, both, or NEVER."""
    if text == NEVER:
        return True
    parts = text.split(AND)
    return len(parts) <= 2 and all(map(_is_size, parts))


def smallest_effects(
    properties: Sequence[Property], levels: FloatArray, minimum: Mapping[str, str]
) -> FloatArray:
    """Return the smallest change of each property that matters, in its unit, shape (n_properties,).

    The last pattern that fits a property's name holds, of the given ones before the usual ones. Infinite for
    NEVER; of a share and an amount, the larger holds. A given share alone has the amount of the usual size
    beside it: one collection more than none is no change by any share.

    Args:
        levels: shape (n_properties,), what shares are of.

    Raises:
        UsageError: a quantity of another unit than the property's.
    """
    effects = np.zeros(len(properties))
    usual = _BESIDE_JAVA if any(prop.name == JAVA_THREADS for prop in properties) else {}
    for number, prop in enumerate(properties):
        pattern, text = (
            last_fitting(prop.name, minimum) or last_fitting(prop.name, usual) or _usual(prop.name)
        )
        effects[number] = _effect(prop, levels[number], pattern, text)
    return effects


def size_of(prop: Property, level: float, text: str) -> float:
    """Return the size that a text means for a property, in its unit, and nothing beside it.

    For what a user allows, where no usual amount may be added; :func:`smallest_effects` is for what matters.

    Args:
        level: what a share is of.

    Raises:
        UsageError: a quantity of another unit than the property's.
    """
    share, amount = _share_and_amount(prop.unit, text)
    return max(share * abs(level), amount or 0.0)


JAVA_THREADS = "jvm.thread.count"
_BESIDE_JAVA: Mapping[str, str] = {"process.thread.count": "3"}
"""Usual sizes where Java's own threads are counted: the others are the JVM's, which starts and ends compilers
as it needs them, and a short run is read a few times only."""

INSTEAD: Mapping[str, str] = {
    "jvm.memory.heap.used": "jvm.memory.allocated",
    "jvm.memory.used[[]*": "jvm.memory.allocated",
}
"""What swings with collections, by pattern, and the property that is judged instead where it was read."""


def find_stood_in_for(properties: Sequence[Property], minimum: Mapping[str, str]) -> BoolArray:
    """Return which properties another one is judged instead of, shape (n_properties,).

    None for which a user has set a size.

    Args:
        minimum: the sizes that a user has set, by pattern.
    """
    names = {prop.name for prop in properties}
    own = {pattern: size for pattern, size in minimum.items() if pattern != EVERYTHING}
    return np.array(
        [
            nature_of(prop) is Nature.GARBAGE
            and not names.isdisjoint(_instead_of(prop.name))
            and last_fitting(prop.name, own) is None
            for prop in properties
        ],
        np.bool_,
    )


@cache
def _instead_of(name: str) -> tuple[str, ...]:
    return tuple(other for pattern, other in INSTEAD.items() if fits(name, pattern))


def is_ever_minded(name: str) -> bool:
    """Return whether any change of a property matters by the usual sizes."""
    return _usual(name)[1] != NEVER


def estimate_kept_by_classes(properties: Sequence[Property]) -> FloatArray:
    """Return how much of each property a loaded class may keep by itself, shape (n_properties,)."""
    return np.array([_find_kept_by_class(prop.name) for prop in properties])


@cache
def _find_kept_by_class(name: str) -> float:
    return next((size for pattern, size in PER_CLASS.items() if fits(name, pattern)), 0.0)


def effect_text(size: float, unit: str) -> str:
    """Return the smallest effect of two digits that is at least this size, as a user writes it.

    Args:
        size: positive, in the unit of a property.
    """
    steps = [step for step in scale_of_unit(unit) if step.size <= max(size, scale_of_unit(unit)[0].size)]
    step = next((fitting for fitting in reversed(steps) if fitting.shown_from is None), None)
    amount, suffix = (size, "") if step is None else (size / step.size, step.text)
    scale = 10.0 ** (math.floor(math.log10(amount)) - DIGITS + 1)
    return f"{math.ceil(amount / scale - 1e-9) * scale:.10g}{suffix}"


def last_fitting(name: str, sizes: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the last pattern that fits a property's name, and its size; None if none does."""
    for pattern, text in [*sizes.items()][::-1]:
        if name == pattern or fits(name, pattern):
            return pattern, text
    return None


@cache
def _usual(name: str) -> tuple[str, str]:
    return last_fitting(name, USUAL) or (EVERYTHING, USUAL[EVERYTHING])


def _is_size(text: str) -> bool:
    for parse in (_parse_share, _parse_number, parse_bytes, parse_seconds):
        with suppress(UsageError):
            return parse(text) >= 0
    return False


def _effect(prop: Property, level: float, pattern: str, text: str) -> float:
    try:
        size = size_of(prop, level, text)
        has_amount = _share_and_amount(prop.unit, text)[1] is not None
    except UsageError as error:
        raise UsageError(f"judge: minimum-effect: {pattern}: {prop.name}: {error.message}") from error
    return size if has_amount else max(size, _usual_amount(prop))


def _usual_amount(prop: Property) -> float:
    """Return the amount of a property's usual size; 0 without one.

    Also 0 for what usually never matters: a user who gives it a share wants to hear of it.
    """
    amount = _share_and_amount(prop.unit, _usual(prop.name)[1])[1]
    return 0.0 if amount is None or math.isinf(amount) else amount


@cache
def _share_and_amount(unit: str, text: str) -> tuple[float, float | None]:
    """Return the share of a level and the amount, of which the larger is the size that a text means.

    The amount is None for a share alone, which is not zero.
    """
    if text == NEVER:
        return 0.0, math.inf
    parts = text.split(AND)
    shares = [_parse_share(part) for part in parts if part.strip().endswith("%")]
    amounts = [_amount(unit, part) for part in parts if not part.strip().endswith("%")]
    share = max(shares, default=0.0)
    return share, max(amounts, default=None if share else 0.0)


def _amount(unit: str, text: str) -> float:
    # Zero needs no unit.
    return 0.0 if text.strip() == "0" else float(_PARSERS.get(unit, _parse_number)(text))


def _parse_share(text: str) -> float:
    number, percent, rest = text.strip().partition("%")
    if not percent or rest:
        raise UsageError(f"{text!r} is no share such as 5%")
    return _parse_number(number) / 100.0


def _parse_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no number") from error
    if not np.isfinite(number):
        raise UsageError(f"{text!r} is no finite number")
    return number
