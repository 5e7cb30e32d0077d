"""Whole prior tests as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.analysis.features import Feature
from buto.detectors.bounds.data import property_of, property_to_data
from buto.detectors.calibrated.findings import MEASURES
from buto.detectors.ensemble import data as rules_data
from buto.detectors.ensemble.data import Learned
from buto.detectors.ensemble.sentences import between
from buto.detectors.ensemble.whole.groups import Dependence
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.ensemble.whole.numbers import Numbers
from buto.errors import BadFileError
from buto.properties import DURATION
from buto.runs import FloatArray

MOST_TESTS = 100_000


Parts = tuple[WholeTests, Learned, dict[str, str]]


def write(whole: WholeTests, rules: Learned, left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return plain data."""
    return {
        "whole_tests": _written(whole),
        "rules": rules_data.write(rules),
        "left_out": dict(sorted(left_out.items())),
    }


def _written(whole: WholeTests) -> dict[str, Any]:
    """Return plain data: a block for each quantity, with a sentence and the values of each number."""
    columns: list[dict[str, Any]] = [{} for _ in whole.numbers.quantities]
    kept = {int(place): number for number, place in enumerate(whole.kept)}
    for place, feature in enumerate(whole.numbers.catalogue):
        columns[feature.column][feature.name] = {
            "says": _sentence(whole, kept.get(place), feature, whole.values[:, place]),
            "values": [None if np.isnan(one) else one for one in whole.values[:, place].tolist()],
        }
    blocks = [
        {**property_to_data(prop), "grain": float(grain), "numbers": numbers}
        for prop, grain, numbers in zip(whole.numbers.quantities, whole.numbers.grain, columns, strict=True)
    ]
    return {
        "environments": [dict(one) for one in whole.environments],
        **({"work": rules_data.work_to_data(whole.numbers.work)} if whole.numbers.work else {}),
        "quantities": blocks,
    }


def read(data: Mapping[str, Any]) -> Parts:
    """Invert :func:`write`; raise BadFileError for data of another shape."""
    try:
        left_out = {str(name): str(why) for name, why in data["left_out"].items()}
        return _read(data["whole_tests"]), rules_data.read(data["rules"]), left_out
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the numbers of prior tests are damaged: {what}") from error


def _read(data: Mapping[str, Any]) -> WholeTests:
    blocks: Sequence[Mapping[str, Any]] = data["quantities"]
    quantities = tuple(property_of(block) for block in blocks)
    if not quantities or quantities[-1].name != DURATION.name:
        raise ValueError(f"the last quantity must be {DURATION.name}")
    grain = np.array([float(block["grain"]) for block in blocks])
    if not (grain >= 0).all():
        raise ValueError("a grain must not be negative")
    environments = tuple(rules_data.environment_from(one) for one in data["environments"])
    numbers = Numbers(quantities[:-1], grain, rules_data.work_of(data.get("work")))
    rows = [_values(blocks[one.column]["numbers"][one.name]["values"]) for one in numbers.catalogue]
    if not 0 < len(environments) <= MOST_TESTS or {len(row) for row in rows} != {len(environments)}:
        raise ValueError("each number must have one value for each prior test")
    return WholeTests(numbers, np.array(rows).T.copy(), environments)


def _values(written: Any) -> FloatArray:
    if not isinstance(written, list):
        raise TypeError("values must be a list")
    values = np.array([np.nan if one is None else float(one) for one in written])
    if np.isinf(values).any():
        raise ValueError("values must be finite")
    return values


def _sentence(whole: WholeTests, number: int | None, feature: Feature, values: FloatArray) -> str:
    prop = whole.numbers.quantities[feature.column]
    what = MEASURES[feature.name]
    if number is None:
        return f"the {what} is not judged: not every prior test has it"
    limits = between(float(values.min()), float(values.max()), prop)
    if whole.dependences is None:
        return f"the {what} is {limits}"
    depends = whole.dependences.of(number)
    if depends is Dependence.SAME:
        return f"the {what} is {limits} on every machine"
    if depends is Dependence.SCALED:
        return f"the {what} is {limits}, and the same on every machine after division by its factor"
    return f"the {what} is {limits}, and differs between machines"
