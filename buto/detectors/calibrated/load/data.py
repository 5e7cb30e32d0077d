"""What was learned as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.detectors.calibrated.load import stored
from buto.detectors.calibrated.load.observed import Observed
from buto.errors import BadFileError
from buto.properties import Property
from buto.runs import FloatArray

Parts = tuple[tuple[Property, ...], tuple[Observed, ...], dict[str, str]]


def write(
    properties: Sequence[Property], runs: Sequence[Observed], left_out: Mapping[str, str]
) -> dict[str, Any]:
    """Return plain data."""
    data = stored.write(properties, [run.rows for run in runs], left_out)
    steps = np.array([run.step for run in runs])
    positive = np.where(steps > 0, steps, np.inf).min(axis=0)
    for block, step in zip(data["properties"], positive.tolist(), strict=True):
        if np.isfinite(step):
            block["step"] = step
    growth = np.vstack([run.growth for run in runs])
    for column in np.flatnonzero(growth.any(axis=0)).tolist():
        data["properties"][column]["growth"] = growth[:, column].tolist()
    return {"seconds": [run.stretch_s for run in runs], **data}


def read(data: Mapping[str, Any]) -> Parts:
    """Invert :func:`write`; raise BadFileError for data of another shape."""
    properties, rows, left_out = stored.read(data)
    try:
        seconds = [_size(one) for one in data["seconds"]]
        steps = np.array([_size(block.get("step", 0.0)) for block in data["properties"]])
        growths = _growths(data["properties"], rows, seconds)
        runs = tuple(
            Observed(one, length, steps, growth)
            for one, length, growth in zip(rows, seconds, growths, strict=True)
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the observations are damaged: {what}") from error
    return properties, runs, left_out


def _growths(
    blocks: Sequence[Mapping[str, Any]], rows: Sequence[FloatArray], seconds: Sequence[float]
) -> list[FloatArray]:
    """Return the growth of each run; what older oracles lack is made of means, which is nearly the same."""
    if not any("growth" in block for block in blocks):
        return [
            np.gradient(one, length, axis=0) if len(one) > 1 and length else np.zeros(one.shape)
            for one, length in zip(rows, seconds, strict=True)
        ]
    lengths = [len(one) for one in rows]
    columns = [stored.numbers(block.get("growth", 0.0), sum(lengths)) for block in blocks]
    return np.split(np.stack(columns, axis=1), np.cumsum(lengths)[:-1])


def rounded(run: Observed) -> Observed:
    """Return a run with lengths and steps of six digits, so that the file is short."""
    step: FloatArray = np.array([_short(one) for one in run.step.tolist()])
    return Observed(run.rows, _short(run.stretch_s), step, run.growth)


def _short(number: float) -> float:
    return float(f"{number:.6g}")


def _size(written: Any) -> float:
    number = float(written)
    if not (np.isfinite(number) and number >= 0):
        raise ValueError(f"{number} where a size belongs")
    return number
