"""Clusters of a page as drawings: a dendrogram beside what was predicted and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.judging.views import ClusterView
from buto.run.model import FloatArray
from buto.run.units import format_count, format_quantity

TREE, LABELS, ROW = 120, 380, 18
"""Widths of the tree and of its labels, and the height of a row, in pixels."""

SIDE, MARGIN, TOP = 260, 76, 28
"""Of the square of predicted against measured, and of its margins at the sides and above, in pixels."""

LETTERS = 54
"""Of a label; the whole name is its title."""

MOST_POINTS = 600


@dataclass(frozen=True, slots=True)
class Leaf:
    y: float
    label: str
    name: str
    misjudged: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """One cluster.

    Attributes:
        target: the property's name, or of what it is the growth.
        caption: how many properties there are, and how many are drawn.
        height: of the tree.
        paths: of the tree, as SVG.
        known, checked: points of training and of checked runs, as x and y.
        ticks: places on both axes, from the origin, with their labels.
    """

    target: str
    caption: str
    height: int
    leaves: tuple[Leaf, ...]
    paths: tuple[str, ...]
    known: tuple[tuple[float, float], ...]
    checked: tuple[tuple[float, float], ...]
    ticks: tuple[tuple[float, str], ...]


def drawing(cluster: ClusterView) -> Drawing:
    order, paths = _tree(cluster.merges, len(cluster.names))
    drawn = "" if len(order) == cluster.n_members else f", {len(order)} are drawn"
    points = np.vstack([cluster.known, cluster.checked])
    low, high = float(points.min()), float(points.max())
    low = min(low, 0.0) if low < 0.2 * high else low
    scale = SIDE / ((high - low) or 1.0)

    def placed(values: FloatArray) -> tuple[tuple[float, float], ...]:
        some = values[:: -(-len(values) // MOST_POINTS)]
        return tuple(
            (round(MARGIN + (x - low) * scale, 1), round(SIDE + TOP - (y - low) * scale, 1))
            for x, y in some.tolist()
        )

    def label(value: float) -> str:
        return f"{format_quantity(value, cluster.target.unit)}{'/s' if cluster.per_second else ''}"

    return Drawing(
        cluster.names[0],
        f"{format_count(cluster.n_members, 'property')} that rise and fall together{drawn}",
        ROW * len(order) + 8,
        tuple(
            Leaf(
                ROW * (row + 0.5), _short(cluster.names[leaf]), cluster.names[leaf], leaf in cluster.misjudged
            )
            for row, leaf in enumerate(order)
        ),
        paths,
        placed(cluster.known),
        placed(cluster.checked),
        tuple((round(at * SIDE, 1), label(low + at * (high - low))) for at in (0.0, 0.5, 1.0)),
    )


def _tree(merges: FloatArray, n_leaves: int) -> tuple[list[int], tuple[str, ...]]:
    """Return the leaves from top to bottom, and the lines; the root is left, distance 1 the whole width."""
    members: dict[int, list[int]] = {leaf: [leaf] for leaf in range(n_leaves)}
    for step, (one, other) in enumerate(merges[:, :2].astype(int).tolist()):
        members[n_leaves + step] = [*members[one], *members[other]]
    order = members[max(members)]
    y = {leaf: ROW * (row + 0.5) for row, leaf in enumerate(order)}
    x = dict.fromkeys(range(n_leaves), float(TREE))
    paths = []
    for step, (one, other, height, _) in enumerate(merges.tolist()):
        at = TREE * (1 - min(1.0, height) * 0.95)
        first, second = int(one), int(other)
        paths.append(f"M{x[first]:.1f},{y[first]:.1f}H{at:.1f}V{y[second]:.1f}H{x[second]:.1f}")
        x[n_leaves + step], y[n_leaves + step] = at, (y[first] + y[second]) / 2
    return order, tuple(paths)


def _short(name: str) -> str:
    return name if len(name) <= LETTERS else f"{name[: LETTERS // 2]}…{name[-LETTERS // 2 :]}"
