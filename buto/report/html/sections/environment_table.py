"""The metadata of both sides, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from buto.report.check_report import CheckReport
from buto.report.environment import EnvironmentRow, Likeness
from buto.units import format_count

MAX_ROWS = 400
_SIGNS = {
    Likeness.DECIDES: "≠ not comparable",
    Likeness.DIFFERS: "≠",
    Likeness.SAME: "=",
    Likeness.VARIES: "varies",
    Likeness.IGNORED: "not compared",
}


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """One key; None among its values where a run has none."""

    key: str
    kind: str
    sign: str
    meaning: str
    differs: bool
    expected: str | None
    observed: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class MetadataTable:
    """Some keys, with a column for each checked run, or one for all if they are alike."""

    heads: tuple[str, ...]
    rows: tuple[MetadataRow, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class EnvironmentSection:
    """What differs, and folded tables with their titles."""

    summary: str
    differing: MetadataTable | None
    folded: tuple[tuple[str, MetadataTable], ...]


def environment_section(report: CheckReport) -> EnvironmentSection:
    """Return the metadata in three parts: different, not different, not compared."""
    rows = report.environment
    differing = [row for row in rows if row.likeness in (Likeness.DECIDES, Likeness.DIFFERS)]
    compared = [row for row in rows if row.likeness in (Likeness.SAME, Likeness.VARIES)]
    ignored = [row for row in rows if row.likeness is Likeness.IGNORED]
    n_compared = format_count(len(differing) + len(compared), "compared key")
    verb = "differs" if len(differing) == 1 else "differ"
    alike = f"equal, or not the same in all {report.roles.known_runs}"
    return EnvironmentSection(
        f"{len(differing) or 'None'} of {n_compared} {verb}.",
        _table(differing) if differing else None,
        tuple(
            (f"{format_count(len(folded), 'key')} {title}", _table(folded))
            for title, folded in ((alike, compared), ("not compared", ignored))
            if folded
        ),
    )


def _table(rows: Sequence[EnvironmentRow]) -> MetadataTable:
    width = max(len(row.observed) for row in rows)
    alike = all(len(set(row.observed)) <= 1 for row in rows)
    heads = ["this run" if width == 1 else "these runs"] if alike else [f"run {n + 1}" for n in range(width)]
    shown = [
        MetadataRow(
            row.key,
            row.likeness.name.lower(),
            _SIGNS[row.likeness],
            row.likeness.value,
            row.likeness in (Likeness.DECIDES, Likeness.DIFFERS),
            row.expected,
            row.observed[: len(heads)],
        )
        for row in rows[:MAX_ROWS]
    ]
    return MetadataTable(tuple(heads), tuple(shown), len(rows) - len(shown))
