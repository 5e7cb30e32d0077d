"""The numbers of a page's charts: plain data that becomes one JSON block.

Curves are thin to fewer points and written in sixteen bits each. Beside them are the events of a run that
a chart marks on its time axis.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from buto.judging.classifiers import EmitterBands
from buto.judging.verdict import Difference
from buto.judging.views import Band
from buto.report import words
from buto.report.html.template import line, name_parts
from buto.report.panels import Charted, Curve, Panel, spans_of
from buto.run.model import FloatArray, Run
from buto.run.names import start_of
from buto.run.properties import split_name, title_of
from buto.run.units import format_percent, plural, scale_of_unit

LARGEST = 65532
"""Largest code of a number; the three codes above it are the infinities and NaN."""
_BELOW_ALL, _ABOVE_ALL, _UNREADABLE = 65533, 65534, 65535

Codes = str | int
"""Base64 of little-endian 16-bit codes, or one code if all are equal."""


Scale = tuple[float, float]
"""Lowest number and step: ``number = low + code * step``."""


def thin(times_s: FloatArray, values: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Return at most ``most`` points (an even number) of each column, without losing a peak.

    Each of ``most / 2`` intervals of equally many samples keeps its lowest and its highest value, in their
    order, at its first and last time: a point moves by less than an interval. Few samples stay as they are.

    Args:
        times_s: shape (n,), increasing.
        values: shape (n, n_columns); NaN is kept only if a whole interval is NaN.

    Returns:
        Times, shape (m,), and values, shape (m, n_columns).
    """
    n = len(times_s)
    if n <= most:
        return times_s, values
    size = -(-n // (most // 2))
    spans = -(-n // size)
    rows = np.minimum(np.arange(spans * size), n - 1).reshape(spans, size)
    blocks = values[rows]
    unreadable = np.isnan(blocks)
    lowest = np.where(unreadable, np.inf, blocks).argmin(axis=1)[:, np.newaxis]
    highest = np.where(unreadable, -np.inf, blocks).argmax(axis=1)[:, np.newaxis]
    both = np.concatenate([np.minimum(lowest, highest), np.maximum(lowest, highest)], axis=1)
    kept = np.take_along_axis(blocks, both, axis=1).reshape(2 * spans, values.shape[1])
    return times_s[rows[:, [0, -1]]].ravel(), kept


def scale_of(*arrays: FloatArray) -> Scale:
    """Return a scale for all finite numbers of some arrays; exact for whole numbers in a small range."""
    known = np.concatenate([array[np.isfinite(array)] for array in arrays]) if arrays else np.empty(0)
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    if high - low <= LARGEST and (known == np.round(known)).all():
        return low, 1.0
    # Half of each first: the difference of two large numbers may be infinite.
    step = (high / 2 - low / 2) / LARGEST * 2
    return low, step or 1.0


def codes(values: FloatArray, scale: Scale) -> Codes:
    """Return numbers, shape (n,), as codes; infinities and NaN have their own codes."""
    low, step = scale
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.clip(np.rint((values - low) / step), 0, LARGEST)
    coded: npt.NDArray[np.uint16] = np.select(
        [np.isnan(values), np.isposinf(values), np.isneginf(values)],
        [_UNREADABLE, _ABOVE_ALL, _BELOW_ALL],
        np.nan_to_num(near),
    ).astype("<u2")
    if len(coded) and (coded == coded[0]).all():
        return int(coded[0])
    return base64.b64encode(coded.tobytes()).decode()


MAX_MARKS = 400
"""Marks of each kind and run; more would be one dark bar."""


def collections_of(run: Run) -> list[tuple[float, int, str]]:
    """Return garbage collections by time: when they were first seen, how many they are, and the collector.

    Close ones are combined if there are many.
    """
    marks = []
    for name in run.column_of:
        metric, collector = split_name(name)
        values = run.series(name)
        known = np.isfinite(values)
        times, counts = run.times_s[known], values[known]
        if metric != "jvm.gc.count" or not len(times):
            continue
        groups = np.linspace(times[0], times[-1], MAX_MARKS) if len(times) > MAX_MARKS else times
        rows = np.searchsorted(times, groups, side="right") - 1
        steps = zip(rows[1:], np.diff(counts[rows]), strict=True)
        marks += [(float(times[row]), round(n), collector or "") for row, n in steps if n > 0]
    return sorted(marks)


MAX_VALUES = 200_000
"""Values of all curves together: about 530 kB of the page."""

FEWEST_POINTS, MOST_POINTS = 40, 240
"""Points of one run in one chart."""

BAND_POINTS = 200
MAX_PANELS = 300
"""Up to so many properties are all drawn; of more, only the MOST_TELLING."""

MOST_TELLING = 20
MAX_EMITTERS = 40


def choose_panels(report: Charted) -> Sequence[Panel]:
    return report.panels if len(report.panels) <= MAX_PANELS else report.panels[:MOST_TELLING]


def points_of(report: Charted) -> int:
    """Return how many points of a run are drawn, an even number."""
    curves = max(1, sum(len(panel.training) + len(panel.checked) for panel in choose_panels(report)))
    return min(MOST_POINTS, max(FEWEST_POINTS, MAX_VALUES // curves)) // 2 * 2


def training_drawn(report: Charted) -> list[int]:
    """Return which of the stored training runs are drawn: all, or an even choice if there are too many."""
    n_panels = max(1, len(choose_panels(report)))
    n_checked = max((len(panel.checked) for panel in report.panels), default=0)
    n_training = max((len(panel.training) for panel in report.panels), default=0)
    room = max(1, MAX_VALUES // (n_panels * FEWEST_POINTS) - n_checked)
    return [int(place) for place in np.unique(np.linspace(0, n_training - 1, min(n_training, room)).round())]


def page_data(report: Charted) -> dict[str, Any]:
    panels = choose_panels(report)
    most = points_of(report)
    training = _thin_runs(
        [[panel.training[place] for place in training_drawn(report)] for panel in panels], most
    )
    checked = _thin_runs([panel.checked for panel in panels], most)
    clock = scale_of(*(times_s for _, times_s, _ in (*training, *checked)))
    runs = {run.id: run for run in report.checked}
    return {
        "clock": clock,
        "second": unit_data("s"),
        "roles": {name: line(text) for name, text in asdict(report.roles).items()},
        "training": [{"id": line(run_id), "times": codes(times_s, clock)} for run_id, times_s, _ in training],
        "checked": [
            {**_run_data(runs[run_id]), "times": codes(times_s, clock)} for run_id, times_s, _ in checked
        ],
        "lengths": {
            "training": [len(times_s) for _, times_s, _ in training],
            "checked": [len(times_s) for _, times_s, _ in checked],
        },
        "panels": [
            _panel_data(
                panel,
                [values[:, column] for _, _, values in training],
                [values[:, column] for _, _, values in checked],
                [run_id for run_id, _, _ in checked],
                report,
            )
            for column, panel in enumerate(panels)
        ],
        "emitters": [_emitter_data(emitter) for emitter in report.emitters[:MAX_EMITTERS]],
    }


def unit_data(unit: str) -> dict[str, Any]:
    """Return a unit for the script's formatter, which must agree with :mod:`buto.run.units`."""
    steps = [[step.text, step.size, step.shown_from or step.size] for step in scale_of_unit(unit)]
    counted = unit.startswith("{") and unit.endswith("}")
    noun = line(unit[1:-1].replace("_", " ")) if counted else ""
    behind = "" if counted or steps or unit in ("", "1") else line(unit)
    return {
        "kind": "bytes" if unit == "By" else "seconds" if unit == "s" else "count" if counted else "number",
        "steps": steps,
        "one": noun,
        "many": plural(noun) if noun else "",
        "behind": behind,
    }


def when(run: Run) -> str:
    """Return the time of a run's start, as text."""
    start = start_of(run.id)
    return "" if start is None else f"{start:%Y-%m-%d %H:%M:%S} UTC"


def share(reach: float) -> str:
    """Return a reach in whole percent, at most 100 %."""
    return format_percent(round(min(reach, 1.0), 2))


def _thin_runs(by_panel: Sequence[Sequence[Curve]], most: int) -> list[tuple[str, FloatArray, FloatArray]]:
    """Return id, times and values, shape (n, n_panels), of each run, with fewer points."""
    return [
        (
            curves[0].run_id,
            *thin(curves[0].times_s, np.column_stack([curve.values for curve in curves]), most),
        )
        for curves in zip(*by_panel, strict=True)
    ]


def _run_data(run: Run) -> dict[str, Any]:
    notes = run.notifications
    return {
        "id": line(run.id),
        "when": when(run),
        "collections": [[round(time_s, 4), n, line(name)] for time_s, n, name in collections_of(run)],
        "notifications": [
            [round(note.time_s, 4), line(note.type), line(note.source), line(note.message)]
            for note in notes[:MAX_MARKS]
        ],
        "more": max(0, len(notes) - MAX_MARKS),
        "spans": [
            [round(span.start_s, 4), round(span.end_s, 4), line(span.name), line(span.text)]
            for span in spans_of(run)
        ],
    }


def _panel_data(
    panel: Panel,
    training: Sequence[FloatArray],
    checked: Sequence[FloatArray],
    run_ids: Sequence[str],
    report: Charted,
) -> dict[str, Any]:
    scale = scale_of(*training, *checked)
    return {
        "name": line(panel.prop.name),
        "title": title_parts(panel.prop.name),
        "called": line(title_of(panel.prop.name)),
        "unit": unit_data(panel.prop.unit),
        "lowest": _number(panel.prop.lower),
        "moves": panel.moves,
        "tag": tag_of(panel, report.reach_of),
        "reach": None if panel.reach is None else min(panel.reach, 1.0),
        "scale": scale,
        "training": [codes(values, scale) for values in training],
        "checked": [codes(values, scale) for values in checked],
        "band": None if panel.band is None else _band_data(panel.band),
        "band_name": line(words.band_name(panel.band_decides, report.roles)),
        "noted": bool(panel.noted) and not panel.findings,
        "findings": [_finding_data(panel, change, run_ids) for change in panel.changes],
    }


def title_parts(name: str) -> list[str]:
    """Return what people call a property and its instance; the parts of its name where it has no title."""
    called = title_of(name)
    if called == name:
        return [line(part) for part in name_parts(name)]
    _, instance = split_name(name)
    what = called.removesuffix(f" ({instance})")
    return [line(what), line(instance or "") if what != called else ""]


def tag_of(panel: Panel, reach_of: str) -> str:
    """Return the few words beside a property's name."""
    if panel.findings:
        return words.change(panel.findings[0])
    if panel.noted:
        return f"noted: {words.change(panel.noted[0])}"
    if panel.reach is None:
        return "" if panel.judged else "not judged"
    return "unusual by itself" if panel.reach > 1.0 else f"{share(panel.reach)} {reach_of}"


def _band_data(band: Band) -> dict[str, Any]:
    rows = np.linspace(0, len(band.times_s) - 1, min(len(band.times_s), BAND_POINTS)).round().astype(np.int64)
    sides = [side[rows] for side in (band.lower, band.expected, band.upper)]
    clock, scale = scale_of(band.times_s), scale_of(*sides)
    return {
        "n": len(rows),
        "clock": clock,
        "times": codes(band.times_s[rows], clock),
        "scale": scale,
        "sides": [codes(side, scale) for side in sides],
    }


def _finding_data(panel: Panel, finding: Difference, run_ids: Sequence[str]) -> dict[str, Any]:
    return {
        "run": run_ids.index(finding.run_id) if finding.run_id in run_ids else -1,
        # From when to when it was outside.
        "strip": _numbers(panel.outside_s(finding)),
        "window": _numbers(finding.window_s),
        "at": _number(finding.at_s),
        "observed": _number(finding.observed),
        "change": line(words.change(finding)),
        "range": _numbers((finding.lower, finding.upper)),
    }


def _emitter_data(emitter: EmitterBands) -> dict[str, Any]:
    limits = emitter.times_s
    columns = (side[:MAX_MARKS].tolist() for side in (limits.lower, limits.expected, limits.upper))
    return {
        "type": line(emitter.type),
        "source": line(emitter.source),
        "windows": list(map(_numbers, zip(*columns, strict=True))),
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _numbers(values: Iterable[float | None] | None) -> list[float | None] | None:
    return None if values is None else list(map(_number, values))
