"""Print a verdict in a line, in about six lines, or whole."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from buto.judging.class_changes import ClassChange
from buto.judging.story import Headline, Story, news
from buto.judging.verdict import Difference, Finding, Roles, Status, Verdict
from buto.report import phrases, words
from buto.report.check_report import CheckReport
from buto.report.document import (
    EFFECT_COLOUR,
    MAX_LINE,
    MAX_WHOLE_LINE,
    MORE,
    STATUS_COLOUR,
    Line,
    line,
    remarks,
)
from buto.report.environment import Likeness
from buto.report.growth import detail_lines, path_text
from buto.report.panels import Panel
from buto.report.result import Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.style import run_beside_limit
from buto.run.properties import LIVE_CLASSES, Kind, title_of
from buto.run.units import format_count, format_percent

CURVE_WIDTH, SHORT_CURVE_WIDTH = 24, 16
MAX_LINES = 8
"""Lines of a failed check in a short text, where its cause and the next commands leave so many."""

MAX_HEADLINES = 3
"""Headlines in a short text, a line each."""

MAX_REASONS = 3
MAX_CLASSES = 3
LEAST_CLASS = 0.05
"""Of the change of the largest class, what another must have to be named in a short text."""

KEPT = frozenset({"jvm.memory.heap.live", "jvm.object.live", LIVE_CLASSES.name})
"""Subjects that the classes of live objects explain."""

MAX_NEXT = 2
LIVE_OBJECTS = "live objects at the exit"
CURVE_OF = "a new run over time"
_MAX_ERROR_LINES = 40


class Detail(Enum):
    """How much of a check is printed."""

    HEADLINE = "headline"
    SHORT = "short"
    """About six lines."""
    FULL = "full"


def verdict_lines(report: CheckReport, detail: Detail = Detail.SHORT) -> list[str]:
    """Return the lines of one check without colour, see :func:`write_lines`."""
    return [text.plain for text in write_lines(report, detail)]


def write_lines(report: CheckReport, detail: Detail = Detail.SHORT) -> list[Line]:
    """Return the lines to print for one check; the first is the headline."""
    verdict = report.verdict
    status = (words.status_of(verdict).upper(), STATUS_COLOUR[verdict.status])
    headline = one_line(f"{report.test}: {phrases.headline(verdict)}", MAX_WHOLE_LINE)
    if detail is Detail.HEADLINE:
        return [line(status, f"  {'; '.join(filter(None, (headline, *_explain_undecided(report))))}")]
    head = line(status, f"  {headline}")
    return [head, *(_short_lines(report) if detail is Detail.SHORT else _full_lines(report))]


def _explain_undecided(report: CheckReport) -> list[str]:
    """Return why an inconclusive check is, and what decides it; nothing for any other."""
    verdict = report.verdict
    if verdict.status is not Status.INCONCLUSIVE:
        return []
    why = [one_line(reason, MAX_LINE) for reason in verdict.reasons[:MAX_REASONS]]
    return [*why, words.lacking(verdict) or "".join(map(one_line, report.next_steps[-1:]))]


def result_lines(result: Result, detail: Detail = Detail.SHORT) -> list[str]:
    """Return the lines for any result of a test, without colour."""
    if result.report is not None:
        return verdict_lines(result.report, detail)
    if result.error is None:
        return [one_line(f"{result.status.upper()}  {result.test}")]
    texts = [f"{result.test}: {result.error.message}"]
    texts += [f"try:  {result.error.advice}"] if result.error.advice else []
    return [one_line(text, MAX_WHOLE_LINE) for each in texts for text in each.split("\n")[:_MAX_ERROR_LINES]]


def _short_lines(report: CheckReport) -> list[Line]:
    verdict = report.verdict
    failed = verdict.status is Status.REGRESSION
    classes = ", ".join(map(words.class_change, _largest_classes(report))) if failed else ""
    warnings = [one_line(text, MAX_LINE) for text in verdict.warnings[:1]]
    if len(verdict.warnings) > 1:
        warnings[0] += f"; and {len(verdict.warnings) - 1} more {MORE}"
    before = [
        *remarks("judged", [words.describe_adjustment(verdict)]),
        *remarks("because", words.reasons(verdict), most=MAX_REASONS),
        *remarks("runs", [words.lacking(verdict)]),
        *_since(verdict),
    ]
    after = [
        *remarks(LIVE_OBJECTS, [classes], limit=2 * MAX_LINE, colour="cyan"),
        *_causes(report),
        *_holding_lines(report),
        *remarks("closest", [_closest(report)]),
        *_hosts(report),
        *_detects(report),
        *remarks("warning", warnings, limit=2 * MAX_LINE),
        *_next(report, report.next_steps[-MAX_NEXT:]),
    ]
    room = MAX_LINES - 1 - len(before) - len(after)
    headlines = _leading(report, max(1, min(MAX_HEADLINES, room)))
    # A pass has it in its headline.
    other = news(report.story, report.noted.findings) if failed and room > len(headlines) else Story()
    noted = phrases.list_headlines(other)
    return [*before, *headlines, *remarks("noted", [noted], limit=MAX_WHOLE_LINE, colour="cyan"), *after]


def _largest_classes(report: CheckReport) -> list[ClassChange]:
    """Return the classes that changed most, without those that are little beside the first.

    None, where the story says nothing of what is kept: then they explain nothing that is told.
    """
    told = {finding.subject for finding in (*report.story.findings, *report.noted.findings)}
    if not told & KEPT:
        return []
    first = max((abs(change.size_bytes) for change in report.classes), default=0)
    return [change for change in report.classes if abs(change.size_bytes) >= LEAST_CLASS * first][
        :MAX_CLASSES
    ]


def _full_lines(report: CheckReport) -> list[Line]:
    verdict = report.verdict
    return [
        *remarks("judged", [words.describe_adjustment(verdict)], limit=MAX_WHOLE_LINE),
        *remarks("because", words.reasons(verdict), limit=MAX_WHOLE_LINE),
        *remarks("runs", [words.lacking(verdict)]),
        *_since(verdict),
        *_findings(report),
        *_note(report),
        *remarks(
            LIVE_OBJECTS,
            [words.class_change(change, whole=True) for change in report.classes],
            colour="cyan",
        ),
        *remarks("like", list(map(str, report.likes)), limit=MAX_WHOLE_LINE, colour="cyan"),
        *_causes(report),
        *_growth(report),
        *remarks("closest", [_closest(report)]),
        *_detects(report),
        *remarks("p-value rests on", [verdict.guarantee], limit=MAX_WHOLE_LINE),
        *remarks("environment", [_environment(report)], colour="cyan"),
        *_hosts(report),
        *remarks("warning", verdict.warnings, limit=MAX_WHOLE_LINE),
        *_next(report, report.next_steps),
        *_trailers(report),
    ]


def _trailers(report: CheckReport) -> list[Line]:
    # Not cut: people copy it.
    return [
        line("  ", ("if meant, in the commit:", "cyan"), f" {one_line(text)}") for text in report.trailers
    ]


def _since(verdict: Verdict) -> list[Line]:
    return remarks("sum", list(map(words.since, verdict.since)), limit=MAX_WHOLE_LINE)


def _causes(report: CheckReport) -> list[Line]:
    sentences = [cause.sentence.replace("`", "") for cause in report.causes]
    return remarks("code", sentences[:1], limit=MAX_WHOLE_LINE, colour="cyan")


def _holding_lines(report: CheckReport) -> list[Line]:
    """Return what holds what grows, where that is known."""
    paths = () if report.growth is None else report.growth.paths
    return remarks("held by", list(map(path_text, paths[:1])), limit=MAX_WHOLE_LINE, colour="cyan")


def _growth(report: CheckReport) -> list[Line]:
    """Return the rounds, all that grows in them, and what holds it; nothing if nobody looked."""
    growth = report.growth
    if growth is None:
        return []
    # What grows is a finding, which is told above.
    rounds_text = growth.rounds if growth.judged.grown else f"{growth.headline}; {growth.rounds}"
    _, *details = detail_lines(growth, full=True)
    return [*remarks("growth", [rounds_text], limit=MAX_WHOLE_LINE, colour="cyan"), *details]


def _next(report: CheckReport, steps: Sequence[str]) -> list[Line]:
    # What is only for the better is accepted; what explains it comes after that.
    ordered = reversed(steps) if words.status_of(report.verdict) == words.CHANGED else steps
    # Not cut: people copy it.
    return [line("  ", ("next:", "cyan"), f" {one_line(step)}") for step in ordered]


def _hosts(report: CheckReport) -> list[Line]:
    return remarks("hosts", [words.hosts(report.environment, report.roles.known)], colour="cyan")


def _detects(report: CheckReport) -> list[Line]:
    return [line(f"  {one_line(report.detectable, 2 * MAX_LINE)}")] if report.detectable else []


def _closest(report: CheckReport) -> str:
    verdict = report.verdict
    used = [panel for panel in report.panels if panel.reach is not None]
    if verdict.status is not Status.PASS or verdict.findings or verdict.noted or not used:
        return ""
    nearest = max(used, key=lambda panel: panel.reach or 0.0)
    return f"{title_of(nearest.prop.name)}, {format_percent(nearest.reach or 0.0)} {report.reach_of}"


def _leading(report: CheckReport, most: int) -> list[Line]:
    """Return a line for each of the first headlines, one of them better if any is, and how many are left."""
    story = report.story
    shown = story.headlines[:most]
    if story.other and story.better and len(story.other) >= most > 1:
        shown = (*story.other[: most - 1], story.better[0])
    names = [one_line(phrases.title(headline.finding), MAX_TEXT) for headline in shown]
    width = max(map(len, names), default=0)
    lines = [
        _in_one_line(headline, report.panel(headline.finding.subject), name.ljust(width))
        for headline, name in zip(shown, names, strict=True)
    ]
    left = len(story.findings) - sum(len(headline.findings) for headline in shown)
    if left and lines:
        lines[-1] = line(*lines[-1].parts, f"; and {format_count(left, 'other')} {MORE}")
    return lines


def _in_one_line(headline: Headline, panel: Panel | None, name: str) -> Line:
    finding = headline.finding
    # What only adds up rises in any run, and says nothing of what differs.
    adds_up = panel is None or panel.prop.kind is Kind.COUNTER
    curve = [] if adds_up else run_beside_limit(finding, panel, SHORT_CURVE_WIDTH)[0]
    summary = ", ".join(filter(None, (words.change(finding), words.effect(finding))))
    details = words.old_to_new(finding) or words.describe_measured(finding) or finding.text
    n_followers = len(headline.followers)
    follow = f" (accounts for {format_count(n_followers, 'other')})" if n_followers else ""
    return line(
        "  ",
        (name, "bold"),
        "  ",
        (one_line(summary, MAX_TEXT), EFFECT_COLOUR[finding.effect]),
        f"{': ' if details else ''}{one_line(details, MAX_TEXT)}{follow}",
        f"; {CURVE_OF} " if curve else "",
        *curve,
    )


def _environment(report: CheckReport) -> str:
    if not len(report.checked):
        return ""
    text = words.environment(report.checked.runs[0].metadata)
    if report.verdict.compares_programs:
        return text
    differs = any(row.likeness is Likeness.DECIDES for row in report.environment)
    return f"{'differs from' if differs else 'same as in'} training: {text}" if text else ""


def _findings(report: CheckReport) -> list[Line]:
    passed = report.verdict.status is Status.PASS and report.story.headlines
    lines = [line("  differences that do not fail the check:")] if passed else []
    return lines + _story(report.story, report)


def _note(report: CheckReport) -> list[Line]:
    lines = _story(report.noted, report)
    return [line("  ", ("noted", "cyan"), f", {words.NOTED}:"), *lines] if lines else []


def _story(story: Story, report: CheckReport) -> list[Line]:
    """Return each headline whole, and its followers with their numbers below it."""
    lines = []
    for headline in story.headlines:
        finding = headline.finding
        lines += _finding(finding, report.panel(finding.subject), report.roles)
        for follower in headline.followers:
            lines += _finding(follower, None, report.roles, indent="    ")
    return lines


def _finding(finding: Finding, panel: Panel | None, roles: Roles, indent: str = "  ") -> list[Line]:
    summary = ", ".join(filter(None, (words.change(finding), words.effect(finding), words.weight(finding))))
    head = line(
        indent,
        (one_line(finding.subject, MAX_TEXT), "bold"),
        "  ",
        (one_line(summary, MAX_TEXT), EFFECT_COLOUR[finding.effect]),
    )
    details = [
        finding.text,
        _numbers(finding),
        _outside(finding, panel, roles),
    ]
    lines = [line(f"{indent}    {one_line(detail, MAX_LINE)}") for detail in details if detail]
    run, limit = run_beside_limit(finding, panel, CURVE_WIDTH)
    if run:
        whose = "" if panel is None or panel.band_decides or not limit else f"{one_line(roles.known)} "
        lines.append(line(f"{indent}    run ", *run, f"  {whose}{limit}".rstrip()))
    return [head, *lines]


def _numbers(finding: Finding) -> str:
    """Return what was measured and expected, and where the change is told by another number, how it is."""
    numbers = ", ".join(filter(None, (words.describe_measured(finding), words.expectation(finding))))
    change_text = words.old_to_new(finding)
    is_other = isinstance(finding, Difference) and finding.amount is not None
    same = isinstance(finding, Difference) and finding.amount and finding.amount.new == finding.observed
    return f"{change_text}; found by: {numbers}" if is_other and not same else numbers


def _outside(finding: Finding, panel: Panel | None, roles: Roles) -> str:
    window = words.window(finding)
    if isinstance(finding, Difference) and finding.outside_share is not None:
        return f"outside {window}" if window else ""
    return "" if panel is None else words.outside_since(panel, roles)
