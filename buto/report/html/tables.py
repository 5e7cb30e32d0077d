"""Environment side by side, the runs, and what measuring cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from buto.properties import Kind, split_name
from buto.report.check_report import CheckReport
from buto.report.environment import EnvironmentRow, Likeness
from buto.report.html.chart_data import drawn, tag_of, when
from buto.report.html.escaping import escape
from buto.report.html.summary import name
from buto.report.panel import Curve, Panel
from buto.report.roles import Roles
from buto.runs import Run
from buto.units import format_change, format_count, format_percent, format_quantity, format_seconds

MAX_ROWS = 400
MAX_LISTED = 5000
MAX_RUNS = 60
_SIGNS = {
    Likeness.DECIDES: "≠ decides",
    Likeness.DIFFERS: "≠",
    Likeness.SAME: "=",
    Likeness.VARIES: "varies",
    Likeness.IGNORED: "not compared",
}
_BEAN_TIME = "buto.bean.time"


def environment(report: CheckReport) -> Iterator[str]:
    """Metadata of both sides; what differs is open, the rest folded."""
    rows = report.environment
    differing = [row for row in rows if row.likeness in (Likeness.DECIDES, Likeness.DIFFERS)]
    compared = [row for row in rows if row.likeness in (Likeness.SAME, Likeness.VARIES)]
    ignored = [row for row in rows if row.likeness is Likeness.IGNORED]
    yield '<section id="environment"><h2>Environment</h2>'
    if differing:
        verb = "differs" if len(differing) == 1 else "differ"
        yield f"<p>{len(differing)} of {format_count(len(differing) + len(compared), 'key')} {verb}.</p>"
        yield from _metadata(differing, report.roles)
    else:
        yield f"<p>{format_count(len(compared), 'key')} compared, and no difference.</p>"
    alike = f"the same, or not in all {report.roles.known_runs}"
    for title, folded in ((alike, compared), ("not compared", ignored)):
        if folded:
            yield f"<details><summary>{format_count(len(folded), 'key')} {escape(title)}</summary>"
            yield from _metadata(folded, report.roles)
            yield "</details>"
    yield "</section>"


def others(report: CheckReport) -> Iterator[str]:
    """The properties that are not drawn, as a list that can be searched; nothing if all are drawn."""
    rest = report.panels[len(drawn(report)) :]
    if not rest:
        return
    yield f'<details id="others"><summary>{format_count(len(rest), "other property")}</summary>'
    yield '<p class="filter"><input type="search" placeholder="filter by name" '
    yield 'aria-label="filter other properties by name"> <span class="note" role="status"></span></p>'
    yield '<div class="scroll"><table class="short"><thead><tr><th>property</th><th></th></tr></thead><tbody>'
    for panel in rest[:MAX_LISTED]:
        yield f"<tr><td>{name(panel.prop.name)}</td><td>{escape(tag_of(panel, report.reach_of))}</td></tr>"
    yield "</tbody></table></div>"
    if len(rest) > MAX_LISTED:
        yield f"<p class=note>And {len(rest) - MAX_LISTED:,} more.</p>"
    yield "</details>"


def runs(report: CheckReport) -> Iterator[str]:
    """A line for each run: how it ended, and how well it was measured."""
    yield '<section id="runs"><h2>Runs</h2><div class="scroll"><table class="short">'
    yield "<thead><tr><th>run</th><th>for</th><th>started</th><th>duration</th><th>ended</th>"
    yield "<th>samples</th><th>missed</th><th>largest gap</th><th>load by others</th></tr></thead><tbody>"
    judged, roles = report.verdict.run_ids, report.roles
    rows = [
        (run, *(("checked", roles.judged) if run.id in judged else ("not-judged", "not judged")))
        for run in report.checked
    ]
    rows += [(run, "training", roles.known) for run in report.training]
    for run, kind, role in rows[:MAX_RUNS]:
        yield _run(run, kind, role)
    yield "</tbody></table></div>"
    more = len(rows) - min(MAX_RUNS, len(rows))
    away = len(report.training_ids) - len(report.training)
    if more:
        yield f"<p class=note>And {format_count(more, 'run')} more.</p>"
    if away:
        yield f"<p class=note>{format_count(away, 'training run')} no longer in the store, so not drawn.</p>"
    yield "</section>"


def overhead(report: CheckReport) -> Iterator[str]:
    """What the tool itself cost, in the runs of both sides."""
    yield '<section id="overhead"><h2>What measuring cost</h2>'
    whole = [panel for panel in report.costs if split_name(panel.prop.name)[0] != _BEAN_TIME]
    beans = [panel for panel in report.costs if split_name(panel.prop.name)[0] == _BEAN_TIME]
    if not report.costs:
        yield "<p>The runs say nothing of it.</p>"
    else:
        yield from _costs(sorted(whole, key=lambda panel: panel.prop.name), report.roles)
    if beans:
        beans.sort(key=lambda panel: -(_typical(panel.checked, panel) or 0.0))
        yield f"<details><summary>Reading each of {len(beans)} MBeans</summary>"
        yield from _costs(beans, report.roles)
        yield "</details>"
    yield "</section>"


def _metadata(rows: Sequence[EnvironmentRow], roles: Roles) -> Iterator[str]:
    width = max(len(row.observed) for row in rows)
    alike = all(len(set(row.observed)) <= 1 for row in rows)
    heads = ["this run" if width == 1 else "these runs"] if alike else [f"run {n + 1}" for n in range(width)]
    yield '<div class="scroll"><table class="metadata"><thead><tr><th></th><th>key</th>'
    yield f"<th>{escape(roles.known)}</th>"
    yield f"{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead><tbody>"
    for row in rows[:MAX_ROWS]:
        observed = row.observed[: len(heads)]
        mark = row.likeness in (Likeness.DECIDES, Likeness.DIFFERS)
        sign = f'<td title="{escape(row.likeness.value)}">{_SIGNS[row.likeness]}</td>'
        yield f'<tr class="{row.likeness.name.lower()}">{sign}<td><bdi>{escape(row.key)}</bdi></td>'
        yield f"<td>{_value(row.expected)}</td>"
        for value in observed:
            shown = _value(value)
            yield f"<td>{f'<mark>{shown}</mark>' if mark and value != row.expected else shown}</td>"
        yield "</tr>"
    yield "</tbody></table></div>"
    if len(rows) > MAX_ROWS:
        yield f"<p class=note>And {len(rows) - MAX_ROWS} more.</p>"


def _value(value: str | None) -> str:
    return '<span class="none">none</span>' if value is None else f"<bdi>{escape(value)}</bdi>"


def _run(run: Run, kind: str, role: str) -> str:
    quality = run.quality
    load = "unknown" if math.isnan(quality.foreign_load) else format_percent(quality.foreign_load)
    cells = (
        when(run),
        format_seconds(run.outcome.duration_s),
        run.outcome.describe(),
        str(run.n_samples),
        format_percent(quality.missed_share),
        format_seconds(quality.largest_gap_s),
        load,
    )
    problems = f"<br><small>{escape('; '.join(quality.problems))}</small>" if quality.problems else ""
    shown = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr class="{kind}"><td>{escape(run.id)}{problems}</td><td>{escape(role)}</td>{shown}</tr>'


def _costs(panels: Sequence[Panel], roles: Roles) -> Iterator[str]:
    yield '<div class="scroll"><table class="short"><thead><tr><th>cost</th><th></th>'
    yield f"<th>{escape(roles.judged)}</th><th>most</th><th>{escape(roles.known)}</th><th>change</th>"
    yield "</tr></thead><tbody>"
    for panel in panels[:MAX_ROWS]:
        unit = panel.prop.unit
        now, before = _typical(panel.checked, panel), _typical(panel.training, panel)
        peaks = [float(np.nanmax(one.values)) for one in panel.checked if np.isfinite(one.values).any()]
        most = max(peaks, default=None) if panel.prop.kind is not Kind.COUNTER else None
        what = "in total" if panel.prop.kind is Kind.COUNTER else "on average"
        change = "" if now is None or before is None else format_change(before, now, unit)
        shown = ("" if one is None else format_quantity(one, unit) for one in (now, most, before))
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in (*shown, change))
        yield f"<tr><td>{name(panel.prop.name)}</td><td>{what}</td>{cells}</tr>"
    yield "</tbody></table></div>"


def _typical(curves: Sequence[Curve], panel: Panel) -> float | None:
    """The median over runs of a counter's last value, or of the mean of anything else."""
    found = []
    for curve in curves:
        known = curve.values[np.isfinite(curve.values)]
        if known.size:
            found.append(float(known[-1] if panel.prop.kind is Kind.COUNTER else known.mean()))
    return median(found) if found else None
