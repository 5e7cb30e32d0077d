"""Profiles joined with what changed in the code: which change a stack counts for, and how likely it is.

Pure functions; docs/why.md states the model and what it assumes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.causes.changes import Changes
from buto.causes.classes import class_of, plain

FloatArray = npt.NDArray[np.float64]

STEP = 0.7
"""How much less likely a change is with each call between it and the code that uses more."""

ECHO = 0.02
"""How likely it is that code without any change near it is the cause, against code that changed."""

FARTHEST = 12
"""Calls beyond which code counts as far from a change."""

DEEPEST = 3
"""Calls below the code that uses more, within which a change is looked for."""

CALLS_NO_MORE = 0.5
"""How likely a changed method is that calls nothing new, against one that does."""

REAL = 0.1
"""Share of methods of which the sum differs, before anything is known."""

SPREAD = 5.0
"""Deviation of z where the sum differs, in standard errors."""


class Near(Struct, frozen=True):
    """The change that a stack counts for.

    Attributes:
        method: the changed method; the topmost of the user's if none is near.
        weight: how likely it is that this change did it, against one in the code on top itself, 0 to 1.
    """

    method: str
    weight: float


def nearest(
    methods: Sequence[str], holder: str, changes: Changes, below: Mapping[str, Near] | None = None
) -> Near:
    """Return the change that a stack counts for.

    It is the topmost changed method on the stack. For kept objects it may also be a method that uses the
    field that holds them.

    Args:
        methods: the user's methods on the stack, that of the event first; at least one.
        holder: the field that keeps the object; may be empty.
        below: for methods on top the change that they may have called, see :func:`find_called_changes`.
    """
    candidates = []
    for at, method in enumerate(methods[: FARTHEST + 1]):
        change = changes.of(method)
        if change is not None:
            candidates = [Near(method, STEP**at)]
            break
    using = _using(plain(holder), changes) if holder else ""
    if using:
        candidates.append(Near(using, STEP))
    if below is not None and methods[0] in below:
        candidates.append(below[methods[0]])
    return max(candidates, key=lambda near: near.weight, default=Near(methods[0], ECHO))


def find_called_changes(
    tops: Iterable[str], seen: Mapping[str, Collection[str]], changes: Changes
) -> dict[str, Near]:
    """Return for methods the likeliest changed method that they lead to.

    The compiler inlines short methods, and a sample may then count for their caller.

    Args:
        tops: methods, of which those that changed themselves are left out.
        seen: by method, what it calls on some stack: calls through an interface are not in the code.
    """
    return {top: near for top in tops if changes.of(top) is None for near in _below(top, seen, changes)}


def _below(top: str, seen: Mapping[str, Collection[str]], changes: Changes) -> list[Near]:
    candidates: list[Near] = []
    reached, level = {top}, [top]
    for depth in range(1, DEEPEST + 1):
        following = {
            name
            for method in level
            for name in (*changes.calls.get(plain(method), ()), *seen.get(method, ()))
        }
        level = sorted(following - reached)
        reached |= following
        for name in level:
            change = changes.of(name)
            if change is not None:
                likely = STEP ** (depth + 1) * (1 if change.calls_more else CALLS_NO_MORE)
                candidates.append(Near(name, likely))
    return sorted(candidates, key=lambda near: (-near.weight, near.method))[:1]


def _using(holder: str, changes: Changes) -> str:
    """Return a changed method that uses a field, one of its own class first; empty if there is none."""
    using = sorted(
        (class_of(name) != class_of(holder), name)
        for name, fields in changes.fields_of.items()
        if holder in fields
    )
    return using[0][1] if using else ""


def closeness(rise: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean weight of what rose in each unit, shape (n_units,).

    Args:
        rise: by weight and unit, shape (n_weights, n_units).
        weights: how likely the change is, shape (n_weights,).
    """
    rose = np.maximum(rise, 0.0)
    total = rose.sum(axis=0)
    largest = np.where(rise != 0, weights[:, None], 0.0).max(axis=0, initial=0.0)
    return np.asarray(np.divide(weights @ rose, total, out=largest, where=total > 0))


def reality(z: FloatArray) -> FloatArray:
    """Return how likely it is that a sum rose at all, shape (n_units,), 0 to 1; 0 for what fell.

    The z of what differs is normal with the deviation SPREAD, that of all else with 1; REAL is the share of
    the first.
    """
    wide = np.sqrt(1 + SPREAD**2)
    odds = REAL / (1 - REAL) / wide * np.exp(np.minimum(z**2 * (1 - 1 / wide**2) / 2, 700.0))
    return np.where(z > 0, odds / (1 + odds), 0.0)


def certainty(share: FloatArray, z: FloatArray, close: FloatArray) -> FloatArray:
    """Return how likely each unit is the one that the change made rise, shape (n_units,); the sum is 1.

    Args:
        share: of all that rose.
        close: of :func:`closeness`; ones if it is not known what changed.
    """
    likely = share * reality(z) * close
    total = likely.sum()
    return np.asarray(likely / total if total > 0 else likely)
