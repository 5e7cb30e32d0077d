"""Read sources once, without a run: what would be recorded now?"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from buto.collect.sources.protocol import Surroundings
from buto.collect.sources.registry import require, source
from buto.collect.sources.sampling import FAILURES, prefixed, reason_of
from buto.collect.target import SourceSpec
from buto.properties import Property


@dataclass(frozen=True, slots=True)
class DryReading:
    """What one source gave.

    Attributes:
        numbers: its properties with their values, by name.
        took_s: time for the reading.
        reason: why there are none, or not all; empty if all is well.
    """

    numbers: tuple[tuple[Property, float], ...]
    took_s: float
    reason: str = ""


def read_once(spec: SourceSpec, surroundings: Surroundings) -> DryReading:
    """Read a source once. A failure is a reason, as in a run.

    Raises:
        UsageError: a package that the source needs is not installed.
    """
    require(spec.kind)
    begun = time.monotonic()
    with source(spec.kind)(spec.settings).open(surroundings, spec.interval_s, spec.timeout_s) as reader:
        try:
            values = reader.read()
        except FAILURES as error:
            return DryReading((), time.monotonic() - begun, reason_of(error))
        numbers = [
            (prefixed(spec.name, reader.property(name)), value)
            for name, value in values.items()
            if not math.isnan(value)
        ]
        is_whole = values.keys() >= set(reader.names())
        reason = "" if is_whole else reader.why_missing()
    return DryReading(tuple(sorted(numbers, key=lambda one: one[0].name)), time.monotonic() - begun, reason)
