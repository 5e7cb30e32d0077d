"""An ensemble as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from buto.errors import BadFileError
from buto.judging.environments import environment_from
from buto.judging.stored import property_of, property_to_data
from buto.run.properties import Property
from buto_replications.detectors.ensemble.mining import MOST_BINS, NONE, STRIDE, Bins, Rules
from buto_replications.detectors.ensemble.rules import Ensemble, Machines, PriorTest
from buto_replications.detectors.machines.numbers import Work, work_of, work_to_data


@dataclass(frozen=True, eq=False, slots=True)
class LearnedEnsemble:
    """What is stored.

    Attributes:
        properties: the counters, in the order of their names.
        left_out: properties that are not judged, each with the reason.
        work: what growth is scaled to; None if it is not scaled.
    """

    interval_s: float
    properties: tuple[Property, ...]
    ensemble: Ensemble
    left_out: Mapping[str, str]
    work: Work | None = None


def write(learned: LearnedEnsemble) -> dict[str, Any]:
    """Return plain data: a block for each counter, for each prior test, and for each rule."""
    ensemble = learned.ensemble
    bins, names = ensemble.bins, [prop.name for prop in learned.properties]
    return {
        "interval_s": learned.interval_s,
        **({"work": work_to_data(learned.work)} if learned.work else {}),
        "counters": [
            {
                **property_to_data(prop),
                "bins": int(bins.counts[place]),
                "limits": [float(bins.low[place]), float(bins.high[place])],
                "ranges": [
                    [float(test.lowest[place]), float(test.highest[place])] for test in ensemble.tests
                ],
                **({"scaled_to": level} if not math.isnan(level) else {}),
            }
            for place, (prop, level) in enumerate(
                zip(learned.properties, ensemble.machines.levels.tolist(), strict=True)
            )
        ],
        "prior_tests": [
            {"run": test.run_id, "environment": dict(test.environment)} for test in ensemble.tests
        ],
        "rules": _write([test.rules for test in ensemble.tests], names),
        "left_out": dict(sorted(learned.left_out.items())),
    }


def read(data: Mapping[str, Any]) -> LearnedEnsemble:
    """Invert :func:`write`; raise BadFileError for data of another shape."""
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the rules are damaged: {what}") from error


def _read(data: Mapping[str, Any]) -> LearnedEnsemble:
    blocks: Sequence[Mapping[str, Any]] = data["counters"]
    tests: Sequence[Mapping[str, Any]] = data["prior_tests"]
    properties = tuple(property_of(block) for block in blocks)
    place_of = {prop.name: place for place, prop in enumerate(properties)}
    limits = np.array([_range(block["limits"]) for block in blocks]).reshape(-1, 2)
    counts = np.array([_whole(block["bins"], 1, MOST_BINS) for block in blocks], dtype=np.int64)
    ranges = np.array([[_range(range_data) for range_data in block["ranges"]] for block in blocks])
    if not len(tests) or ranges.shape != (len(blocks), len(tests), 2):
        raise ValueError("a counter must have one range for each prior test")
    rules = _rules(data["rules"], place_of, counts.tolist(), len(tests))
    prior_tests = tuple(
        PriorTest(
            str(test["run"]),
            environment_from(test["environment"]),
            rules[number],
            ranges[:, number, 0],
            ranges[:, number, 1],
        )
        for number, test in enumerate(tests)
    )
    interval_s = _positive(data["interval_s"])
    left_out = {str(name): str(why) for name, why in data["left_out"].items()}
    # Older files scale nothing.
    levels = [block.get("scaled_to") for block in blocks]
    machines = Machines(
        np.array([np.nan if level is None else _positive(level) for level in levels], dtype=float)
    )
    ensemble = Ensemble(Bins(limits[:, 0], limits[:, 1], counts), prior_tests, machines)
    return LearnedEnsemble(interval_s, properties, ensemble, left_out, work_of(data.get("work")))


def _write(tests: Sequence[Rules], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one block for each rule of any prior test, with its confidence in each, or null."""
    confidences: dict[tuple[int, tuple[int, ...]], list[float | None]] = {}
    for number, rules in enumerate(tests):
        for consequent, premise, confidence in zip(
            rules.consequents.tolist(), rules.premises.tolist(), rules.confidences.tolist(), strict=True
        ):
            of_rule = confidences.setdefault((consequent, tuple(premise)), [None] * len(tests))
            of_rule[number] = confidence
    return [
        {
            "when": [_item(item, names) for item in premise if item != NONE],
            "then": _item(consequent, names),
            "confidence": confidences[consequent, premise],
        }
        for consequent, premise in sorted(confidences)
    ]


def _item(item: int, names: Sequence[str]) -> list[str | int]:
    return [names[item // STRIDE], item % STRIDE]


def _rules(
    blocks: Sequence[Mapping[str, Any]], place_of: Mapping[str, int], counts: Sequence[int], n_tests: int
) -> list[Rules]:
    def item_of(written: Sequence[Any]) -> int:
        name, number = written
        place = place_of[name]
        return place * STRIDE + _whole(number, 1, counts[place])

    by_test: list[list[tuple[list[int], int, float]]] = [[] for _ in range(n_tests)]
    for block in blocks:
        items = [item_of(condition) for condition in block["when"]]
        if len(items) > 2 or len(block["confidence"]) != n_tests:
            raise ValueError(
                "a rule must have a premise of at most two parts, and a confidence for each test"
            )
        premise, consequent = [*items, NONE, NONE][:2], item_of(block["then"])
        for rules, confidence in zip(by_test, block["confidence"], strict=True):
            if confidence is not None:
                rules.append((premise, consequent, _share(confidence)))
    return [
        Rules(
            np.array([premise for premise, _, _ in rules], dtype=np.int64).reshape(-1, 2),
            np.array([consequent for _, consequent, _ in rules], dtype=np.int64),
            np.array([confidence for _, _, confidence in rules]),
        )
        for rules in by_test
    ]


def _range(written: Sequence[Any]) -> tuple[float, float]:
    low, high = map(_number, written)
    if low > high:
        raise ValueError("a lower limit is above its upper one")
    return low, high


def _number(written: Any) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{number} where a number belongs")
    return number


def _positive(written: Any) -> float:
    number = _number(written)
    if number <= 0:
        raise ValueError(f"{number} where a positive number belongs")
    return number


def _share(written: Any) -> float:
    number = _number(written)
    if not 0 <= number <= 1:
        raise ValueError(f"{number} is no share")
    return number


def _whole(written: Any, low: int, high: int) -> int:
    if type(written) is not int or not low <= written <= high:
        raise ValueError(f"a whole number from {low} to {high} must stand where {str(written)[:80]!r} stands")
    return written
