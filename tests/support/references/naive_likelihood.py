"""A slow, plain version of the judge's score; imports nothing of buto.

One choice of runs, one feature at a time, lists of floats.
"""

from __future__ import annotations

import math

CHANGES = (0.03, 0.1, 0.3, 1.0)


def score(rows, chosen, floors, quantity, weights, counts=None):
    """The score of one choice of runs.

    ``rows`` has one list of features for each run, ``quantity`` the quantity of each feature, ``weights`` how
    much it weighs there, ``counts`` says of each feature whether its difference counts.
    """
    columns = [list(column) for column in zip(*rows, strict=True)]
    values = [factor(column, chosen, floor) for column, floor in zip(columns, floors, strict=True)]
    return _combined(values, quantity, weights, counts)


def factor(column, chosen, floor):
    """How much likelier the values of one feature are if the chosen runs have changed than if not."""
    ours = [column[place] for place in chosen]
    others = [value for place, value in enumerate(column) if place not in chosen]
    freedom = len(column) - 2
    variance = (_squares(ours) + _squares(others)) / freedom + floor**2
    error = variance * (1 / len(ours) + 1 / len(others))
    return _mean_ratio((_mean(ours) - _mean(others)) ** 2 / error, error, freedom)


def _combined(factors, quantity, weights, counts):
    counts = counts or [True] * len(factors)
    factors = [
        max(bayes_factor, 1.0) if counted else 1.0
        for bayes_factor, counted in zip(factors, counts, strict=True)
    ]
    of_each = [
        sum(
            weight * value
            for value, of, weight in zip(factors, quantity, weights, strict=True)
            if of == level
        )
        / sum(weight for of, weight in zip(quantity, weights, strict=True) if of == level)
        for level in sorted(set(quantity))
    ]
    return math.log(_mean(of_each))


def _mean_ratio(squared_t, error, freedom):
    """The ratio of the densities of t with and without a change, averaged over sizes of changes."""
    ratios = []
    for change in CHANGES:
        wider = 1 + change**2 / error
        without = (1 + squared_t / freedom) ** (-(freedom + 1) / 2)
        with_change = (1 + squared_t / (freedom * wider)) ** (-(freedom + 1) / 2) / math.sqrt(wider)
        ratios.append(with_change / without)
    return _mean(ratios)


def _squares(values):
    return sum((value - _mean(values)) ** 2 for value in values)


def _mean(values):
    return sum(values) / len(values)
