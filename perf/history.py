"""What benchmarks measured from commit to commit: a file with a line for each that ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from perf.figures import FigureSection

SHOWN = 8
"""So many of the newest entries fit beside each other."""


@dataclass(frozen=True)
class BenchmarkEntry:
    """One benchmark that ended.

    Attributes:
        date: The day, as 2026-01-31.
        figures: What each figure measured, in the words of its page.
    """

    name: str
    date: str
    commit: str
    machine: str
    figures: dict[str, str]

    @classmethod
    def now(cls, name: str, commit: str, machine: str, section: FigureSection) -> BenchmarkEntry:
        """Return the entry of a benchmark that ends now."""
        figures = {figure.name: figure.measured for figure in section.figures}
        return cls(name, f"{datetime.now(UTC):%Y-%m-%d}", commit, machine, figures)


def append(path: Path, entry: BenchmarkEntry) -> None:
    """Add a line; earlier ones stay as they are."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(entry)) + "\n")


def read(path: Path) -> list[BenchmarkEntry]:
    """Return all entries, the oldest first; none if there is no file yet."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [BenchmarkEntry(**json.loads(line)) for line in lines]


def table(name: str, entries: Sequence[BenchmarkEntry]) -> str:
    """Return the newest figures of a benchmark in Markdown: a row for each figure, a column for each commit.

    Entries of other machines than the newest one's are left out, for they say nothing about the commit.
    """
    of_it = [entry for entry in entries if entry.name == name]
    alike = [entry for entry in of_it if entry.machine == of_it[-1].machine][-SHOWN:]
    if not alike:
        return f"{name}: not measured yet"
    lines = [f"{name}, {alike[-1].machine}", ""]
    lines.append("| figure | " + " | ".join(f"{entry.date} {entry.commit}" for entry in alike) + " |")
    lines.append("| --- |" + " --- |" * len(alike))
    figures = dict.fromkeys(figure for entry in reversed(alike) for figure in entry.figures)
    lines += [
        f"| {figure} | " + " | ".join(entry.figures.get(figure, "") for entry in alike) + " |"
        for figure in figures
    ]
    return "\n".join([*lines, ""])
