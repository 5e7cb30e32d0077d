"""The history of tests as one HTML page: small charts over builds, and what changed, when and by whom.

With several tests the page begins with one card of each, that which moved most first. It needs no other file
and no network, so that it can lie in a bucket or among the pages of a build.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from buto.report.builds import BuildCurve, BuildHistory, PlacedCheck
from buto.report.html.chart_data import codes, scale_of, unit_data
from buto.report.html.template import line, name_parts, render_page
from buto.report.result import Commit
from buto.report.words import CHANGED
from buto.run.properties import Better, title_of
from buto.run.units import format_count, format_number

SCRIPTS = ("element.js", "quantity.js", "history.js")
STYLES = ("page.css", "history.css")

MOST_SUBJECT = 90
"""Characters of a commit's subject."""

MOST_FOUND = 60

_LETTERS = {"pass": "p", "regression": "r", CHANGED: "c", "inconclusive": "i", "error": "e"}
_OTHER = "e"
_SIGNS = {Better.LOWER: -1, Better.HIGHER: 1, Better.UNKNOWN: 0}
"""Of a change that is welcome."""

_TRAINED, _ACCEPTED = "t", "a"
_DAY_S = 86400.0


def render_history(pasts: Sequence[BuildHistory], made: datetime) -> str:
    """Return the page of some tests, at least one, that which moved most first.

    Args:
        made: when, with a time zone.
    """
    order = sorted(pasts, key=lambda past: (-_most_moved(past), past.test))
    known = {build.commit.name: build.commit for past in order for build in past.builds if build.commit}
    number_of = {name: number for number, name in enumerate(known)}
    data = {
        "tests": [_test(past, number_of) for past in order],
        "commits": [_commit(commit) for commit in known.values()],
    }
    n_builds = max(map(_count_builds, order), default=0)
    return render_page(
        "history.html",
        data,
        SCRIPTS,
        STYLES,
        title=order[0].test if len(order) == 1 else format_count(len(order), "test"),
        made=f"{made.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        n_builds=format_count(n_builds, "build"),
    )


def _count_builds(past: BuildHistory) -> int:
    """Return how many builds a test has; what was trained or checked of one commit is one."""
    return len({build.commit.name if build.commit else build.entry.at for build in past.builds})


def _most_moved(past: BuildHistory) -> float:
    most = past.most_moved
    return 0.0 if most is None else most.moved


def _commit(commit: Commit) -> list[str]:
    author = commit.author.partition(" <")[0]
    return [commit.name[:9], commit.date, line(author, 40), line(commit.subject, MOST_SUBJECT)]


def _test(past: BuildHistory, number_of: Mapping[str, int]) -> dict[str, Any]:
    first = past.builds[0].entry.at.timestamp() // _DAY_S if past.builds else 0.0
    days = np.array([build.entry.at.timestamp() // _DAY_S - first for build in past.builds])
    commits = np.array(
        [float(number_of[build.commit.name]) if build.commit else np.nan for build in past.builds]
    )
    most = past.most_moved
    return {
        "name": line(past.test),
        "n": len(past.builds),
        "first": first,
        "days": _encode(days),
        "commits": _encode(commits),
        "results": "".join(map(_letter, past.builds)),
        "found": {
            number: line(title_of(build.entry.subjects[0]), MOST_FOUND)
            for number, build in enumerate(past.builds)
            if build.entry.subjects and not build.entry.is_training
        },
        "marks": [[mark.event.value, mark.place, line(mark.name, 40)] for mark in past.marks],
        "anchor": past.anchor,
        "curves": [_curve(curve) for curve in past.curves],
        "most": None if most is None else past.curves.index(most),
        "left": past.n_left_out,
        "by_time": past.is_by_time,
    }


def _letter(build: PlacedCheck) -> str:
    entry = build.entry
    if entry.is_training:
        return _ACCEPTED if entry.is_accepted else _TRAINED
    letter = _LETTERS.get(entry.result, _OTHER)
    return letter.upper() if entry.has_changes else letter


def _curve(curve: BuildCurve) -> dict[str, Any]:
    trend = curve.trend
    share = "" if trend is None or math.isnan(trend.share) else f"{trend.share:+.1%}".replace("%", " %")
    note = (
        ""
        if trend is None
        else f"{share or format_number(trend.per_build)} a build over {format_count(trend.n_builds, 'build')}"
        f", p = {format_number(trend.p_value)}"
    )
    return {
        "title": line(title_of(curve.quantity.name)),
        "name": [line(part) for part in name_parts(curve.quantity.name)],
        "unit": unit_data(curve.quantity.unit),
        "values": _encode(curve.values),
        "levels": [_number(level) for level in curve.levels],
        "now": _number(curve.now),
        "least": _number(curve.least),
        "segments": [[segment.start, segment.level] for segment in curve.segments],
        "exact": curve.is_exact,
        "better": _SIGNS[curve.quantity.better],
        "trend": note,
        "moved": round(curve.moved, 3) if math.isfinite(curve.moved) else 0.0,
    }


def _encode(values: np.ndarray) -> list[Any]:
    scale = scale_of(values)
    return [codes(values, scale), scale]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
