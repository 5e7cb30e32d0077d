"""The order in which tests are launched."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence


def interleave(counts: Mapping[str, int], seed: int) -> list[str]:
    """Return each test as often as it is planned, in rounds of random order.

    A machine that grows slower or warmer then affects all tests alike (randomised blocks).
    """
    source = random.Random(seed)
    order: list[str] = []
    for number in range(max(counts.values(), default=0)):
        block = [test for test, count in counts.items() if count > number]
        source.shuffle(block)
        order += block
    return order


def shuffled(counts: Mapping[str, int], seed: int) -> list[str]:
    """Return each test as often as it is planned, every order as likely as any other.

    Only so is each way of dealing the launches out to two programs equally likely, which makes the rank of a
    comparison exact on a machine that drifts.
    """
    order = [test for test, count in counts.items() for _ in range(count)]
    random.Random(seed).shuffle(order)
    return order


def without(order: Sequence[str], done: Mapping[str, int]) -> list[str]:
    """Return an order without each test's first launches, as many as ``done`` says."""
    passed: Counter[str] = Counter()
    left = []
    for test in order:
        passed[test] += 1
        if passed[test] > done.get(test, 0):
            left.append(test)
    return left
