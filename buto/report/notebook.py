"""Runs, sets of runs, oracles, verdicts and results as a notebook shows them: a part of a page, small.

It needs no script, no style sheet and no network. Importing this module imports Jinja2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch

import numpy as np
from markupsafe import Markup

from buto.judging.verdict import Finding, Status, Verdict, grouped, in_line
from buto.oracle import Oracle
from buto.oracle.model import summary
from buto.report import words
from buto.report.html.page import MARKS
from buto.report.html.template import markup
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

_COLOURS = {Status.PASS: "#00704f", Status.REGRESSION: "#a33b00", Status.INCONCLUSIVE: "#595959"}
_CELL = "text-align:left;padding:0 1em 0 0"
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
    moving = [name for name in names if _moves(run, name)][:MAX_ROWS]
    return _whole(
        markup("<p><b>Run {}</b> of {}</p>", run.id, run.test),
        _rows((), list(_run_facts(run)), head="th"),
        _table(
            ("property", "first", "last", "lowest", "highest", "over time"),
            [_property_row(run, name) for name in moving],
            len(run.properties),
        ),
    )


@render.register
def _(runs: RunSet) -> str:
    tests = list(dict.fromkeys(run.test for run in runs))
    title = format_count(len(runs), "run") + (f" of {tests[0]}" if tests else "")
    return _whole(
        markup("<p><b>{}</b>, {} of them valid</p>", title, str(len(runs.valid()))),
        _table(
            ("run", "start (UTC)", "duration", "samples", "end", "state"),
            [_run_row(run) for run in runs.runs[:MAX_ROWS]],
            len(runs),
        ),
    )


@render.register
def _(oracle: Oracle) -> str:
    expected = sorted(summary(oracle).items(), key=lambda line: _rank(line[0]))
    trained = format_count(len(oracle.run_ids), "run")
    left_out = format_count(len(oracle.fitted.left_out), "property")
    return _whole(
        markup(
            "<p><b>Oracle of {}</b>, trained with {}, method {}</p>",
            oracle.test,
            trained,
            oracle.settings.method,
        ),
        _table(("property", "expected"), expected[:MAX_ROWS], len(expected)),
        markup("<p>{} not judged.</p>", left_out) if oracle.fitted.left_out else "",
        _messages("Warnings", oracle.warnings),
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
    told = [] if error is None else [error.message, *([error.advice] if error.advice else [])]
    return _whole(
        markup("<p><b>{}:</b> {}, {}{}</p>", *texts),
        markup(f"<p>{'<br>'.join(['{}'] * len(told))}</p>", *told, limit=1000) if told else "",
        _messages("Warnings", result.warnings),
    )


def _verdict(verdict: Verdict, test: str) -> str:
    lacking = words.lacking(verdict)
    told = f"{words.headline(verdict)}{f'; {lacking}' if lacking else ''}"
    return _whole(
        markup(_BADGE, _COLOURS[verdict.status], MARKS[verdict.status], verdict.status.value),
        markup(" <b>{}:</b>", test) if test else "",
        markup(" {}</p>", told, limit=500),
        _messages("Reasons", verdict.reasons),
        _findings("difference", words.listed_findings(verdict)),
        _findings("noted", verdict.noted, "noted change"),
        _messages("Warnings", verdict.warnings),
    )


def _findings(head: str, findings: Sequence[Finding], what: str = "") -> Markup:
    every = in_line(grouped(findings))
    heads = (head, "change", "effect", "observed", "expected", "outside")
    return _table(heads, [_finding_row(one) for one in every[:MAX_ROWS]], len(every), what or head)


def _whole(*parts: str) -> str:
    return Markup("<div>{}</div>").format(Markup().join(parts))


def _table(heads: Row, rows: Sequence[Row], total: int, what: str = "") -> Markup:
    """Return rows below heads, and of how many in total the others are not shown."""
    left = format_count(total - len(rows), what or heads[0])
    others = markup("<p>{} not shown.</p>", left) if total > len(rows) else ""
    return (_rows(heads, rows) if rows else Markup()) + others


def _rows(heads: Row, rows: Sequence[Row], head: str = "td") -> Markup:
    """Return a table; ``head`` is the element of each row's first cell."""

    def row(cells: Row, *tags: str) -> Markup:
        return Markup("<tr>{}</tr>").format(
            Markup().join(
                markup(f'<{tag} style="{_CELL}">{{}}</{tag}>', cell, limit=500)
                for tag, cell in zip((*tags, *["td"] * len(cells)), cells, strict=False)
            )
        )

    above = Markup("<thead>{}</thead>").format(row(heads, *["th"] * len(heads))) if heads else ""
    return Markup("<table>{}<tbody>{}</tbody></table>").format(
        above, Markup().join(row(one, head) for one in rows)
    )


def _messages(title: str, texts: Sequence[str]) -> Markup:
    items = Markup().join(markup("<li>{}</li>", text, limit=500) for text in texts[:MAX_ROWS])
    return markup("<p><b>{}</b></p>", title) + Markup("<ul>{}</ul>").format(items) if texts else Markup()


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
