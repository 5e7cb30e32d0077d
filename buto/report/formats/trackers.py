"""Results for programs that track benchmarks over time: Bencher and Apache Otava.

Bencher's metric format maps benchmark to measure to value, see https://bencher.dev/bmf.json. A benchmark is a
property of a test. The measure is the kind of quantity, so that a few thresholds in Bencher are enough for
all properties.

For Otava, a history is CSV with a row for each check and a column for each property. Otava reads it with
``type: csv``, ``time_column: time``, ``attributes: [commit]`` and, as ``metrics``, the properties to analyse.
It accepts no empty cell, so only properties that every check has are columns.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from typing import Any

from buto.report.history import HistoryEntry
from buto.report.levels import levels, median_levels
from buto.report.result import Result
from buto.report.sanitize import one_line
from buto.report.words import unit_of
from buto.run.model import Run

MAX_NAME = 1024
"""Characters of a benchmark's name that Bencher accepts."""

_MEASURES = {"By": "bytes", "s": "seconds"}


def bencher_text(results: Sequence[Result]) -> str:
    """Return the JSON text: the median of each property's level over the valid runs, with lowest and highest.

    Tests without a valid run and unreadable properties are left out.
    """
    document: dict[str, Any] = {}
    # By the runs' own test: a comparison has runs of two programs.
    by_test: dict[str, list[Run]] = {}
    for run in (run for result in results for run in result.runs if run.quality.valid):
        by_test.setdefault(run.test, []).append(run)
    for test, runs in by_test.items():
        of_runs = [levels(run) for run in runs]
        units = {prop.name: prop.unit for run in runs for prop in run.properties}
        for name, level in median_levels(of_runs).items():
            seen = [run_levels[name] for run_levels in of_runs if name in run_levels]
            metric = {"value": level}
            if len(seen) > 1:
                metric |= {"lower_value": min(seen), "upper_value": max(seen)}
            unit = units.get(name) or unit_of(name)
            measure = _MEASURES.get(unit, "count" if unit.startswith("{") else "value")
            document[_name(f"{test} {name}")] = {measure: metric}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _name(text: str) -> str:
    seen = one_line(text[: MAX_NAME + 1])
    if len(seen) <= MAX_NAME:
        return seen
    digest = hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:8]
    return f"{seen[: MAX_NAME - 9]} {digest}"


def otava_text(entries: Sequence[HistoryEntry], names: Sequence[str] = ()) -> str:
    """Return the text of the file, quoted as Otava expects by default.

    Args:
        entries: trainings are left out.
        names: properties to write; empty for all.
    """
    checks = [entry for entry in entries if not entry.is_training]
    shared = set.intersection(*(set(entry.levels) for entry in checks)) if checks else set()
    columns = [name for name in names if name in shared] if names else sorted(shared)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", "commit", *map(one_line, columns)])
    for entry in checks:
        levels = [repr(entry.levels[name]) for name in columns]
        writer.writerow([entry.at.isoformat(timespec="seconds"), one_line(entry.commit or ""), *levels])
    return text.getvalue()
