"""The times of test cases in JUnit XML reports, as Maven, Gradle and pytest write them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from buto.architecture.results.model import ComponentResult
from buto.errors import BadFileError

_DID_NOT_PASS = ("failure", "error", "skipped")


def read_junit(text: str, path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each passed test case, with one replicate: the report is one run.

    Cases of one name (repetitions) are averaged. Cases that took no measurable time are left out.

    Raises:
        BadFileError: it is not XML, or a time is not a number.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BadFileError(f"{path} is not a JUnit XML report: {error}") from error
    times: dict[str, list[float]] = {}
    for case in root.iter("testcase"):
        if any(case.find(tag) is not None for tag in _DID_NOT_PASS):
            continue
        names = (case.get("classname"), case.get("name"))
        name = ".".join(part for part in names if part)
        time_s = _seconds(case.get("time", "0"), name, path)
        if time_s > 0:
            times.setdefault(name, []).append(time_s)
    return tuple(ComponentResult(name, np.array([np.mean(all_s)]), "run") for name, all_s in times.items())


def _seconds(text: str, name: str, path: Path) -> float:
    try:
        # Surefire groups the digits of thousands.
        return float(text.replace(",", ""))
    except ValueError as error:
        raise BadFileError(f"{path}: the time of {name} must be a number of seconds, got {text!r}") from error
