"""Exact calls of the few methods that remain, and their bytes, old and new, joined to an explanation.

A recording has samples: it tells where more is used, not how often code runs, nor what a call allocates. The
numbers are of one launch of each program. They change no verdict. A likely method that was edited and whose
exact calls or bytes rose is a cause: no sample is needed to know that it does more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from msgspec import structs

from buto.causes.calls import Count
from buto.causes.classes import plain
from buto.causes.model import CallCounts, Cause, Explanation, Tier
from buto.causes.profiles import ProfileKind

MOST = 40
"""Methods that are counted, so that counting costs little."""

CONSTRUCTOR = "<init>"

_NONE = Count()

_KEPT = (ProfileKind.RETENTION, ProfileKind.CLASSES, ProfileKind.LOADED)

_OF_THE_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


def choose_methods(explanation: Explanation) -> tuple[str, ...]:
    """Return the methods to count: the causes and the likely ones, what they lead to, and what they make.

    Not of what is kept: objects that stay do not tell by how often they were made.
    """
    likely = (
        cause for cause in explanation.causes if cause.tier is not Tier.OTHER and cause.kind not in _KEPT
    )
    return tuple(dict.fromkeys(name for cause in likely for name in _names(cause)))[:MOST]


def with_calls(explanation: Explanation, old: Mapping[str, Count], new: Mapping[str, Count]) -> Explanation:
    """Return the explanation with the calls of each method that was counted.

    Args:
        old, new: by method its counts; what was called in neither program is not told.
    """

    def calls_of(name: str) -> CallCounts:
        before, after = old.get(name, _NONE), new.get(name, _NONE)
        return CallCounts(name, before.calls, after.calls, before.each, after.each)

    def count_methods(cause: Cause) -> Cause:
        calls = map(calls_of, _names(cause))
        cause = replace(cause, calls=tuple(counts for counts in calls if counts.old or counts.new))
        return replace(cause, tier=Tier.CAUSE) if _is_proven(cause) else cause

    return structs.replace(
        explanation,
        kinds=tuple(
            structs.replace(kind, found=_within_counts(tuple(map(count_methods, kind.found))))
            for kind in explanation.kinds
        ),
    )


def _within_counts(found: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """Return causes of which those of one method rose together by no more than it was counted to allocate.

    A sample is larger or smaller by chance, and what a method was counted to allocate has what it calls, too:
    so more than that is known to be wrong, and less is not.
    """
    sampled: defaultdict[str, float] = defaultdict(float)
    for cause in found:
        sampled[cause.method] += max(0.0, cause.new - cause.old)

    def limit(cause: Cause) -> Cause:
        counted = _counted_rise(cause)
        rise = cause.new - cause.old
        if counted is None or not 0 < counted < sampled[cause.method] or rise <= 0:
            return cause
        return replace(cause, new=cause.old + rise * counted / sampled[cause.method])

    return tuple(map(limit, found))


def _counted_rise(cause: Cause) -> float | None:
    """Return by how many bytes all calls of a method allocate more, as counted; None if that is not known."""
    own = cause.calls_of(cause.method)
    if cause.kind is not ProfileKind.ALLOCATION or own is None or own.new_bytes is None:
        return None
    if own.old and own.old_bytes is None:
        return None
    return own.new * own.new_bytes - own.old * (own.old_bytes or 0.0)


GROWN = 1.1
"""By how much what a method does must have risen to name it: programs that wait call some methods more often
by chance."""


def _is_proven(cause: Cause) -> bool:
    """Return whether a likely method was edited and, exactly counted, is called or allocates more."""
    own = cause.calls_of(cause.method)
    if own is None or cause.tier is not Tier.LIKELY or not cause.code or cause.is_echo:
        return False
    if own.new >= GROWN * own.old and own.new > own.old:
        return True
    before, after = own.old_bytes, own.new_bytes
    if before is None or after is None or own.new < own.old:
        return False
    return after > before and after >= GROWN * before


def _names(cause: Cause) -> Iterator[str]:
    """Give the method, the code on top that it leads to, and the constructor of what it makes."""
    yield plain(cause.method)
    if cause.at:
        yield plain(cause.at)
    if cause.type and not cause.type.endswith("]") and not cause.type.startswith(_OF_THE_JDK):
        yield f"{plain(cause.type)}.{CONSTRUCTOR}"
