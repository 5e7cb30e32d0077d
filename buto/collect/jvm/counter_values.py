"""Which properties the JVM's performance counters give while it runs, and how to read them at low cost.

The names are those of HotSpot; JDK 8 to 25 differ little. A JVM that lacks one, as with ``-XX:-UsePerfData``
or another collector, gives NaN with a reason.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

FREQUENCY = "sun.os.hrt.frequency"
"""The JVM's ticks in one second."""

_WORD_BYTES = 8


class Scale(Enum):
    """In what a counter counts."""

    ONE = "one"
    TICKS = "ticks"
    WORDS = "words"
    """Of the heap. HotSpot declares these counters as bytes, but stores words."""


@dataclass(frozen=True, slots=True)
class CounterSource:
    """What a property is the sum of.

    Attributes:
        name: of a counter that every supported JDK has.
        further: names of counters of which each JDK has some.
        scale: the same for all of them.
    """

    name: str
    scale: Scale = Scale.ONE
    further: tuple[str, ...] = ()


COUNTER_SOURCES: Mapping[str, CounterSource] = {
    "jvm.class.initialized": CounterSource("sun.cls.initializedClasses"),
    "jvm.class.initialization.time": CounterSource("sun.cls.classInitTime", Scale.TICKS),
    "jvm.class.verified": CounterSource("sun.cls.verifiedClasses"),
    "jvm.class.verification.time": CounterSource("sun.cls.classVerifyTime", Scale.TICKS),
    "jvm.compilation.count": CounterSource("sun.ci.totalCompiles"),
    "jvm.compilation.invalidated": CounterSource("sun.ci.totalInvalidates"),
    "jvm.compilation.code.size": CounterSource("sun.ci.nmethodCodeSize"),
    "jvm.lock.parked": CounterSource("sun.rt._sync_Parks"),
    "jvm.safepoint.count": CounterSource("sun.rt.safepoints"),
    "jvm.safepoint.time": CounterSource("sun.rt.safepointTime", Scale.TICKS),
    "jvm.safepoint.sync.time": CounterSource("sun.rt.safepointSyncTime", Scale.TICKS),
    "jvm.memory.tlab.waste": CounterSource(
        "sun.gc.tlab.gcWaste",
        Scale.WORDS,
        ("sun.gc.tlab.refillWaste", "sun.gc.tlab.slowWaste", "sun.gc.tlab.fastWaste"),
    ),
}
"""By property."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A property as a sum of numbers at known places of the counter file."""

    name: str
    places: tuple[int, ...]
    factor: float


class CounterPlan:
    """Reads the properties of :data:`COUNTER_SOURCES` from a counter file whose layout is known.

    A counter stays at its place as long as the JVM lives.

    Args:
        places: where in the file each number is, by the counter's name.
        order: of the bytes, ``<`` or ``>``.
        ticks_per_s: of the JVM's clock.

    Attributes:
        missing: by property, why it cannot be read.
    """

    def __init__(self, places: Mapping[str, int], order: str, ticks_per_s: float) -> None:
        self._number = struct.Struct(order + "q")
        self._terms: list[_Term] = []
        self.missing: dict[str, str] = {}
        factors = {Scale.ONE: 1.0, Scale.TICKS: 1.0 / ticks_per_s, Scale.WORDS: float(_WORD_BYTES)}
        for name, source in COUNTER_SOURCES.items():
            if source.name not in places:
                self.missing[name] = f"this JVM has no performance counter {source.name}"
                continue
            wanted = [places[each] for each in (source.name, *source.further) if each in places]
            self._terms.append(_Term(name, tuple(wanted), factors[source.scale]))

    def values(self, data: bytes | mmap.mmap) -> dict[str, float]:
        """Return the current values in the properties' units; properties that are missing are left out."""
        number = self._number.unpack_from
        return {
            term.name: sum(number(data, place)[0] for place in term.places) * term.factor
            for term in self._terms
        }
