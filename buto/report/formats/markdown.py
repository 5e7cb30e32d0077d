"""Markdown for the comment of a pull request: verdict, a table of findings, folded details.

Each test's part begins with an invisible comment that is always the same for this test, so that a bot can
find its last comment and replace it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from urllib.parse import quote

from buto.judging.class_changes import ClassChange
from buto.judging.verdict import FindingGroup, Status
from buto.report import words
from buto.report.result import FINE, LEFT_OUT, LeftOut, Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.verdict import Detail, result_lines
from buto.run.units import format_change, format_count

MAX_ROWS = 3
"""Groups of findings in the table; the details have all."""

MAX_HEADLINE = 5 * MAX_TEXT
MAX_REASONS = 5
MAX_CLASSES = 5

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
            parts += _findings(report.groups)
            parts += _findings(report.noted, f"Noted: {words.NOTED}.")
            parts += _classes(report.classes) if verdict.status is Status.REGRESSION else []
    elif result.error is not None:
        parts += [code(result.error.message.partition("\n")[0], 2 * MAX_TEXT), ""]
    text = "\n".join(result_lines(result, Detail.FULL))
    cut = html.escape(text if len(text) <= MAX_DETAILS else f"{text[:MAX_DETAILS]} ...")
    # Nothing in such an HTML block is Markdown, and escaped text cannot end it.
    details = ["<details>", "<summary>details</summary>", "", f"<pre>{cut}</pre>", "", "</details>", ""]
    return "\n".join([*parts, *details])


def _findings(groups: Sequence[FindingGroup], title: str = "") -> list[str]:
    if not groups:
        return []
    rows = [_row(group) for group in groups[:MAX_ROWS]]
    heads = ["property", "change", "", "observed", "expected", "with it"][
        : 6 if any(row[5] for row in rows) else 5
    ]
    left = sum(len(group.findings) for group in groups[MAX_ROWS:])
    more = [f"And {left} more.", ""] if left else []
    above = [title, ""] if title else []
    return [*above, *markdown_table(heads, [row[: len(heads)] for row in rows]), *more]


def _row(group: FindingGroup) -> tuple[str, ...]:
    finding = group.leading
    return (
        code(finding.subject),
        _cell(words.change(finding)),
        words.effect(finding),
        _cell(words.measured(finding)) or code(finding.text),
        _cell(words.expected(finding)),
        format_count(len(group.parts), "other property") if group.parts else "",
    )


def _classes(changes: Sequence[ClassChange]) -> list[str]:
    rows = [
        (
            code(one.name),
            f"{one.instances:+,}",
            _cell(format_change(one.before.size_bytes, one.after.size_bytes, "By")),
        )
        for one in changes[:MAX_CLASSES]
    ]
    return markdown_table(["live objects", "number", "bytes"], rows) if rows else []


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
