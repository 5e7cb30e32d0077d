"""From evidence to findings: which quantities are outliers, by how much, when, and in which direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from buto.judging.calibrated.evidence import (
    SHAPES,
    SLOPE,
    Evidence,
    Ranked,
    effect_of_feature,
    quantity_columns,
)
from buto.judging.calibrated.settings import NAME, JudgeSettings
from buto.judging.contrasts import compared, within
from buto.judging.effects import GROWTH_MEASURE, PART_MEASURES
from buto.judging.features import Feature
from buto.judging.rank import largest_of_each
from buto.judging.readable import highest
from buto.judging.verdict import Direction, Finding, Numbers
from buto.run.model import FloatArray, IntArray, RunSet
from buto.run.properties import DURATION, LIVE_CLASSES, Property

LARGEST_CONTRAST = 8.0
"""Largest contrast in the shares of the evidence, so that one extreme number is only one finding."""

FEWEST = 3
"""So many are named even if none is an outlier by itself: together they are."""

NOT_ALONE = "ordinary by itself, but with what the others show it is not"
"""Of those that are named because all together are an outlier; their value lies within its range."""

MEASURES = {"mean": "mean over the run", "total": "total", SLOPE: GROWTH_MEASURE, **PART_MEASURES}
"""What each feature is called."""


def words(feature: str) -> str:
    """Return what a feature is called by its name; that of a class is its own."""
    return MEASURES.get(feature, feature)


LEVELS = ("mean", "mean-early", "mean-middle", "mean-late", "low", "median", "high", "largest", "last")
"""Features that are a level of the property over a part of the run."""

_INCREASES = ("increase-early", "increase-middle", "increase-late")
"""Of counters, which never fall."""

_THIRDS = {"early": (0.0, 1 / 3), "middle": (1 / 3, 2 / 3), "late": (2 / 3, 1.0)}


def findings(
    evidence: Evidence, ranked: Ranked, runs: RunSet, settings: JudgeSettings, *, detector: str = NAME
) -> tuple[Finding, ...]:
    """Return one finding for each quantity that is an outlier, the clearest one first.

    A quantity is an outlier if its largest contrast is beyond what the largest contrast of any quantity is in
    all but a share alpha of the other choices (maxT of Westfall and Young), so that of an unchanged
    program one is named in a share alpha of checks. If a check fails with none of them, the three largest
    are named, for the difference is in all together.

    Its numbers are those of its most telling feature: its mean over the runs under test, and the training
    runs' with the range that would not have stood out.

    Args:
        ranked: which differences count, of the evidence.
    """
    features = evidence.features
    columns = quantity_columns(features)
    largest, limit = _largest(ranked, columns, settings)
    shares = shares_of(np.minimum(largest[0], LARGEST_CONTRAST))
    numbers = _Numbers(evidence, ranked, features, limit, runs, detector)
    beyond = np.abs(ranked.contrast[0]) - limit
    found = []
    for place in named(largest[0], limit, fails=ranked.p_value <= settings.alpha):
        finding = numbers.finding(most_telling(features, np.unique(columns)[place], beyond))
        remark = "" if largest[0, place] > limit else NOT_ALONE
        text = "; ".join(filter(None, (finding.text, remark)))
        found.append(replace(finding, evidence=float(shares[place]), text=text))
    return tuple(found)


def named(sizes: FloatArray, limit: float, *, fails: bool) -> list[int]:
    """Return which quantities to name, by their sizes, the largest first: those beyond a limit.

    If there are none and the check fails, the largest ones.
    """
    by_size = [int(place) for place in np.argsort(-sizes, kind="stable")]
    beyond = [place for place in by_size if sizes[place] > limit]
    return beyond if beyond or not fails else [place for place in by_size[:FEWEST] if sizes[place] > 0]


def shares_of(sizes: FloatArray) -> FloatArray:
    """Return the share of each quantity in the evidence, by the squares of sizes."""
    return sizes**2 / max(float((sizes**2).sum()), 1e-300)


def most_telling(features: Sequence[Feature], quantity: int, beyond: FloatArray) -> int:
    """Return the place of the feature that is furthest beyond its limit; if one is of the level, of these.

    That a heap swings more tells people less than that it grew, where it did both.
    """
    ours = [place for place, one in enumerate(features) if one.column == quantity]
    telling = [place for place in ours if features[place].name not in SHAPES and beyond[place] > 0] or ours
    return max(telling, key=lambda place: float(beyond[place]))


def outlier_shares(evidence: Evidence, settings: JudgeSettings) -> dict[str, float]:
    """Return each quantity's share of the outlier limit, by its name: more than 1 is an outlier.

    A quantity of which no change matters has none.
    """
    columns = quantity_columns(evidence.features)
    largest, limit = _largest(evidence.any, columns, settings)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.nan_to_num(largest[0] / limit, nan=0.0, posinf=np.inf)
    counts = set(columns[np.isfinite(evidence.least)].tolist())
    return {
        evidence.profile.quantities[column].name: share
        for column, share in zip(np.unique(columns).tolist(), shares.tolist(), strict=True)
        if column in counts
    }


def _largest(ranked: Ranked, columns: IntArray, settings: JudgeSettings) -> tuple[FloatArray, float]:
    """Return the largest contrast of each quantity, (n_choices, n_quantities), and the limit of outliers."""
    largest = largest_of_each(ranked.contrast, columns)
    limit = np.quantile(largest[1:].max(axis=1), 1 - settings.alpha, method="higher")
    return largest, float(limit)


class _Numbers:
    """What a finding says of one feature."""

    def __init__(
        self,
        evidence: Evidence,
        ranked: Ranked,
        features: Sequence[Feature],
        limit: float,
        runs: RunSet,
        detector: str,
    ) -> None:
        self._evidence, self._ranked, self._features, self._runs = evidence, ranked, features, runs
        self._detector = detector
        self._lower, self._upper = within(evidence.stable, len(runs), limit)

    def finding(self, column: int) -> Finding:
        feature, n_checked = self._features[column], len(self._runs)
        prop = self._evidence.profile.quantities[feature.column]
        training, checked = np.split(self._evidence.values[:, column], [-n_checked])
        contrast = float(self._ranked.contrast[0, column])
        direction = Direction.MORE if contrast > 0 else Direction.LESS
        least, most = self._possible(column)
        expected = float(np.clip(self._expected(column, training, checked), least, most))
        furthest = int(np.argmax(np.abs(checked - expected)))
        texts = [f"mean of {n_checked} runs"] if n_checked > 1 else []
        texts += ["given the number of requests"] if self._evidence.stable.load is not None else []
        return Finding(
            source=self._detector,
            subject=prop.name,
            run_id=self._runs.runs[furthest].id,
            direction=direction,
            effect=effect_of_feature(feature, prop, direction),
            unit=prop.unit,
            observed=float(checked.mean()),
            lower=float(np.clip(self._lower[column], least, most)),
            upper=float(np.clip(self._upper[column], least, most)),
            expected=expected,
            window_s=_window(feature, prop, self._evidence.profile.end_s),
            severity=abs(contrast),
            measure=_measure(feature, prop),
            text=", ".join(texts),
            is_level=feature.name in LEVELS,
            numbers=Numbers(tuple(training.tolist()), tuple(checked.tolist())),
        )

    def _expected(self, column: int, training: FloatArray, checked: FloatArray) -> float:
        """Return the mean of the training runs, or what it would be under the load of those under test."""
        load, values = self._evidence.stable.load, self._evidence.values[:, [column]]
        if load is None:
            return float(training.mean())
        last = np.arange(len(training), len(values))
        return float(checked.mean() - compared(values, last[None], load).difference[0, 0])

    def _possible(self, column: int) -> tuple[float, float]:
        """Return the smallest and the largest value that a feature can have, given what these runs had."""
        feature, values = self._features[column], self._evidence.values
        prop = self._evidence.profile.quantities[feature.column]
        least, most = prop.lower, highest(prop, self._runs)
        if feature.name in SHAPES:
            least, most = 0.0, most - least
        elif feature.name in _INCREASES:
            least = 0.0
        elif feature.name == SLOPE:
            # From what was there in the first third down to nothing, or up to all that there can be.
            early = values[:, self._features.index(Feature(feature.column, "mean-early"))]
            least, most = least - float(early.max()), most - float(early.min())
        # Of two programs, one may have a smaller heap than the other used.
        seen = values[:, column]
        return min(least, float(seen.min())), max(most, float(seen.max()))


def _window(feature: Feature, prop: Property, end_s: float) -> tuple[float, float] | None:
    if prop == LIVE_CLASSES:
        return None
    kind, _, third = feature.name.partition("-")
    if third:
        start, end = _THIRDS[third]
        return start * end_s, end * end_s
    return None if kind in ("last", "total") else (0.0, end_s)


def _measure(feature: Feature, prop: Property) -> str:
    """Return what the numbers are of; the duration and a number of notifications are their own total."""
    is_number = prop == DURATION or prop.unit == "{notification}"
    return "" if feature.name == "total" and is_number else words(feature.name)
