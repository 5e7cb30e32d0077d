"""A prediction as JSON and as JUnit XML. In JSON, what is no number (NaN) or infinite is null."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from math import isfinite, isinf
from typing import Any
from xml.etree import ElementTree

from buto.judging.verdict import Status
from buto.report.sanitize import one_line
from buto.version import __version__
from buto_predict.prediction.model import ComponentTest, EndpointPrediction, Prediction
from buto_predict.report.tables import seconds
from buto_predict.report.text import conclusions, headline

FORMAT = "buto-prediction"
VERSION = 1


SUITE = "buto.predict"


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
            _endpoint(endpoint, share)
            for endpoint, share in zip(prediction.endpoints, prediction.coverage, strict=True)
        ],
        "stations": _plain(prediction.stations),
        "components": [
            {
                "name": component.name,
                "station": component.station,
                "self_s": component.self_s,
                "self_change_s": change,
            }
            for component, change in zip(
                prediction.architecture.components, prediction.self_changes_s, strict=True
            )
        ],
        "tests": [_test(test) for test in prediction.evidence.tests],
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
    text = json.dumps(prediction_document(prediction), indent=1, allow_nan=False, ensure_ascii=False)
    # UTF-8 has no lone surrogates; JSON may have them escaped.
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def _endpoint(prediction: EndpointPrediction, coverage: float) -> dict[str, Any]:
    size = prediction.size.value if isfinite(prediction.delta) else None
    return {**_plain(prediction), "size": size, "coverage": _plain(coverage)}


def _test(test: ComponentTest) -> dict[str, Any]:
    known = test.deviation
    change = known.change if known.n_old and known.n_new else None
    return {**_plain(test), "deviation": {**_plain(known), "change": _plain(change)}}


def _plain(value: Any) -> Any:
    """Return data of dictionaries, lists, texts and numbers."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def prediction_junit(prediction: Prediction, at: datetime) -> bytes:
    """Return the file, UTF-8; a regression is a failure, an inconclusive endpoint an error.

    What lets no endpoint pass (component tests that say too little) is an error of its own.
    """
    cases = [_case(endpoint) for endpoint in prediction.endpoints]
    if prediction.reasons:
        case = _empty("component tests")
        _add(case, "error", "inconclusive", prediction.reasons)
        cases.append(case)
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": SUITE,
            "tests": str(len(cases)),
            "failures": str(sum(case.find("failure") is not None for case in cases)),
            "errors": str(sum(case.find("error") is not None for case in cases)),
            "skipped": "0",
            "time": "0.000",
            "timestamp": f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
            "hostname": "",
        },
    )
    suite.extend(cases)
    output = ElementTree.SubElement(suite, "system-out")
    output.text = "\n".join(map(one_line, [headline(prediction), *conclusions(prediction)]))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _case(prediction: EndpointPrediction) -> ElementTree.Element:
    case = _empty(prediction.name)
    if prediction.status is not Status.PASS:
        what = "failure" if prediction.status is Status.REGRESSION else "error"
        # Where nothing is judged, the response times say nothing either.
        known = (
            ()
            if isinf(prediction.old_s)
            else (f"{seconds(prediction.old_s)} to {seconds(prediction.new_s)}",)
        )
        _add(case, what, prediction.status.value, (*known, *prediction.reasons))
    return case


def _empty(name: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", {"classname": SUITE, "name": one_line(name), "time": "0.000"})


def _add(case: ElementTree.Element, tag: str, kind: str, lines: tuple[str, ...]) -> None:
    output = [one_line(line) for line in lines]
    child = ElementTree.SubElement(case, tag, {"type": kind, "message": "; ".join(output)})
    child.text = "\n".join(output)
