"""Explain how the verdict was reached, in words and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.environment import Likeness
from buto.report.html.chart_data import share
from buto.units import format_count
from buto.verdicts import Status


def steps(report: CheckReport) -> Iterator[tuple[str, str]]:
    """Yield title and sentences of each step, as plain text."""
    verdict = report.verdict
    yield "Environment.", _environment(report)
    if any(row.likeness is Likeness.DECIDES for row in report.environment):
        yield "Answer.", "Inconclusive: the runs were not compared, because a difference would mean nothing."
        return
    if verdict.adjusted:
        yield "Adjusting.", f"{verdict.adjusted[0].upper()}{verdict.adjusted[1:]}."
    yield "Learning.", report.explanation.learned
    if report.explanation.rule:
        yield "Rule.", report.explanation.rule
    yield "Judging.", _judging(report)
    if verdict.p_value is not None:
        yield "Chance.", _chance(report)
    yield "Answer.", f"{verdict.status.value.capitalize()}: {words.headline(verdict)}."
    if report.detectable:
        yield "Sensitivity.", f"{report.detectable[0].upper()}{report.detectable[1:]}."


def _environment(report: CheckReport) -> str:
    roles = report.roles
    deciding = [row.key for row in report.environment if row.likeness is Likeness.DECIDES]
    differing = sum(row.likeness is Likeness.DIFFERS for row in report.environment)
    same = sum(row.likeness is Likeness.SAME for row in report.environment)
    if deciding:
        return (
            f"The {roles.judged_runs} and the {roles.known_runs} are from different environments: "
            f"{', '.join(deciding)} {'differ' if len(deciding) > 1 else 'differs'}."
        )
    others = f", {differing} less important {'differs' if differing == 1 else 'differ'}" if differing else ""
    keys = f"{format_count(same, 'key')} equal{others}"
    return f"The environment allows a comparison with the {roles.known_runs} ({keys})."


def _judging(report: CheckReport) -> str:
    outside = [panel for panel in report.panels if panel.findings]
    noted = len(report.verdict.noted)
    inside = [
        panel for panel in report.panels if panel.reach is not None and panel.moves and not panel.changes
    ]
    verb = "differ" if len(outside) > 1 else "differs"
    texts = [f"Of {format_count(len(report.panels), 'property')}, {len(outside) or 'none'} {verb}"]
    if noted:
        texts.append(f"{format_count(noted, 'change')} noted: {words.NOTED}")
    if inside:
        closest = max(inside, key=lambda panel: panel.reach or 0.0)
        reach = f"{share(closest.reach or 0.0)} {report.reach_of}"
        texts.append(f"Of the others, {closest.prop.name} came closest: {reach}")
    elsewhere = len(words.listed_findings(report.verdict)) - sum(len(panel.findings) for panel in outside)
    if elsewhere > 0:
        texts.append(f"{format_count(elsewhere, 'finding')} on duration or notifications")
    return f"{'. '.join(texts)}."


def _chance(report: CheckReport) -> str:
    verdict = report.verdict
    text = words.chance_of(verdict)
    if verdict.p_value is not None and verdict.alpha is not None:
        relation = "at most" if verdict.p_value <= verdict.alpha else "more than"
        text += f": the p-value is {relation} the accepted rate of false alarms"
    if verdict.guarantee:
        text += f". It assumes: {verdict.guarantee}"
    if verdict.status is Status.INCONCLUSIVE and verdict.runs_needed:
        text += f". {words.lacking(verdict).capitalize()}"
    return text if text.endswith(".") else f"{text}."
