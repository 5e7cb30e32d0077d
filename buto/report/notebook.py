"""Runs, sets of runs, oracles, verdicts and results as a notebook shows them: a part of a page, small.

It needs no script, no style sheet and no network. Importing this module imports Jinja2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from buto.judging.verdict import Finding, Verdict, grouped, in_line
from buto.oracle import Oracle
from buto.oracle.model import summary
from buto.report import words
from buto.report.html.summary import MARKS
from buto.report.html.template import render_template
from buto.report.result import Result
from buto.report.terminal.style import sparkline
from buto.run.model import Run, RunSet
from buto.run.names import start_of
from buto.run.properties import Role, split_name
from buto.run.units import format_count, format_quantity, format_seconds

MAX_ROWS = 12
CURVE_WIDTH = 24

FIRST = (
    "jvm.memory.heap.used",
    "jvm.cpu.time",
    "jvm.gc.count",
    "jvm.gc.time",
    "jvm.memory.used",
    "jvm.thread.count",
    "jvm.class.loaded",
)
"""The metrics that most users look for; of many properties, these are shown."""

Row = tuple[str, ...]


@singledispatch
def render(value: object) -> str:
    """Return a value as HTML. Text from outside is cut and escaped.

    Raises:
        TypeError: nothing says how to show a value of this type.
    """
    raise TypeError(f"{type(value).__name__} has no view in notebooks")


@render.register
def _(run: Run) -> str:
    names = sorted((prop.name for prop in run.properties if prop.role is Role.PROGRAM), key=_rank)
    moving = [name for name in names if _moves(run, name)]
    return render_template(
        "notebook/run.html",
        run=run,
        facts=list(_run_facts(run)),
        rows=[_property_row(run, name) for name in moving[:MAX_ROWS]],
        others=len(run.properties) - len(moving[:MAX_ROWS]),
    )


@render.register
def _(runs: RunSet) -> str:
    tests = list(dict.fromkeys(run.test for run in runs))
    return render_template(
        "notebook/run_set.html",
        title=format_count(len(runs), "run") + (f" of {tests[0]}" if tests else ""),
        n_valid=len(runs.valid()),
        rows=[_run_row(run) for run in runs.runs[:MAX_ROWS]],
        others=max(0, len(runs) - MAX_ROWS),
    )


@render.register
def _(oracle: Oracle) -> str:
    expected = sorted(summary(oracle).items(), key=lambda line: _rank(line[0]))
    return render_template(
        "notebook/oracle.html",
        oracle=oracle,
        n_runs=len(oracle.run_ids),
        rows=expected[:MAX_ROWS],
        others=max(0, len(expected) - MAX_ROWS),
        n_left_out=len(oracle.fitted.left_out),
    )


@render.register
def _(verdict: Verdict) -> str:
    return _verdict(verdict, "")


@render.register
def _(result: Result) -> str:
    if result.verdict is not None:
        return _verdict(result.verdict, result.test)
    return render_template("notebook/result.html", result=result, n_runs=len(result.runs))


def _verdict(verdict: Verdict, test: str) -> str:
    findings, noted = in_line(grouped(words.listed_findings(verdict))), in_line(grouped(verdict.noted))
    return render_template(
        "notebook/verdict.html",
        verdict=verdict,
        test=test,
        mark=MARKS[verdict.status],
        headline=words.headline(verdict),
        lacking=words.lacking(verdict),
        rows=[_finding_row(one) for one in findings[:MAX_ROWS]],
        others=max(0, len(findings) - MAX_ROWS),
        noted=[_finding_row(one) for one in noted[:MAX_ROWS]],
        others_noted=max(0, len(noted) - MAX_ROWS),
    )


def _finding_row(finding: Finding) -> Row:
    when = words.window(finding) or finding.text
    return (
        finding.subject,
        words.change(finding),
        words.effect(finding),
        words.observed(finding),
        words.expected(finding),
        when,
    )


def _run_facts(run: Run) -> Iterator[tuple[str, str]]:
    start = start_of(run.id)
    if start is not None:
        yield "start", f"{start:%Y-%m-%d %H:%M:%S} UTC"
    yield "end", f"{run.outcome.describe()} after {format_seconds(run.outcome.duration_s)}"
    yield "samples", f"{run.n_samples} of {format_count(len(run.properties), 'property')}"
    yield "state", _state(run)
    for key, term in (("jvm.vm.version", "JVM"), ("buto.commit", "commit")):
        if run.metadata.get(key):
            yield term, str(run.metadata[key])


def _property_row(run: Run, name: str) -> Row:
    values, unit = run.series(name), run.properties[run.column_of[name]].unit
    known = values[~np.isnan(values)]
    figures = (known[0], known[-1], known.min(), known.max())
    return (name, *(format_quantity(float(one), unit) for one in figures), sparkline(values, CURVE_WIDTH))


def _run_row(run: Run) -> Row:
    start = start_of(run.id)
    return (
        run.id,
        "" if start is None else f"{start:%Y-%m-%d %H:%M}",
        format_seconds(run.outcome.duration_s),
        str(run.n_samples),
        run.outcome.describe(),
        _state(run),
    )


def _state(run: Run) -> str:
    return "valid" if run.quality.valid else f"invalid: {run.quality.describe()}"


def _rank(name: str) -> int:
    metric, _ = split_name(name)
    return FIRST.index(metric) if metric in FIRST else len(FIRST)


def _moves(run: Run, name: str) -> bool:
    known = run.series(name)[~np.isnan(run.series(name))]
    return bool(known.size) and bool(known.min() < known.max())
