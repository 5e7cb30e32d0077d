"""What the detector learned as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.errors import BadFileError
from buto.judging.settings import Settings
from buto.judging.stored import property_of, property_to_data
from buto.run.labels import Label
from buto.run.model import FloatArray
from buto_replications.detectors.history.engine import HistoryEngine
from buto_replications.detectors.history.known import N_SIZES, LabelledColumns
from buto_replications.detectors.history.learners import DecisionTree
from buto_replications.detectors.history.learning import Judge
from buto_replications.detectors.history.settings import SHAPING, is_deviations, scheme_of
from buto_replications.detectors.history.similarity import floats, wholes

VERSION = 3
"""Of this part of an oracle file."""

MOST_RUNS = 100_000

Parts = tuple[LabelledColumns, Judge, int, dict[str, str]]


def write(
    columns: LabelledColumns, judge: Judge, n_alone: int, left_out: Mapping[str, str], settings: Settings
) -> dict[str, Any]:
    return {
        "version": VERSION,
        "learned_with": {key: settings.values[key] for key in SHAPING},
        "properties": [property_to_data(prop) for prop in columns.properties],
        "expected": judge.expected.tolist(),
        "scale": judge.scale.tolist(),
        "labelled": [
            {"run": run_id, "label": label.value, "deviations": row}
            for run_id, label, row in zip(judge.run_ids, judge.labels, judge.remembered.tolist(), strict=True)
        ],
        "unmatched": n_alone,
        "usual_distance": judge.usual,
        "engine": None if judge.engine is None else judge.engine.to_data(),
        "held_out": judge.held_out.tolist(),
        "validity": None if judge.validity is None else judge.validity.to_data(),
        "missed": list(judge.missed),
        "regressions": judge.n_regressions,
        "left_out": dict(sorted(left_out.items())),
    }


def read(data: Mapping[str, Any], settings: Settings) -> Parts:
    """Invert :func:`write`.

    Raises:
        BadFileError: the data are of another shape, or were learned with other settings.
    """
    try:
        return _read(data, settings)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"what was learned from labels is damaged: {what}") from error


def _read(data: Mapping[str, Any], settings: Settings) -> Parts:
    if data["version"] != VERSION:
        raise ValueError(f"it is of version {data['version']!r}; this buto reads {VERSION}")
    _require_same(data["learned_with"], settings)
    columns = LabelledColumns(tuple(property_of(block) for block in data["properties"]))
    n_columns = len(columns.kept)
    blocks: Sequence[Mapping[str, Any]] = data["labelled"]
    remembered = np.array([floats(block, "deviations") for block in blocks])
    expected, scale = floats(data, "expected"), floats(data, "scale")
    if {len(expected), len(scale), remembered.shape[-1]} != {n_columns} or remembered.ndim != 2:
        raise ValueError(f"each run and the baseline must have {n_columns} numbers")
    if not (scale > 0).all():
        raise ValueError("a scale must be positive")
    validity = data["validity"]
    judge = Judge(
        expected,
        scale,
        tuple(str(block["run"]) for block in blocks),
        tuple(Label(block["label"]) for block in blocks),
        remembered,
        float(floats(data, "usual_distance", 0)),
        _engine(data["engine"], settings, n_columns),
        _sort(floats(data, "held_out")),
        None if validity is None else DecisionTree.from_data(validity, n_columns + 2),
        _texts(data["missed"]),
        _whole(data["regressions"]),
    )
    left_out = {str(name): str(why) for name, why in data["left_out"].items()}
    return columns, judge, _whole(data["unmatched"]), left_out


def _require_same(learned_with: Mapping[str, Any], settings: Settings) -> None:
    for key in SHAPING:
        learned, now = learned_with[key], settings.values[key]
        if learned != now:
            raise BadFileError(
                f"judge: {key} must be {learned!r}, with which the labels were learned, got {now!r}",
                advice="train again",
            )


def _engine(written: Any, settings: Settings, n_columns: int) -> HistoryEngine | None:
    if written is None:
        return None
    engine = HistoryEngine.from_data(written, scheme_of(settings))
    doubled = engine.scheme.row_pairing == "concatenated" and not engine.scheme.is_similarity
    n_expected = n_columns * (2 if doubled else 1) + (N_SIZES if is_deviations(settings) else 0)
    if len(engine.projection.centre) != n_expected:
        raise ValueError(f"the projection must be of {n_expected} columns")
    return engine


def _sort(scores: FloatArray) -> FloatArray:
    if (np.diff(scores) < 0).any():
        raise ValueError("held_out must be sorted")
    return scores


def _texts(written: Any) -> tuple[str, ...]:
    if not isinstance(written, list):
        raise TypeError("missed must be a list of runs")
    return tuple(map(str, written))


def _whole(written: Any) -> int:
    return int(wholes({"number": [written]}, "number", 0, MOST_RUNS)[0])
