"""Turn a ``run.json`` of an older version into one of the next version."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from buto.runs.format.fields import all_of, get
from buto.runs.problems import ProblemKind

_WORDS_OF_VERSION_1 = (
    (r"it was stopped at its time limit", ProblemKind.TIME_LIMIT),
    (r"it was ended by signal", ProblemKind.SIGNAL),
    (r"it exited with code", ProblemKind.EXIT_CODE),
    (r"the measured JVM", ProblemKind.JVM_END),
    (r"its workload", ProblemKind.WORKLOAD),
    (r"it was starved", ProblemKind.STARVED),
    (r"the MBean", ProblemKind.SLOW_MBEAN),
    (r"the program's MBeans cannot be read", ProblemKind.UNREADABLE_MBEANS),
    (r"\d+ notifications were lost", ProblemKind.LOST_NOTIFICATIONS),
    (r"its first sample came", ProblemKind.LATE_START),
    (r"the agent fell silent", ProblemKind.EARLY_LOSS),
    (r"the JVM stopped answering", ProblemKind.EARLY_LOSS),
    (r"it stopped answering", ProblemKind.EARLY_LOSS),
    (r"its connection was lost", ProblemKind.EARLY_LOSS),
    (r"its JMX port on loopback is left open", ProblemKind.OPEN_PORT),
    (r"buto was lost while it recorded", ProblemKind.BUTO_LOST),
)
"""How the problems of version 1 began, which were texts without a kind. Never to be changed: these are the
words that stored runs have, not those that buto writes today."""


def _problems_get_kinds(data: Mapping[str, Any]) -> dict[str, Any]:
    """Upgrade from version 1 to 2: a problem is an object of ``kind`` and ``text`` instead of a text."""
    quality = get(data, "quality", dict)
    problems = [
        {"kind": _kind_in_version_1(text).value, "text": text}
        for text in all_of(str, "problems", get(quality, "problems", list))
    ]
    return {**data, "version": 2, "quality": {**quality, "problems": problems}}


def _kind_in_version_1(text: str) -> ProblemKind:
    for begin, kind in _WORDS_OF_VERSION_1:
        if re.match(begin, text):
            return kind
    return ProblemKind.OTHER


def _observations_are_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    """From version 2 to 3: a run has marks, sources and histograms."""
    return {**data, "version": 3, "marks": [], "sources": [], "histograms": []}


UPGRADES: dict[int, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    1: _problems_get_kinds,
    2: _observations_are_empty,
}
"""From each older version to the function that turns its document into one of the next version."""
