"""Which build gave how much of a change: the sum since an anchor, divided by the first runs of its builds.

A build has one first run, so a step after which nothing changes is known better than one of the newest
build. The level is a function of steps. Of all ways to put steps, the one with the least cost is taken: each
run costs its squared distance from the level, at most :data:`STRAY` of them, and each step has to pay for
itself. So a single run that strays costs less than two steps, and more than one: it moves no level, and
builds that each add something are still told apart. What one run scatters is chosen with the steps, by the
likelihood, because ten runs of training do not tell how far later ones stray. The least cost is found by
dynamic programming over the levels that occur (after Fearnhead and Rigaill, Journal of the American
Statistical Association 114, 2019, who bound the loss in the same way).

Pure: arrays in, values out.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf, log, sqrt

import numpy as np
from msgspec import Struct

from buto.run.model import BoolArray, FloatArray, IntArray

STEP = 16.0
"""What a step costs, in squared deviations of one run: of forty builds without a step, about one series in
thirty has one, with the scatter that ten runs of the anchor leave possible."""

STRAY = 24.0
"""What a run costs at most: more than the step to the next build's level, less than one there and back."""

COVERAGE = 0.95

LEAST_SCATTER = 5e-4
"""Of one run, as a share of the level: exact counters repeat themselves no better from day to day."""

_N_SCATTERS = 25
"""Deviations of one run among which the likelihood chooses."""

_MOST_LEVELS = 400
"""Levels that are tried; of more runs, so many quantiles."""

_NEWEST = 5
"""Newest builds whose level is the present one where there is no step."""


class BuildShare(Struct, frozen=True):
    """What one build gave.

    Attributes:
        place: number of the build among those after the anchor.
        first: the first build that may have given it, where the runs in between stray; most often ``place``.
        change: in the unit of the quantity.
        half: half the width of its interval, which has the true change in 95 of 100 cases.
    """

    place: int
    first: int
    change: float
    half: float


class DividedChange(Struct, frozen=True):
    """A change since an anchor, divided among builds.

    Attributes:
        total: from the anchor's level to that of the newest builds.
        shares: of the builds at which something changed, in their order.
        rest: what no build gave certainly; small steps, and scatter.
    """

    total: float
    shares: tuple[BuildShare, ...]
    rest: float


NOTHING = DividedChange(0.0, (), 0.0)


def divide_change(anchor: FloatArray, builds: FloatArray, present: FloatArray | None = None) -> DividedChange:
    """Return which builds gave how much of the change since an anchor.

    Args:
        anchor: shape (n_anchor,), runs of the anchor; at least two.
        builds: shape (n_builds,), first runs in the order of commits; NaN for a build without one.
        present: shape (n_present,), further runs of the newest build.
    """
    more = np.empty(0) if present is None else present
    places = np.concatenate([np.full(len(anchor), -1), np.arange(len(builds))])
    places = np.concatenate([places, np.full(len(more), len(builds) - 1)])
    values = np.concatenate([anchor, builds, more])
    read = np.isfinite(values)
    values, places = values[read], places[read]
    if len(builds) == 0 or not (places >= 0).any() or not (places < 0).any():
        return NOTHING
    # A step lies between two builds, never between two runs of one.
    may_step = np.concatenate([[False], np.diff(places) > 0])
    fitted = _without_strays(_fit(values, may_step, int((places < 0).sum())), values)
    edges = [0, *fitted.steps, len(values)]
    levels = _Levels.of(values, edges, fitted)
    shares = []
    for number, edge in enumerate(fitted.steps):
        half = levels.factor * sqrt(1 / levels.n[number] + 1 / levels.n[number + 1])
        # What strays right before the level may have been the first run that has it.
        first = edge
        while first > 1 and fitted.strays[first - 1] and may_step[first - 1]:
            first -= 1
        change = levels.mean[number + 1] - levels.mean[number]
        shares.append(BuildShare(int(places[edge]), int(places[first]), change, half))
    newest = places >= len(builds) - _NEWEST
    total = levels.mean[-1] - levels.mean[0]
    if not shares:
        # Without steps the level is one; what remains of the difference is no build's.
        total = float(np.median(values[newest & (places >= 0)]) - np.median(values[places < 0]))
    return DividedChange(total, tuple(shares), total - sum(share.change for share in shares))


class _Fitted(Struct, frozen=True, eq=False):
    """Levels with the least cost.

    Attributes:
        steps: numbers of runs that begin a new level.
        level: shape (n_runs,).
        scatter: deviation of one run that does not stray.
        strays: shape (n_runs,).
    """

    steps: list[int]
    level: FloatArray
    scatter: float
    strays: BoolArray


def _fit(values: FloatArray, may_step: BoolArray, n_anchor: int) -> _Fitted:
    """Return the steps, and the scatter, under which the runs are likeliest."""
    least = LEAST_SCATTER * abs(float(np.median(values)))
    # In the runs of the anchor is no step: what scatters more than they do moves.
    widest = max(float(values[:n_anchor].std(ddof=min(1, n_anchor - 1))), least) or float(values.std()) or 1.0
    least = least or 1e-6 * widest
    candidates = np.unique(values)
    if len(candidates) > _MOST_LEVELS:
        candidates = np.unique(np.quantile(values, np.linspace(0, 1, _MOST_LEVELS), method="nearest"))
    fitted, least_cost = None, inf
    for scatter in np.geomspace(least, widest, _N_SCATTERS):
        path, cost = _cheapest(values, may_step, candidates, float(scatter))
        cost += 2 * len(values) * log(scatter)
        if fitted is None or cost < least_cost:
            level = candidates[path]
            steps = [int(at) for at in np.flatnonzero(np.diff(path)) + 1]
            strays = np.abs(values - level) > sqrt(STRAY) * scatter
            fitted, least_cost = _Fitted(steps, level, float(scatter), strays), cost
    assert fitted is not None
    return fitted


def _without_strays(fitted: _Fitted, values: FloatArray) -> _Fitted:
    """Return levels without those of one run that lie beyond both neighbours: such a run strays at a step."""
    steps, level, strays = list(fitted.steps), fitted.level.copy(), fitted.strays.copy()
    for at in fitted.steps:
        is_one = at in steps and at + 1 in steps
        if is_one and (level[at] - level[at - 1]) * (level[at + 1] - level[at]) < 0:
            steps.remove(at)
            level[at], strays[at] = level[at - 1], True
    return _Fitted(steps, level, fitted.scatter, strays)


def _cheapest(
    values: FloatArray, may_step: BoolArray, candidates: FloatArray, scatter: float
) -> tuple[IntArray, float]:
    """Return the number of each run's level among candidates, and what the whole costs."""
    loss = np.minimum(((values[:, None] - candidates) / scatter) ** 2, STRAY)
    n, n_levels = loss.shape
    cost = loss[0]
    came = np.empty((n, n_levels), dtype=np.intp)
    stay = np.arange(n_levels)
    for at in range(1, n):
        came[at] = stay
        if may_step[at]:
            cheapest = int(np.argmin(cost))
            steps = cost[cheapest] + STEP < cost
            came[at, steps] = cheapest
            cost = np.where(steps, cost[cheapest] + STEP, cost)
        cost = cost + loss[at]
    path = np.empty(n, dtype=np.intp)
    path[-1] = int(np.argmin(cost))
    for at in range(n - 1, 0, -1):
        path[at - 1] = came[at, path[at]]
    return path, float(cost.min())


class _Levels(Struct, frozen=True, eq=False):
    """The level between two steps.

    Attributes:
        mean: of the runs that do not stray.
        n: how many these are.
        factor: half the width of the interval of one run.
    """

    mean: list[float]
    n: list[int]
    factor: float

    @classmethod
    def of(cls, values: FloatArray, edges: list[int], fitted: _Fitted) -> _Levels:
        near = ~fitted.strays
        means, numbers, squares = [], [], 0.0
        for first, last in pairwise(edges):
            inside = values[first:last][near[first:last]]
            # The level is one of these runs, which is near itself.
            means.append(float(inside.mean()))
            numbers.append(len(inside))
            squares += float(((inside - inside.mean()) ** 2).sum())
        freedom = max(1, sum(numbers) - len(numbers))
        floor = LEAST_SCATTER * abs(float(np.median(values)))
        deviation = max(sqrt(squares / freedom), floor)
        return cls(means, numbers, student_quantile(0.5 + COVERAGE / 2, freedom) * deviation)


def student_quantile(share: float, freedom: int) -> float:
    """Return the quantile of Student's t for a share from .5 to 1, to four digits; no package is imported.

    By bisection of its distribution, a finite sum for whole degrees of freedom (Abramowitz and Stegun,
    Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
    """
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _student(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _student(t: float, freedom: int) -> float:
    """Return the probability of at most t, which is not negative."""
    angle = np.arctan2(t, sqrt(freedom))
    sine, cosine = float(np.sin(angle)), float(np.cos(angle))
    if freedom == 1:
        return 0.5 + float(angle) / np.pi
    term, total = (cosine, cosine) if freedom % 2 else (1.0, 1.0)
    for number in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= cosine**2 * (number - 1) / number
        total += term
    inside = 2 / np.pi * (float(angle) + sine * total) if freedom % 2 else sine * total
    return 0.5 + float(inside) / 2
