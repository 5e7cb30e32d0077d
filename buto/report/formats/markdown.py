"""Markdown for the comment of a pull request: verdict, the worst findings, cost, commands, folded details.

Each test's part begins with an invisible comment that is always the same for this test, so that a bot can
find its last comment and replace it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from urllib.parse import quote

from buto.judging.verdict import FindingGroup, Status
from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.document import Table
from buto.report.result import FINE, LEFT_OUT, LeftOut, Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.verdict import Detail, result_lines
from buto.run.units import format_count

MAX_ROWS = 3
"""Groups of findings in the table above the details, which have all."""

MAX_HEADLINE = 5 * MAX_TEXT
MAX_REASONS = 5

MAX_DETAILS = 12_000
"""Characters of the details; GitHub takes comments of 65,536."""

_SIGNS = {**dict.fromkeys(FINE, "✅"), "regression": "❌"}
_STRUCTURE = re.compile(r"[!\"#$&*:<>?@\[\\\]^_`{|}~]|\bwww(?=\.)")
"""Characters that Markdown, or GitHub's mentions and links, may interpret."""


def marker(test: str) -> str:
    """Return the comment by which a bot finds the part of a test."""
    return f"<!-- buto: {quote(test, safe='', errors='backslashreplace').replace('-', '%2D')} -->"


def markdown_text(results: Sequence[Result], left_out: Sequence[LeftOut] = ()) -> str:
    """Return the parts of all tests, each after its marker, and a line for each test that was left out."""
    others = (f"{marker(one.test)}\n⏭️ **{LEFT_OUT}** {code(one.test)}: {code(one.why)}\n" for one in left_out)
    return "\n".join([*map(_part, results), *others])


def _part(result: Result) -> str:
    verdict, report = result.verdict, result.report
    title = f"{_SIGNS.get(result.status, '⚠️')} **{result.status}** {code(result.test)}"
    parts = [marker(result.test), f"### {title}", ""]
    if verdict is not None:
        headline = words.headline(verdict)
        reasons = filter(None, (*verdict.reasons[:MAX_REASONS], words.lacking(verdict)))
        items = [f"- {code(reason, 2 * MAX_TEXT)}" for reason in reasons]
        parts += [
            _cell(f"{headline[0].upper()}{headline[1:]}.", MAX_HEADLINE),
            "",
            *items,
            *([""] if items else []),
        ]
        if report is not None:
            parts += _findings(report.groups[:MAX_ROWS], len(report.groups))
            parts += [
                *(f"{_cell(one.sentence, MAX_HEADLINE)}\n{diff(one.diff)}" for one in report.causes),
                *_commands(report),
            ]
    elif result.error is not None:
        parts += [code(result.error.message.partition("\n")[0], 2 * MAX_TEXT), ""]
    text = "\n".join(result_lines(result, Detail.FULL))
    cut = html.escape(text if len(text) <= MAX_DETAILS else f"{text[:MAX_DETAILS]} ...")
    # Nothing in such an HTML block is Markdown, and escaped text cannot end it.
    others = (*report.groups[MAX_ROWS:], *report.noted) if report is not None else ()
    folded = [*_findings(others), f"<pre>{cut}</pre>"]
    details = ["<details>", "<summary>details</summary>", "", *folded, "", "</details>", ""]
    return "\n".join([*parts, *details])


def diff(lines: Sequence[str]) -> str:
    """Return changed lines of a source as a block; nothing without any."""
    text = html.escape("\n".join(one_line(line) for line in lines))
    return f"\n<pre>{text}</pre>\n" if lines else ""


def _findings(groups: Sequence[FindingGroup], n_all: int = 0) -> list[str]:
    """Return a table of groups of findings, and how many more of them there are."""
    if not groups:
        return []
    table = Table(("property", "old → new", "change", "", "with it"), list(map(_row, groups))).without_empty()
    left = n_all - len(groups)
    more = [f"And {format_count(left, 'more finding')}, in the details.", ""] if left > 0 else []
    return [*markdown_table(table.heads, table.rows), *more]


def _row(group: FindingGroup) -> tuple[str, ...]:
    finding = group.leading
    return (
        code(finding.subject),
        _cell(words.old_to_new(finding)) or code(finding.text),
        _cell(words.change(finding)),
        words.effect(finding),
        format_count(len(group.parts), "other property") if group.parts else "",
    )


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
    return escaped(one_line(text, limit)).replace("&#64;", "@&#8203;")


def code(text: str, limit: int = MAX_TEXT) -> str:
    """Return text from outside as an inline HTML element, in which there are no mentions and links."""
    return f"<code>{escaped(one_line(text, limit))}</code>"


def escaped(text: str) -> str:
    """Return text in which Markdown interprets no character, not even in a table.

    It has numeric references, which work everywhere, unlike a backslash, and never end a table's cell.
    """
    return _STRUCTURE.sub(lambda found: "".join(f"&#{ord(char)};" for char in found[0]), text)
