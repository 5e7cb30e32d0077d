"""Runs, sets of runs, oracles, verdicts and results as a notebook shows them: a part of a page, small.

It needs no script, no style sheet and no network. Importing this module imports Jinja2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from math import inf

import numpy as np
from markupsafe import Markup

from buto.judging.story import tell
from buto.judging.verdict import Finding, Status, Verdict
from buto.oracle import Oracle
from buto.oracle.summary import lines, summarise
from buto.report import phrases, words
from buto.report.document import Table
from buto.report.html.page import MARKS
from buto.report.html.template import markup, render_template
from buto.report.result import Result
from buto.report.terminal.style import sparkline
from buto.run.model import Run, RunSet
from buto.run.names import start_of
from buto.run.properties import Role, split_name
from buto.run.units import format_count, format_number, format_quantity, format_seconds

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
_COLOURS = {Status.PASS: "#00704f", Status.REGRESSION: "#a33b00", Status.INCONCLUSIVE: "#595959"}
_BADGE = '<p><b style="background:{};color:#fff;padding:0 .5em;border-radius:.25em">{} {}</b>'


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
    rows = [_property_row(run, name) for name in [name for name in names if _moves(run, name)][:MAX_ROWS]]
    heads = ("property", "first", "last", "lowest", "highest", "over time")
    return _whole(
        markup("<p><b>Run {}</b> of {}</p>", run.id, run.test),
        Table(("", ""), list(_run_facts(run))),
        Table(heads, rows, left_out=len(run.properties) - len(rows)),
    )


@render.register
def _(runs: RunSet) -> str:
    title = format_count(len(runs), "run") + (f" of {runs.runs[0].test}" if len(runs) else "")
    heads = ("run", "start (UTC)", "duration", "samples", "end", "state")
    return _whole(
        markup("<p><b>{}</b>, {} of them valid</p>", title, str(len(runs.valid()))),
        Table(heads, list(map(_run_row, runs))).first(MAX_ROWS),
    )


@render.register
def _(oracle: Oracle) -> str:
    expected = list(lines(summarise(oracle), inf).items())
    texts = (oracle.test, format_count(len(oracle.run_ids), "run"), oracle.settings.method)
    left_out = oracle.fitted.left_out
    others = format_count(len(left_out), "property")
    return _whole(
        markup("<p><b>Oracle of {}</b>, trained with {}, method {}</p>", *texts),
        Table(("property", "expected"), expected).first(MAX_ROWS),
        markup("<p>{} not judged.</p>", others) if left_out else Markup(),
        ("Warnings", oracle.warnings),
    )


@render.register
def _(verdict: Verdict) -> str:
    return _verdict(verdict, "")


@render.register
def _(result: Result) -> str:
    if result.verdict is not None:
        return _verdict(result.verdict, result.test)
    oracle = "" if result.oracle is None else f", oracle {result.oracle}"
    texts = (result.test, result.status, format_count(len(result.runs), "run"), oracle)
    error = result.error
    error_lines = [] if error is None else [text for text in (error.message, error.advice) if text]
    why = (
        markup(f"<p>{'<br>'.join(['{}'] * len(error_lines))}</p>", *error_lines, limit=1000)
        if error_lines
        else ""
    )
    return _whole(markup("<p><b>{}:</b> {}, {}{}</p>", *texts) + why, ("Warnings", result.warnings))


def _verdict(verdict: Verdict, test: str) -> str:
    lacking = words.lacking(verdict)
    headline = f"{phrases.headline(verdict)}{f'; {lacking}' if lacking else ''}"
    badge = markup(_BADGE, _COLOURS[verdict.status], MARKS[verdict.status], words.status_of(verdict))
    return _whole(
        badge + (markup(" <b>{}:</b>", test) if test else "") + markup(" {}</p>", headline, limit=500),
        ("Reasons", verdict.reasons),
        _findings("difference", words.list_findings(verdict)),
        _findings("noted", verdict.noted),
        ("Warnings", verdict.warnings),
    )


def _findings(head: str, findings: Sequence[Finding]) -> Table:
    rows = [_finding_row(finding) for finding in tell(findings).findings]
    return Table((head, "change", "effect", "observed", "expected", "outside"), rows).first(MAX_ROWS)


def _whole(title: Markup, *parts: Table | Markup | tuple[str, Sequence[str]]) -> str:
    """Return a title above paragraphs, tables, and lists of texts with their names."""
    return render_template("notebook.html", title=title, parts=parts)


def _finding_row(finding: Finding) -> Row:
    when = words.window(finding) or finding.text
    return (
        finding.subject,
        words.change(finding),
        words.effect(finding),
        words.describe_observed(finding),
        words.describe_expected(finding),
        when,
    )


def _run_facts(run: Run) -> Iterator[tuple[str, str]]:
    start = start_of(run.id)
    if start is not None:
        yield "start", f"{start:%Y-%m-%d %H:%M:%S} UTC"
    yield "end", f"{run.outcome.describe()} after {format_seconds(run.outcome.duration_s)}"
    yield "samples", f"{format_number(run.n_samples)} of {format_count(len(run.properties), 'property')}"
    yield "state", _state(run)
    for key, term in (("jvm.vm.version", "JVM"), ("buto.commit", "commit")):
        if run.metadata.get(key):
            yield term, str(run.metadata[key])


def _property_row(run: Run, name: str) -> Row:
    values, unit = run.series(name), run.properties[run.column_of[name]].unit
    known = values[~np.isnan(values)]
    figures = (known[0], known[-1], known.min(), known.max())
    return (
        name,
        *(format_quantity(float(figure), unit) for figure in figures),
        sparkline(values, CURVE_WIDTH),
    )


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
