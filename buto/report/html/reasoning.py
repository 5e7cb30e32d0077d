"""How the verdict came about, in words and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.environment import Likeness
from buto.report.html.chart_data import share
from buto.units import format_count
from buto.verdicts import Status


def steps(report: CheckReport) -> Iterator[tuple[str, str]]:
    """Title and sentences of each step; plain text."""
    verdict = report.verdict
    yield "Environment.", _environment(report)
    if any(row.likeness is Likeness.DECIDES for row in report.environment):
        yield "Answer.", "Inconclusive: the runs were not compared, for a difference would say nothing."
        return
    yield "Learning.", report.explanation.learned
    if report.explanation.rule:
        yield "Rule.", report.explanation.rule
    yield "Judging.", _judging(report)
    if verdict.p_value is not None:
        yield "Chance.", _chance(report)
    yield "Answer.", f"{verdict.status.value.capitalize()}: {words.headline(verdict)}."


def _environment(report: CheckReport) -> str:
    roles = report.roles
    deciding = [row.key for row in report.environment if row.likeness is Likeness.DECIDES]
    differing = sum(row.likeness is Likeness.DIFFERS for row in report.environment)
    same = sum(row.likeness is Likeness.SAME for row in report.environment)
    if deciding:
        return (
            f"The {roles.judged_runs} were made in another environment than the {roles.known_runs}: "
            f"{', '.join(deciding)} {'differ' if len(deciding) > 1 else 'differs'}."
        )
    told = (
        f", {differing} that cannot decide {'differs' if differing == 1 else 'differ'}" if differing else ""
    )
    alike = f"{format_count(same, 'key')} alike{told}"
    return f"All that decides whether runs can be compared is as in the {roles.known_runs} ({alike})."


def _judging(report: CheckReport) -> str:
    outside = [panel for panel in report.panels if panel.findings]
    inside = [
        panel for panel in report.panels if panel.reach is not None and panel.moves and not panel.findings
    ]
    verb = "differ" if len(outside) > 1 else "differs"
    said = f"Of {format_count(len(report.panels), 'property')}, {len(outside) or 'none'} {verb}"
    if inside:
        closest = max(inside, key=lambda panel: panel.reach or 0.0)
        said += (
            f". Of the others, {closest.prop.name} came closest: "
            f"{share(closest.reach or 0.0)} {report.reach_of}"
        )
    elsewhere = len(words.listed_findings(report.verdict)) - sum(len(panel.findings) for panel in outside)
    if elsewhere > 0:
        said += f". {format_count(elsewhere, 'finding')} beside the properties: duration, notifications"
    return f"{said}."


def _chance(report: CheckReport) -> str:
    verdict = report.verdict
    said = words.chance_of(verdict)
    if verdict.p_value is not None and verdict.alpha is not None:
        relation = "at most" if verdict.p_value <= verdict.alpha else "more than"
        said += f": the p-value is {relation} the share of false alarms that is accepted"
    if verdict.guarantee:
        said += f". What it rests on: {verdict.guarantee}"
    if verdict.status is Status.INCONCLUSIVE and verdict.runs_needed:
        said += f". {words.lacking(verdict)}"
    return said if said.endswith(".") else f"{said}."
