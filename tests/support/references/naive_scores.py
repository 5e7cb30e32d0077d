"""Slow, plain versions of the candidates' scores; import nothing of buto.

One choice, one feature at a time, lists of floats.
"""

from __future__ import annotations

import math

CHANGES = (0.03, 0.1, 0.3, 1.0)


def score(rows, chosen, floors, quantity, family, combination, huber=None, prior=0.0):
    """The score of one choice of runs.

    ``rows`` has one list of features for each run, ``quantity`` the quantity of each feature, ``family`` the
    family of each quantity.
    """
    columns = [list(column) for column in zip(*rows, strict=True)]
    weighted = [_weights(column, floor, huber) for column, floor in zip(columns, floors, strict=True)]
    pooled = [
        _squares(column, weights, range(len(column))) / (len(column) - 1) + floor**2
        for column, weights, floor in zip(columns, weighted, floors, strict=True)
    ]
    usual = math.exp(sum(math.log(one) for one in pooled) / len(pooled))
    t_and_r = [
        _student(column, weights, chosen, floor, prior, usual)
        for column, weights, floor in zip(columns, weighted, floors, strict=True)
    ]
    if combination == "largest":
        return math.log(1 + max(squared for squared, _, _ in t_and_r))
    factors = [_factor(*one) for one in t_and_r]
    of_each = [
        _mean([factor for factor, of in zip(factors, quantity, strict=True) if of == one])
        for one in sorted(set(quantity))
    ]
    if combination == "any":
        return math.log(_mean(of_each))
    if combination == "families":
        of_each = [
            _mean([factor for factor, of in zip(of_each, family, strict=True) if of == one])
            for one in sorted(set(family))
        ]
    return sum(math.log(0.95 + 0.05 * one) for one in of_each)


def _student(column, weights, chosen, floor, prior, usual):
    """t², the variance of the difference in relation to which changes are large, degrees of freedom."""
    others = [place for place in range(len(column)) if place not in chosen]
    freedom = len(column) - 2
    within = _squares(column, weights, chosen) + _squares(column, weights, others)
    variance = within / freedom + floor**2
    if prior:
        variance = (freedom * variance + prior * usual) / (freedom + prior)
    sizes = 1 / sum(weights[place] for place in chosen) + 1 / sum(weights[place] for place in others)
    difference = _average(column, weights, chosen) - _average(column, weights, others)
    return difference**2 / (variance * sizes), variance * sizes, freedom + prior


def _factor(squared, variance, freedom):
    """The ratio of the densities of t with and without a change, averaged over sizes of changes."""
    densities = []
    for change in CHANGES:
        ratio = 1 + change**2 / variance
        without = (1 + squared / freedom) ** (-(freedom + 1) / 2)
        with_change = (1 + squared / (freedom * ratio)) ** (-(freedom + 1) / 2) / math.sqrt(ratio)
        densities.append(with_change / without)
    return _mean(densities)


def _weights(column, floor, huber):
    if huber is None:
        return [1.0] * len(column)
    middle = _median(column)
    deviation = math.hypot(1.4826 * _median([abs(one - middle) for one in column]), floor)
    return [min(1.0, huber / max(abs(one - middle) / deviation, 1e-300)) for one in column]


def _squares(column, weights, places):
    mean = _average(column, weights, places)
    return sum(weights[place] * (column[place] - mean) ** 2 for place in places)


def _average(column, weights, places):
    return sum(weights[place] * column[place] for place in places) / sum(weights[place] for place in places)


def _median(values):
    ranked = sorted(values)
    half = len(ranked) // 2
    return ranked[half] if len(ranked) % 2 else (ranked[half - 1] + ranked[half]) / 2


def _mean(values):
    return sum(values) / len(values)
