"""How the verdict came about, in words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from buto.detectors.comparison.detector import DETECTOR as COMPARISON
from buto.oracle import CALIBRATED, BoundsDetector
from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.environment import Likeness
from buto.report.html.chart_data import share
from buto.units import format_count, format_number, format_percent
from buto.verdicts import Status

Step = Callable[[CheckReport], str]


def steps(report: CheckReport) -> Iterator[tuple[str, str]]:
    """Title and sentences of each step; plain text."""
    verdict = report.verdict
    yield "Environment.", _environment(report)
    if any(row.likeness is Likeness.DECIDES for row in report.environment):
        yield "Answer.", "Inconclusive: the runs were not compared, for a difference would say nothing."
        return
    yield "Learning.", _learning(report)
    if verdict.detector in _RULES:
        yield "Rule.", _RULES[verdict.detector](report)
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


def _learning(report: CheckReport) -> str:
    known = f"{report.verdict.n_training} {report.roles.known_runs}"
    used = f"{known} taught what is normal"
    settings = report.settings.pipeline
    smoothing = (
        "the series as they were read"
        if settings.smoothing == "none"
        else f"series smoothed by the {settings.smoothing} of {settings.window} samples"
    )
    width = f"{format_number(settings.deviations)} standard deviations around the {settings.average}"
    least = ", with a smallest width" if settings.floor else ""
    few = ", wider the fewer runs there are" if settings.small_sample else ""
    if _RULES.get(report.verdict.detector) is _contrasts:
        rows = "each run is one row of numbers: levels, growth, scatter and extremes of every property"
        of = ""
        if report.verdict.detector == COMPARISON:
            used, of = "The runs of both programs say what scatter is usual", f", around the {known}"
        return (
            f"{used}; {rows}. Bands are drawn for the eye{of}: from {smoothing}, at each time point {width}."
        )
    band = f"a band of {width} ({settings.bounds} bounds{least}{few})"
    return f"{used}: from {smoothing}, at each time point {band}."


def _rule(report: CheckReport) -> str:
    settings = report.settings
    share = settings.outside_share
    points = f"{format_percent(share)} of its points lie" if share else "any of its points lies"
    rule = f"A property differs if {points} beyond one and the same limit"
    if settings.summaries:
        rule += ", or if its mean over the run, or a counter's last value, lies outside its own band"
    if settings.duration:
        rule += "; the run's duration and the number and times of notifications are judged alike"
    if len(report.verdict.run_ids) > 1:
        most = "more than half" if settings.runs_outside == "most" else "one"
        rule += f". Of the {len(report.verdict.run_ids)} runs, {most} must show it in the same direction"
    return f"{rule}."


def _contrasts(report: CheckReport) -> str:
    n_judged = len(report.verdict.run_ids)
    judged = f"{format_count(n_judged, 'run')} under test"
    if report.verdict.detector == COMPARISON:
        judged = f"{n_judged} {report.roles.judged_runs}"
    return (
        f"The {judged} and the {report.roles.known_runs} are put together, and every way of choosing as many "
        "is scored by how far those stand out from the others. If nothing has changed, each choice is as "
        "likely as any other to stand out furthest. The p-value says how unusual the score of what is under "
        "test is among all of them; at or below alpha it is a regression."
    )


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


_RULES: dict[str, Step] = {
    BoundsDetector.name: _rule,
    CALIBRATED.detector: _contrasts,
    COMPARISON: _contrasts,
}
