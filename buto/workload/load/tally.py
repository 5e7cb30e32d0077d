"""Count answers by kind and interval, and turn each interval into a reading of the source ``load``."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np

from buto.properties import Better, Kind, Property
from buto.units import format_count, format_seconds

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
TRACK = "load"
LATE = f"{TRACK}.late"
NO_ANSWER = "no answer in the interval"

_MOST_SHOWN = 3
_MOST_KINDS_OF_FAILURE = 1000


def properties(kinds: Sequence[str]) -> list[Property]:
    """Return the properties of a load with these kinds of requests."""
    found = []
    for kind in kinds:
        found.append(Property(_throughput(kind), "{answer}/s", lower=0.0, better=Better.HIGHER))
        found += [Property(_latency(kind, name), "s", lower=0.0, better=Better.LOWER) for name in QUANTILES]
        found.append(Property(_failures(kind), "{answer}", Kind.COUNTER, lower=0.0, better=Better.LOWER))
    return [*found, Property(LATE, "s", lower=0.0, better=Better.LOWER)]


class Tally:
    """All answers so far.

    Attributes:
        latest_s: how much too late the latest request of all was sent.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = kinds
        self._recent: list[list[float]] = [[] for _ in kinds]
        self._failures = [0] * len(kinds)
        self._why: Counter[str] = Counter()
        self._all = array("d")
        self._late_s = 0.0
        self.latest_s = 0.0

    def sent(self, late_s: float) -> None:
        """Note how much too late a request was sent."""
        self._late_s = max(self._late_s, late_s)
        self.latest_s = max(self.latest_s, late_s)

    def answered(self, kind: int, took_s: float, failure: str) -> None:
        """Note an answer.

        Args:
            took_s: from the time at which its request was due.
            failure: why it is not good; empty for a good one.
        """
        self._recent[kind].append(took_s)
        self._all.append(took_s)
        if failure:
            self._failures[kind] += 1
            if failure in self._why or len(self._why) < _MOST_KINDS_OF_FAILURE:
                self._why[failure] += 1

    def close_interval(self, length_s: float) -> dict[str, float]:
        """Return the reading of the interval that ends now, and begin the next one.

        A kind without an answer has no latency; its throughput is zero.
        """
        values = {LATE: self._late_s}
        self._late_s = 0.0
        for place, kind in enumerate(self._kinds):
            recent, self._recent[place] = self._recent[place], []
            values[_throughput(kind)] = len(recent) / length_s
            values[_failures(kind)] = float(self._failures[place])
            if recent:
                found = np.quantile(recent, [*QUANTILES.values()])
                values |= {
                    _latency(kind, name): float(one) for name, one in zip(QUANTILES, found, strict=True)
                }
        return values

    def describe(self) -> str:
        """Return the number of answers and how long they took, in one line."""
        if not self._all:
            return "no requests"
        median, almost = np.quantile(self._all, [0.5, 0.99])
        n_failed = sum(self._failures)
        return (
            f"{format_count(len(self._all), 'request')}, median {format_seconds(median)}, "
            f"99 % within {format_seconds(almost)}{f', {n_failed} failed' if n_failed else ''}"
        )

    def failures(self, may_fail: float = 0.0) -> str | None:
        """Return how many answers are not good and the most frequent reasons; None if so many may fail.

        Args:
            may_fail: the largest share of answers that need not be good.
        """
        n_failed, n_all = sum(self._failures), len(self._all)
        if n_failed <= may_fail * n_all:
            return None
        reasons = ", ".join(f"{why} ({n})" for why, n in self._why.most_common(_MOST_SHOWN))
        allowed = f" ({may_fail:.3g} of them may)" if may_fail else ""
        return f"{n_failed} of {format_count(n_all, 'request')} failed{allowed}: {reasons}"


def _throughput(kind: str) -> str:
    return f"{TRACK}.throughput[{kind}]"


def _latency(kind: str, quantile: str) -> str:
    return f"{TRACK}.latency.{quantile}[{kind}]"


def _failures(kind: str) -> str:
    return f"{TRACK}.failures[{kind}]"
