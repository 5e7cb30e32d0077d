"""The pairs as a manifest of ``buto experiments causes``: commands of both releases, and what changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from beds.artefacts import BedError
from benchmark.launch import build, command
from benchmark.pairs import Measure, Pair, Regression

_SUBJECTS = {
    Measure.HEAP: ("retention", "allocation"),
    Measure.ALLOCATED: ("allocation",),
    Measure.CPU: ("cpu",),
    Measure.WALL: ("cpu",),
    Measure.START_CPU: ("cpu",),
    Measure.START_WALL: ("cpu",),
    Measure.THREADS: ("threads",),
    Measure.STARTED: ("threads",),
    Measure.CLASSES: ("classes",),
    Measure.METASPACE: ("classes",),
    Measure.DESCRIPTORS: ("descriptors",),
    Measure.DIRECT: ("native",),
    Measure.RESIDENT: ("native",),
}
"""What a change concerns, in the words of ``docs/why.md``. Two kinds of event explain a heap that grows."""


def manifest(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the content of a manifest with a program for each pair whose measures can be explained.

    Raises:
        BedError: a file cannot be fetched, a program cannot be compiled, or no pair can be explained.
    """
    programs = [_program(pair, pair.regression) for pair in pairs if pair.regression is not None]
    known = [program for program in programs if program["kind"]]
    if not known:
        raise BedError("none of these pairs has a measure that buto why explains")
    return {"programs": known}


def subjects(regression: Regression) -> list[str]:
    """Return what the change of a pair concerns; empty if ``buto why`` cannot explain its measures."""
    return list(dict.fromkeys(word for measure in regression.measures for word in _SUBJECTS.get(measure, ())))


def _program(pair: Pair, regression: Regression) -> dict[str, Any]:
    classes = build(pair)
    return {
        "name": pair.name,
        "kind": subjects(regression),
        "method": list(regression.changed),
        "old": command(pair, "old", classes)[1:],
        "new": command(pair, "new", classes)[1:],
    }
