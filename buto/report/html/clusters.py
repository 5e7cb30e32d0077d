"""Clusters of a page: what rises and falls together, and what was predicted of it and measured."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from buto.judging.views import ClusterView
from buto.run.model import FloatArray
from buto.run.units import format_count, format_quantity

SIDE, MARGIN, TOP = 260, 76, 28
"""Of the square of predicted against measured, and of its margins at the sides and above, in pixels."""

MOST_POINTS = 600


class ClusterMember(Struct, frozen=True):
    name: str
    misjudged: bool


class Drawing(Struct, frozen=True):
    """One cluster.

    Attributes:
        target: the property's name, or of what it is the growth.
        caption: how many properties there are, and how many are named.
        members: those that are named, the target first.
        known, checked: points of training and of checked runs, as x and y.
        ticks: places on both axes, from the origin, with their labels.
    """

    target: str
    caption: str
    members: tuple[ClusterMember, ...]
    known: tuple[tuple[float, float], ...]
    checked: tuple[tuple[float, float], ...]
    ticks: tuple[tuple[float, str], ...]


def drawing(cluster: ClusterView) -> Drawing:
    n_named = len(cluster.names)
    named = "" if n_named == cluster.n_members else f", {n_named} are named"
    points = np.vstack([cluster.known, cluster.checked])
    low, high = float(points.min()), float(points.max())
    low = min(low, 0.0) if low < 0.2 * high else low
    scale = SIDE / ((high - low) or 1.0)

    def place_points(values: FloatArray) -> tuple[tuple[float, float], ...]:
        some = values[:: -(-len(values) // MOST_POINTS)]
        return tuple(
            (round(MARGIN + (x - low) * scale, 1), round(SIDE + TOP - (y - low) * scale, 1))
            for x, y in some.tolist()
        )

    def label(value: float) -> str:
        return f"{format_quantity(value, cluster.target.unit)}{'/s' if cluster.per_second else ''}"

    return Drawing(
        cluster.names[0],
        f"{format_count(cluster.n_members, 'property')} that rise and fall together{named}",
        tuple(ClusterMember(name, place in cluster.misjudged) for place, name in enumerate(cluster.names)),
        place_points(cluster.known),
        place_points(cluster.checked),
        tuple((round(at * SIDE, 1), label(low + at * (high - low))) for at in (0.0, 0.5, 1.0)),
    )
