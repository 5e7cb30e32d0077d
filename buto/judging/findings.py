"""From evidence to findings: which quantities are outliers, by how much, when, and in which direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from buto.judging.accusing import accusing_features
from buto.judging.class_changes import class_feature
from buto.judging.contrasts import compare_choices, within
from buto.judging.effects import GROWTH_MEASURE, PART_MEASURES, is_ever_minded
from buto.judging.evidence import (
    SHAPES,
    Evidence,
    Ranked,
    effect_of_feature,
    level_features,
    quantity_columns,
)
from buto.judging.features import SLOPE, Feature
from buto.judging.judge_settings import NAME, JudgeSettings
from buto.judging.rank import largest_of_each
from buto.judging.readable import highest
from buto.judging.verdict import Amount, Difference, Direction, Finding, Numbers
from buto.run.model import FloatArray, IntArray, RunSet
from buto.run.properties import DURATION, LIVE_CLASSES, LIVE_SET, Property

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
    evidence: Evidence,
    ranked: Ranked,
    runs: RunSet,
    settings: JudgeSettings,
    *,
    detector: str = NAME,
    fails: bool = False,
) -> tuple[Finding, ...]:
    """Return one finding for each quantity that is an outlier, the clearest one first.

    A quantity is an outlier if its largest contrast is beyond what the largest contrast of any quantity is in
    all but a share alpha of the other choices (maxT of Westfall and Young), so that of an unchanged
    program one is named in a share alpha of checks. If a check fails with none of them, the three largest
    are named, for the difference is in all together.

    Its numbers are those of its most telling feature: its mean over the runs under test, and the training
    runs' with the range that would not have stood out. A quantity that nobody minds, such as committed
    memory, is never named.

    Args:
        ranked: which differences count, of the evidence.
        fails: whether the check fails, whatever the rank says: bets win before ranks of so few launches can.
    """
    features = evidence.features
    columns = quantity_columns(features)
    largest, limit = _largest(ranked, columns, settings)
    shares = shares_of(np.minimum(largest[0], LARGEST_CONTRAST))
    numbers = _Numbers(evidence, ranked, features, limit, runs, detector)
    beyond = np.abs(ranked.contrast[0]) - limit
    differences = []
    quantities, minded = sorted(set(columns.tolist())), set(columns[np.isfinite(evidence.least)].tolist())
    may_be_named = np.array(
        [
            quantity in minded or is_ever_minded(evidence.profile.quantities[quantity].name)
            for quantity in quantities
        ],
        np.bool_,
    )
    sizes = np.where(may_be_named, largest[0], 0.0)
    for place in choose_named(sizes, limit, fails=fails or ranked.p_value <= settings.alpha):
        quantity = quantities[place]
        finding = numbers.finding(most_telling(features, quantity, beyond))
        alone = largest[0, place] > limit or ranked.p_value > settings.alpha
        remark = "" if alone else NOT_ALONE
        text = "; ".join(filter(None, (finding.text, remark)))
        differences.append(replace(finding, evidence=float(shares[place]), text=text))
    return tuple(differences)


NOTED_EARLY = ("jvm.memory.allocated", "jvm.memory.heap.live", "jvm.object.live")
"""What a single run is noted for: counters so exact that one run tells."""

NOTED_SHARE = 0.015
"""Share of the level from which a single run is noted. Fewer than one in a hundred unchanged runs is; as a
failure it would accuse one refactoring in ten."""


def note_first_run(
    evidence: Evidence, runs: RunSet, settings: JudgeSettings, *, detector: str = NAME
) -> tuple[Finding, ...]:
    """Return what a single run is noted for, which fails nothing: smaller than the size that matters.

    A counter of :data:`NOTED_EARLY` that lies beyond all training runs by at least their range, and by at
    least :data:`NOTED_SHARE` of their mean.
    """
    features, quantities = evidence.features, evidence.profile.quantities
    levels = level_features(features, quantities)
    training, run = evidence.values[:-1], evidence.values[-1]
    lowest, highest = training.min(axis=0), training.max(axis=0)
    distance = np.maximum(run - highest, lowest - run)
    least = np.maximum(highest - lowest, NOTED_SHARE * np.abs(training.mean(axis=0)))
    places = [
        place
        for place in np.flatnonzero(levels & (distance >= least) & (distance > 0))
        if quantities[features[place].column].name in NOTED_EARLY
    ]
    if not places:
        return ()
    _, limit = _largest(evidence.any, quantity_columns(features), settings)
    numbers = _Numbers(evidence, evidence.any, features, limit, runs, detector)
    return tuple(numbers.finding(int(place)) for place in places)


def choose_named(sizes: FloatArray, limit: float, *, fails: bool) -> list[int]:
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
    ours = [place for place, feature in enumerate(features) if feature.column == quantity]
    telling = [place for place in ours if features[place].name not in SHAPES and beyond[place] > 0] or ours
    return max(telling, key=lambda place: float(beyond[place]))


def outlier_shares(evidence: Evidence, settings: JudgeSettings) -> dict[str, float]:
    """Return each quantity's share of what would stand out, by its name: more than 1 is an outlier.

    A quantity of which no change matters has none.
    """
    columns = quantity_columns(evidence.features)
    largest, limit = _largest(evidence.any, columns, settings)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.nan_to_num(largest[0] / limit, nan=0.0, posinf=np.inf)
    counts = set(columns[np.isfinite(evidence.least)].tolist())
    return {
        evidence.profile.quantities[column].name: share
        for column, share in zip(sorted(set(columns.tolist())), shares.tolist(), strict=True)
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

    def finding(self, column: int) -> Difference:
        feature, n_checked = self._features[column], len(self._runs)
        prop = self._evidence.profile.quantities[feature.column]
        training, checked = np.split(self._evidence.values[:, column], [-n_checked])
        contrast = float(self._ranked.contrast[0, column])
        direction = Direction.MORE if contrast > 0 else Direction.LESS
        least, most = self._possible(column)
        expected = float(np.clip(self._expect(column, training, checked), least, most))
        furthest = int(np.argmax(np.abs(checked - expected)))
        is_adjusted = self._evidence.stable.load is not None
        return Difference(
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
            text="given the number of requests" if is_adjusted else "",
            is_level=feature.name in LEVELS,
            part=self._part(feature, prop),
            amount=self._amount(column),
            numbers=Numbers(tuple(training.tolist()), tuple(checked.tolist())),
        )

    def _part(self, feature: Feature, prop: Property) -> str:
        """Return of which class a number is; empty for all that is not of classes."""
        classes = self._evidence.profile.classes
        names = classes.names if prop == LIVE_CLASSES and classes is not None else ()
        return next((name for name in names if class_feature(name) == feature.name), "")

    def _amount(self, column: int) -> Amount:
        """Return how much changed in the number of the property that says most to people.

        That is of a counter its total, and of a gauge its largest value, or what is kept at the exit. If
        that changed by less than half of what the telling feature did, the news is in a part of the run, and
        its own number stays.
        """
        feature = self._features[column]
        prop = self._evidence.profile.quantities[feature.column]
        is_part = bool(feature.name.partition("-")[2])
        own = self._amount_of(column, KEPT_AT_EXIT if prop == LIVE_CLASSES else _measure(feature, prop))
        if is_part:
            own = replace(own, window_s=_window(feature, prop, self._evidence.profile.end_s))
        natural = Feature(feature.column, _natural(prop))
        if natural not in self._features:
            return own
        whole = self._amount_of(self._features.index(natural), _natural_measure(prop))
        is_news = whole.change * own.change <= 0 or abs(whole.change) < abs(own.change) / 2
        return own if is_news else whole

    def _amount_of(self, column: int, measure: str) -> Amount:
        training, checked = np.split(self._evidence.values[:, column], [-len(self._runs)])
        numbers = Numbers(tuple(training.tolist()), tuple(checked.tolist()))
        before, now = self._expect(column, training, checked), float(checked.mean())
        return Amount(measure, before, now, numbers=numbers)

    def _expect(self, column: int, training: FloatArray, checked: FloatArray) -> float:
        """Return the mean of the training runs, or what it would be under the load of those under test."""
        load, values = self._evidence.stable.load, self._evidence.values[:, [column]]
        if load is None:
            return float(training.mean())
        last = np.arange(len(training), len(values))
        return float(checked.mean() - compare_choices(values, last[None], load).difference[0, 0])

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
            # From all that there can be down to nothing, or the other way round.
            least, most = least - most, most - least
        # Of two programs, one may have a smaller heap than the other used.
        seen = values[:, column]
        return min(least, float(seen.min())), max(most, float(seen.max()))


KEPT_AT_EXIT = "kept at the exit"


def _natural(prop: Property) -> str:
    """Return the feature of a property that says most to people: the one that says how much there is."""
    return accusing_features(prop)[0]


def _natural_measure(prop: Property) -> str:
    return KEPT_AT_EXIT if prop.name in LIVE_SET else words(_natural(prop))


def _window(feature: Feature, prop: Property, end_s: float) -> tuple[float, float] | None:
    if prop == LIVE_CLASSES or prop.name in LIVE_SET:
        return None
    kind, _, third = feature.name.partition("-")
    if third:
        start, end = _THIRDS[third]
        return start * end_s, end * end_s
    return None if kind in ("last", "total") else (0.0, end_s)


def _measure(feature: Feature, prop: Property) -> str:
    """Return what the numbers are of; the duration and a number of notifications are their own total."""
    if prop.name in LIVE_SET:
        return KEPT_AT_EXIT
    is_number = prop == DURATION or prop.unit == "{notification}"
    return "" if feature.name == "total" and is_number else words(feature.name)
