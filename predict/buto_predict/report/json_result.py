"""A prediction as JSON. What is no number (NaN) or infinite is null."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

from buto.version import __version__
from buto_predict.prediction.evidence import ComponentTest
from buto_predict.prediction.model import EndpointPrediction, Prediction

FORMAT = "buto-prediction"
VERSION = 1


def prediction_document(prediction: Prediction) -> dict[str, Any]:
    """Return the whole prediction as plain data; field names are those of
    :mod:`buto_predict.prediction`.
    """
    mapping = prediction.mapping
    return {
        "format": FORMAT,
        "version": VERSION,
        "buto": __version__,
        "architecture": prediction.architecture.name,
        "status": prediction.status.value,
        "reasons": list(prediction.reasons),
        "warnings": list(prediction.warnings),
        "settings": _plain(prediction.settings),
        "load": prediction.load,
        "exact": prediction.exact,
        "endpoints": [
            _endpoint(one, share)
            for one, share in zip(prediction.endpoints, prediction.coverage, strict=True)
        ],
        "stations": _plain(prediction.stations),
        "components": [
            {"name": one.name, "station": one.station, "self_s": one.self_s, "self_change_s": change}
            for one, change in zip(prediction.architecture.components, prediction.self_changes_s, strict=True)
        ],
        "tests": [_test(one) for one in prediction.evidence.tests],
        "unmapped": list(prediction.unmapped),
        "curve": _plain(prediction.curve),
        "limits": _plain(prediction.limits),
        "saturation_old": _plain(prediction.saturation_old),
        "saturation_new": _plain(prediction.saturation_new),
        "bottleneck": prediction.bottleneck,
        "mending": _plain(prediction.mending),
        "needed": _plain(prediction.needed),
        "mapping": None if mapping is None else _plain(mapping),
    }


def prediction_json(prediction: Prediction) -> str:
    """Return the text of a file."""
    text = json.dumps(prediction_document(prediction), indent=1, allow_nan=False, ensure_ascii=False)
    # UTF-8 has no lone surrogates; JSON may have them escaped.
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def _endpoint(one: EndpointPrediction, coverage: float) -> dict[str, Any]:
    size = one.size.value if isfinite(one.delta) else None
    return {**_plain(one), "size": size, "coverage": _plain(coverage)}


def _test(one: ComponentTest) -> dict[str, Any]:
    known = one.deviation
    change = known.change if known.n_old and known.n_new else None
    return {**_plain(one), "deviation": {**_plain(known), "change": _plain(change)}}


def _plain(value: Any) -> Any:
    """Return data of dictionaries, lists, texts and numbers."""
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
