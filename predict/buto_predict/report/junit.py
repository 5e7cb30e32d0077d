"""A prediction as JUnit XML, one test case an endpoint."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isinf
from xml.etree import ElementTree

from buto.report.sanitize import one_line
from buto.verdicts import Status
from buto_predict.prediction.model import EndpointPrediction, Prediction
from buto_predict.report.tables import seconds
from buto_predict.report.text import conclusions, headline

SUITE = "buto.predict"


def prediction_junit(prediction: Prediction, at: datetime) -> bytes:
    """Return the file, UTF-8; a regression is a failure, an inconclusive endpoint an error.

    What lets no endpoint pass (component tests that say too little) is an error of its own.
    """
    cases = [_case(one) for one in prediction.endpoints]
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


def _case(one: EndpointPrediction) -> ElementTree.Element:
    case = _empty(one.name)
    if one.status is not Status.PASS:
        what = "failure" if one.status is Status.REGRESSION else "error"
        # Where nothing is judged, the response times say nothing either.
        known = () if isinf(one.old_s) else (f"{seconds(one.old_s)} to {seconds(one.new_s)}",)
        _add(case, what, one.status.value, (*known, *one.reasons))
    return case


def _empty(name: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", {"classname": SUITE, "name": one_line(name), "time": "0.000"})


def _add(case: ElementTree.Element, tag: str, kind: str, lines: tuple[str, ...]) -> None:
    output = [one_line(line) for line in lines]
    child = ElementTree.SubElement(case, tag, {"type": kind, "message": "; ".join(output)})
    child.text = "\n".join(output)
