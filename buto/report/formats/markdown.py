"""Markdown for the comment of a pull request: story, headlines, cause, how to accept; the rest is folded.

Each test's part begins with an invisible comment that is always the same for this test, so that a bot can
find its last comment and replace it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from buto.judging.story import Headline
from buto.judging.verdict import Finding, Status
from buto.report import phrases, words
from buto.report.check_report import CheckReport
from buto.report.document import Table
from buto.report.result import FINE, LEFT_OUT, LeftOut, Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.verdict import Detail, result_lines
from buto.run.units import format_count

MAX_ROWS = 3
"""Headlines in the table above the details, which have all."""

MAX_HEADLINE = 5 * MAX_TEXT
MAX_REASONS = 5

MAX_DETAILS = 12_000
"""Characters of the details; GitHub takes comments of 65,536."""

_SIGNS = {**dict.fromkeys(FINE, "✅"), Status.REGRESSION.value: "❌", words.CHANGED: "🔷"}
_STRUCTURE = re.compile(r"[!\"#$&*:<>?@\[\\\]^_`{|}~]|\bwww(?=\.)")
"""Characters that Markdown, or GitHub's mentions and links, may interpret."""


def marker(test: str) -> str:
    """Return the comment by which a bot finds the part of a test."""
    return f"<!-- buto: {quote(test, safe='', errors='backslashreplace').replace('-', '%2D')} -->"


def markdown_text(results: Sequence[Result], left_out: Sequence[LeftOut] = ()) -> str:
    """Return the parts of all tests, each after its marker, and a line for each test that was left out."""
    others = (
        f"{marker(left_out_test.test)}\n"
        f"⏭️ **{LEFT_OUT}** {code(left_out_test.test)}: {code(left_out_test.why)}\n"
        for left_out_test in left_out
    )
    return "\n".join([*map(_part, results), *others])


def without_places(text: str, places: Mapping[str, str]) -> str:
    """Return Markdown with what stands for directories of this machine, which no reader of a comment has.

    Args:
        places: from a directory to what begins a path below it instead; the first that fits counts.
    """
    for place, short in places.items():
        if not place.strip("/"):
            continue
        # It may be part of a code element, of escaped HTML, or of neither.
        written = {form(f"{place.rstrip('/')}/") for form in (str, escape, html.escape)}
        text = re.sub(rf"(?<![\w./~-])(?:{'|'.join(map(re.escape, written))})", short, text)
    return text


def _part(result: Result) -> str:
    verdict, report = result.verdict, result.report
    status = result.status if verdict is None else words.status_of(verdict)
    title = f"{_SIGNS.get(status, '⚠️')} **{status}** {code(result.test)}"
    parts = [marker(result.test), f"### {title}", ""]
    if verdict is not None:
        headline = phrases.headline(verdict)
        # Of a verdict that stands, what decided is among the details.
        reasons = verdict.reasons if verdict.status is Status.INCONCLUSIVE or not verdict.findings else ()
        texts = filter(None, (*reasons[:MAX_REASONS], words.lacking(verdict)))
        items = [f"- {code(reason, 2 * MAX_TEXT)}" for reason in texts]
        parts += [
            _cell(f"{headline[0].upper()}{headline[1:]}.", MAX_HEADLINE),
            "",
            *items,
            *(f"- {_cell(words.since(since), MAX_HEADLINE)}" for since in verdict.since),
            *([""] if items or verdict.since else []),
        ]
        if report is not None:
            parts += _headlines(report.story.headlines[:MAX_ROWS], len(report.story.headlines))
            parts += [
                *(f"{_cell(cause.sentence, MAX_HEADLINE)}\n{diff(cause.diff)}" for cause in report.causes),
                *_commands(report),
            ]
    elif result.error is not None:
        parts += [code(result.error.message.partition("\n")[0], 2 * MAX_TEXT), ""]
    text = "\n".join(result_lines(result, Detail.FULL))
    cut = html.escape(text if len(text) <= MAX_DETAILS else f"{text[:MAX_DETAILS]} ...")
    # Nothing in such an HTML block is Markdown, and escaped text cannot end it.
    folded = [*(_fold(report) if report is not None else ()), f"<pre>{cut}</pre>"]
    details = ["<details>", "<summary>details</summary>", "", *folded, "", "</details>", ""]
    return "\n".join([*parts, *details])


def diff(lines: Sequence[str]) -> str:
    """Return changed lines of a source as a block; nothing without any."""
    text = html.escape("\n".join(one_line(line) for line in lines))
    return f"\n<pre>{text}</pre>\n" if lines else ""


def _headlines(headlines: Sequence[Headline], n_all: int) -> list[str]:
    """Return a table of headlines, and how many more of them there are."""
    if not headlines:
        return []
    rows = [(*_row(headline.finding), _followers(headline)) for headline in headlines]
    table = Table(("", "old → new", "change", "", "with it"), rows).without_empty()
    left = n_all - len(headlines)
    more = [f"And {format_count(left, 'more change')}, in the details.", ""] if left > 0 else []
    return [*markdown_table(table.heads, table.rows), *more]


def _fold(report: CheckReport) -> list[str]:
    """Return a table of all that has no row of its own above: followers, further headlines, what is noted."""
    shown = [headline.finding for headline in report.story.headlines[:MAX_ROWS]]
    left = [finding for finding in (*report.story.findings, *report.noted.findings) if finding not in shown]
    if not left:
        return []
    table = Table(("", "old → new", "change", ""), list(map(_row, left))).without_empty()
    return markdown_table(table.heads, table.rows)


def _row(finding: Finding) -> tuple[str, ...]:
    return (
        code(phrases.title(finding)),
        _cell(words.old_to_new(finding)) or code(finding.text),
        _cell(words.change(finding)),
        words.effect(finding),
    )


def _followers(headline: Headline) -> str:
    shown = ", ".join(code(phrases.brief(follower)) for follower in headline.followers[:MAX_ROWS])
    left = len(headline.followers) - MAX_ROWS
    return f"{shown}{f' and {left} more' if left > 0 else ''}"


def _commands(report: CheckReport) -> list[str]:
    """Return what the check cost and, unless it passed, how to repeat it and what to do then."""
    cost = f"Cost: {_cell(report.cost)}."
    if report.verdict.status is Status.PASS:
        return [cost, ""]
    steps = [*([f"{report.again}  # repeats it here"] if report.again else []), *report.next_steps[-1:]]
    return [cost, "", *(f"- {code(step, 2 * MAX_TEXT)}" for step in steps), ""]


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, and an empty line; its cells are Markdown."""
    every = [heads, ["---"] * len(heads), *rows]
    return [*(f"| {' | '.join(cells)} |" for cells in every), ""]


def _cell(text: str, limit: int = MAX_TEXT) -> str:
    """Return our own words with numbers and units; a mention would work even as a character reference."""
    return escape(one_line(text, limit)).replace("&#64;", "@&#8203;")


def code(text: str, limit: int = MAX_TEXT) -> str:
    """Return text from outside as an inline HTML element, in which there are no mentions and links."""
    return f"<code>{escape(one_line(text, limit))}</code>"


def escape(text: str) -> str:
    """Return text in which Markdown interprets no character, not even in a table.

    It has numeric references, which work everywhere, unlike a backslash, and never end a table's cell.
    """
    return _STRUCTURE.sub(lambda match: "".join(f"&#{ord(char)};" for char in match[0]), text)
