"""What a page says of a check in words: facts, details, how the verdict was reached, and output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from buto.judging.verdict import Difference, Finding, Status
from buto.report import phrases, words
from buto.report.check_report import CheckReport
from buto.report.environment import Likeness
from buto.report.html.chart_data import share, when
from buto.report.panels import Charted, Panel
from buto.run.model import Run
from buto.run.units import format_bytes, format_count, format_seconds

N_CLOSEST = 3
MAX_OUTPUT = 48 * 1024
"""Bytes of output that are shown, of all checked runs together: the beginning and the end of each."""

MAX_OUTPUTS = 6
_MAX_OPEN = 4096
"""Bytes of a stream that may stand unfolded."""

_FACTS = (
    ("buto.commit", "commit"),
    ("jvm.vm.version", "JVM"),
    ("jvm.input.arguments", "options"),
    ("host.name", "host"),
)


def sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop; nothing of nothing."""
    ended = text if not text or text.endswith((".", "!", "?")) else f"{text}."
    return ended[:1].upper() + ended[1:]


def since(report: CheckReport) -> str:
    """Return from when on what a regression fails for first stayed outside its band; empty if it did not."""
    headlines = report.story.headlines
    panel = report.panel(headlines[0].finding.subject) if headlines else None
    failed = report.verdict.status is Status.REGRESSION
    return words.outside_since(panel, report.roles) if failed and panel is not None else ""


def facts(report: CheckReport) -> Iterator[tuple[str, str]]:
    """Yield terms and texts: what was checked, against what, and when."""
    runs = [run for run in report.checked if run.id in report.verdict.run_ids] or list(report.checked)
    if runs:
        more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
        yield report.roles.judged, f"{when(runs[0]) or runs[0].id}{more}"
    stored = "" if len(report.training) == len(report.training_ids) else f", {len(report.training)} stored"
    yield "compared with", f"{report.verdict.n_training} {report.roles.known_runs}{stored}"
    if report.oracle_path is not None:
        yield "oracle", str(report.oracle_path)
    metadata = runs[0].metadata if runs else {}
    for key, term in _FACTS:
        if metadata.get(key):
            yield term, str(metadata[key])
    yield "report created", f"{report.made:%Y-%m-%d %H:%M %Z}"


def closest(report: CheckReport) -> list[Panel] | None:
    """Return the properties that came closest to a finding; None unless the check passed without any
    and nothing is noted.
    """
    if report.verdict.status is not Status.PASS or report.story.headlines or report.noted.headlines:
        return None
    return [panel for panel in report.panels if panel.moves and panel.reach is not None][:N_CLOSEST]


def details(report: CheckReport, finding: Finding) -> list[tuple[str, str]]:
    """Return terms and texts of a finding, none of them empty."""
    panel = report.panel(finding.subject)
    since_s = None if panel is None else panel.since_s
    numbers = finding if isinstance(finding, Difference) else None
    is_outside = numbers is not None and numbers.outside_share is not None
    change_text = words.old_to_new(finding)
    # The range is of the number that was compared, which may be another one than that which is told.
    is_compared = numbers is None or numbers.size is None or numbers.size.new == numbers.observed
    rows = (
        ("", change_text),
        ("observed", "" if change_text else words.describe_measured(finding)),
        ("expected", words.describe_expected(finding) if is_compared else ""),
        ("since", "" if since_s is None else format_seconds(max(0.0, since_s))),
        ("outside", words.window(finding) if is_outside else ""),
        ("note", finding.text),
    )
    return [row for row in rows if row[1]]


def parts_of(step: str) -> tuple[list[str], str]:
    """Return the words of a command to type, and what it is for, which may be empty."""
    command, _, because = step.partition("  # ")
    return command.split(" "), because


def steps(report: CheckReport) -> Iterator[tuple[str, str]]:
    """Yield title and sentences of each step to the verdict, as plain text."""
    verdict = report.verdict
    yield "Environment.", _environment(report)
    if any(row.likeness is Likeness.DECIDES for row in report.environment):
        yield "Answer.", "Inconclusive: the runs were not compared, because a difference would mean nothing."
        return
    if verdict.adjusted:
        yield "Adjusting.", sentence(verdict.adjusted)
    yield "Learning.", report.reasoning.learned
    if report.reasoning.rule:
        yield "Rule.", report.reasoning.rule
    yield "Judging.", _judging(report)
    if verdict.p_value is not None:
        yield "Chance.", _chance(report)
    yield "Answer.", f"{words.status_of(verdict).capitalize()}: {phrases.headline(verdict)}."
    if report.detectable:
        yield "Sensitivity.", sentence(report.detectable)


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
        nearest = max(inside, key=lambda panel: panel.reach or 0.0)
        reach = f"{share(nearest.reach or 0.0)} {report.reach_of}"
        texts.append(f"Of the others, {nearest.prop.name} came closest: {reach}")
    elsewhere = len(words.list_findings(report.verdict)) - sum(len(panel.findings) for panel in outside)
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
        text += f". It rests on: {verdict.guarantee}"
    if verdict.status is Status.INCONCLUSIVE and verdict.runs_needed:
        text += f". {words.lacking(verdict).capitalize()}"
    return text if text.endswith(".") else f"{text}."


class Stream(Struct, frozen=True):
    """One output stream of a run.

    Attributes:
        parts: all of it, or its beginning and its end.
        left_out: size of what is missing between two parts, else empty.
    """

    title: str
    size: str
    parts: tuple[str, ...]
    left_out: str
    is_open: bool


def streams(report: Charted) -> list[Stream]:
    """Return what the first runs printed. Open is what may say why: errors, and all of a single run or of
    one that did not end as expected.
    """
    shown = list(report.checked)[:MAX_OUTPUTS]
    room = MAX_OUTPUT // max(1, 2 * len(shown))
    return [
        _stream(f"{title} of {called}", stream, room, may_say_why or not run.quality.valid or len(shown) == 1)
        for run, called in zip(shown, _call(shown), strict=True)
        for title, stream, may_say_why in (
            ("standard output", run.stdout, False),
            ("standard error", run.stderr, True),
            *((f"output of the service {name}", output, False) for name, output in run.outputs.items()),
        )
        if stream
    ]


def _call(runs: Sequence[Run]) -> list[str]:
    """Return what the charts call runs, with their ids."""
    return [run.id if len(runs) == 1 else f"run {number}, {run.id}" for number, run in enumerate(runs, 1)]


def _stream(title: str, stream: bytes, room: int, may_say_why: bool) -> Stream:
    half = room // 2
    fits = len(stream) <= room
    pieces = [stream] if fits else [stream[:half], stream[-half:]]
    parts = tuple(piece.decode("utf-8", errors="replace").replace("\r\n", "\n") for piece in pieces)
    left_out = "" if fits else format_bytes(len(stream) - 2 * half)
    return Stream(title, format_bytes(len(stream)), parts, left_out, may_say_why and len(stream) < _MAX_OPEN)
