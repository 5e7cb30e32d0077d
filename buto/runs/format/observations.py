"""Marks, sources and histograms as plain data and back. ValueError for data of another shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from buto.runs.format.fields import all_of, get, json_number, number
from buto.runs.observations import ClassCount, ClassHistogram, Mark, SourceState


def mark_data(mark: Mark) -> dict[str, Any]:
    """Return a mark as plain data."""
    return {"name": mark.name, "time_s": json_number(mark.time_s), "text": mark.text}


def source_data(source: SourceState) -> dict[str, Any]:
    """Return the state of a source as plain data."""
    return {"name": source.name, "kind": source.kind, "reason": source.reason}


def histogram_data(histogram: ClassHistogram) -> dict[str, Any]:
    """Return a histogram as plain data; a class is a list of name, instances and bytes."""
    return {
        "point": histogram.point,
        "time_s": json_number(histogram.time_s),
        "instances": histogram.instances,
        "bytes": histogram.size_bytes,
        "classes": [[one.name, one.instances, one.size_bytes] for one in histogram.classes],
    }


def marks_of(data: Mapping[str, Any]) -> tuple[Mark, ...]:
    """Read the field ``marks``."""
    return tuple(
        Mark(number(one, "time_s"), get(one, "name", str), get(one, "text", str))
        for one in all_of(dict, "marks", get(data, "marks", list))
    )


def sources_of(data: Mapping[str, Any]) -> tuple[SourceState, ...]:
    """Read the field ``sources``."""
    return tuple(
        SourceState(get(one, "name", str), get(one, "kind", str), get(one, "reason", str))
        for one in all_of(dict, "sources", get(data, "sources", list))
    )


def histograms_of(data: Mapping[str, Any]) -> tuple[ClassHistogram, ...]:
    """Read the field ``histograms``."""
    return tuple(
        ClassHistogram(
            time_s=number(one, "time_s"),
            point=get(one, "point", str),
            instances=get(one, "instances", int),
            size_bytes=get(one, "bytes", int),
            classes=tuple(map(_class_of, all_of(list, "classes", get(one, "classes", list)))),
        )
        for one in all_of(dict, "histograms", get(data, "histograms", list))
    )


def _class_of(row: list[Any]) -> ClassCount:
    if [type(value) for value in row] != [str, int, int]:
        raise ValueError("'classes' holds a row that is not name, instances and bytes")
    return ClassCount(*row)
