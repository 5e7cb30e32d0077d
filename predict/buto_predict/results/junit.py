"""The times of test cases in JUnit XML reports, as Maven, Gradle and pytest write them."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from buto.errors import BadFileError
from buto_predict.results.model import ComponentResult

_ROOTS = ("testsuites", "testsuite")
_FAILED = ("failure", "error")


def read_junit(text: str, path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each test case, with one replicate: the report is one run.

    Cases of one name (repetitions) are averaged. A case that failed has no time, because it may have ended
    early. Cases that were skipped are left out. Times are whole milliseconds, so that a short one is 0, see
    :func:`buto_predict.results.resolution.resolved`.

    Raises:
        BadFileError: it is not a report, or a time is not a number.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BadFileError(f"{path} is not a JUnit XML report: {error}") from error
    if root.tag not in _ROOTS and root.find(".//testcase") is None:
        raise BadFileError(
            f"{path} is not a JUnit XML report: it begins with <{root.tag}>",
            advice="name the reports that Maven, Gradle or pytest wrote",
        )
    times: dict[str, list[float]] = {}
    failed: dict[str, None] = {}
    for case in root.iter("testcase"):
        name = ".".join(part for part in (case.get("classname"), case.get("name")) if part)
        if any(case.find(tag) is not None for tag in _FAILED):
            failed[name] = None
        elif case.find("skipped") is None:
            time_s = _seconds(case.get("time", "0"), name, path)
            if time_s >= 0 and math.isfinite(time_s):
                times.setdefault(name, []).append(time_s)
    return tuple(
        ComponentResult(name, np.zeros(0), "run", failed=1)
        if name in failed
        else ComponentResult(name, np.array([np.mean(times[name])]), "run")
        for name in dict.fromkeys([*times, *failed])
    )


def _seconds(text: str, name: str, path: Path) -> float:
    try:
        # Surefire groups the digits of thousands.
        return float(text.replace(",", ""))
    except ValueError as error:
        raise BadFileError(f"{path}: the time of {name} must be a number of seconds, got {text!r}") from error
