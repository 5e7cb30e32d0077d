"""Exact calls of the few methods that remain, and their bytes, old and new, joined to an explanation.

A recording has samples: it tells where more is used, not how often code runs, nor what a call allocates. The
numbers are of one launch of each program. They change no rank and no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from buto.features.why.model import Calls, Cause, Explanation, Tier
from buto.measure.calls import Count
from buto.programs.classes import plain
from buto.run.profiles import Kind

MOST = 40
"""Methods that are counted, so that counting costs little."""

CONSTRUCTOR = "<init>"

_NONE = Count()

_KEPT = (Kind.RETENTION, Kind.CLASSES, Kind.LOADED)

_OF_THE_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


def wanted(explanation: Explanation) -> tuple[str, ...]:
    """Return the methods to count: the causes and the likely ones, what they lead to, and what they make.

    Not of what is kept: objects that stay do not tell by how often they were made.
    """
    likely = (one for one in explanation.causes if one.tier is not Tier.OTHER and one.kind not in _KEPT)
    return tuple(dict.fromkeys(name for one in likely for name in _names(one)))[:MOST]


def with_calls(explanation: Explanation, old: Mapping[str, Count], new: Mapping[str, Count]) -> Explanation:
    """Return the explanation with the calls of each method that was counted.

    Args:
        old, new: by method its counts; what was called in neither program is not told.
    """

    def calls_of(name: str) -> Calls:
        before, after = old.get(name, _NONE), new.get(name, _NONE)
        return Calls(name, before.calls, after.calls, before.each, after.each)

    def counted(cause: Cause) -> Cause:
        calls = map(calls_of, _names(cause))
        return replace(cause, calls=tuple(one for one in calls if one.old or one.new))

    return replace(
        explanation,
        kinds=tuple(replace(kind, found=tuple(map(counted, kind.found))) for kind in explanation.kinds),
    )


def _names(cause: Cause) -> Iterator[str]:
    """Give the method, the code on top that it leads to, and the constructor of what it makes."""
    yield plain(cause.method)
    if cause.at:
        yield plain(cause.at)
    if cause.type and not cause.type.endswith("]") and not cause.type.startswith(_OF_THE_JDK):
        yield f"{plain(cause.type)}.{CONSTRUCTOR}"
