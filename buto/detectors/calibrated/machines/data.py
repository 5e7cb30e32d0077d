"""Training runs of several machines as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.analysis.features import Feature
from buto.detectors.bounds.data import property_of, property_to_data
from buto.detectors.calibrated.findings import MEASURES
from buto.detectors.calibrated.machines.environments import Environment, between, environment_from
from buto.detectors.calibrated.machines.groups import Dependence
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.calibrated.machines.numbers import Numbers
from buto.detectors.calibrated.machines.work import work_of, work_to_data
from buto.errors import BadFileError
from buto.properties import DURATION
from buto.runs import FloatArray

MACHINES = "machines"
"""The key of what each known environment's own judge has learned."""

MOST_TESTS = 100_000

Part = tuple[Environment, int, Mapping[str, Any]]
"""An environment, its number of runs, and what its own judge has learned, as plain data."""


def write(whole: WholeTests, known: Sequence[Part], left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return plain data."""
    return {
        MACHINES: [{"environment": dict(one), "runs": n, "model": model} for one, n, model in known],
        "elsewhere": _written(whole),
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
        **({"work": work_to_data(whole.numbers.work)} if whole.numbers.work else {}),
        "quantities": blocks,
    }


def read(data: Mapping[str, Any]) -> tuple[WholeTests, list[Part], dict[str, str]]:
    """Invert :func:`write`; raise BadFileError for data of another shape."""
    try:
        left_out = {str(name): str(why) for name, why in data["left_out"].items()}
        known: list[Part] = [
            (environment_from(one["environment"]), _count(one["runs"]), dict(one["model"]))
            for one in data[MACHINES]
        ]
        return _read(data["elsewhere"]), known, left_out
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the numbers of the machines are damaged: {what}") from error


def _count(written: Any) -> int:
    if type(written) is not int or not 0 < written <= MOST_TESTS:
        raise ValueError(f"{str(written)[:20]} is no number of runs")
    return written


def _read(data: Mapping[str, Any]) -> WholeTests:
    blocks: Sequence[Mapping[str, Any]] = data["quantities"]
    quantities = tuple(property_of(block) for block in blocks)
    if not quantities or quantities[-1].name != DURATION.name:
        raise ValueError(f"the last quantity must be {DURATION.name}")
    grain = np.array([float(block["grain"]) for block in blocks])
    if not (grain >= 0).all():
        raise ValueError("a grain must not be negative")
    environments = tuple(environment_from(one) for one in data["environments"])
    numbers = Numbers(quantities[:-1], grain, work_of(data.get("work")))
    rows = [_values(blocks[one.column]["numbers"][one.name]["values"]) for one in numbers.catalogue]
    if not 0 < len(environments) <= MOST_TESTS or {len(row) for row in rows} != {len(environments)}:
        raise ValueError("each number must have one value for each training run")
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
        return f"the {what} is not judged: not every training run has it"
    limits = between(float(values.min()), float(values.max()), prop)
    if whole.dependences is None:
        return f"the {what} is {limits}"
    depends = whole.dependences.of(number)
    if depends is Dependence.SAME:
        return f"the {what} is {limits} on every machine"
    if depends is Dependence.SCALED:
        return f"the {what} is {limits}, and the same on every machine after division by its factor"
    return f"the {what} is {limits}, and differs between machines"
