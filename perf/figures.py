"""What every benchmark returns: figures, each with its goal, which become rows of one page.

A benchmark is a module with a ``TITLE``, a ``main`` and this frame::

    def main() -> int:
        parser = benchmark(__doc__)
        parser.add_argument("--repeats", type=int, default=20)
        options = parser.parse_args()
        return conclude(TITLE, measure(options.repeats), options)
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

MISSED = 1
"""Exit code of a benchmark that missed a goal."""


@dataclass(frozen=True)
class BenchmarkFigure:
    """One row: texts for people; a figure with an empty goal is only reported."""

    name: str
    measured: str
    spread: str = ""
    goal: str = ""
    met: bool = True
    reason: str = ""
    """Why the goal is missed, in the words of the page."""


@dataclass(frozen=True)
class FigureSection:
    """The figures of one benchmark."""

    title: str
    figures: tuple[BenchmarkFigure, ...]

    @property
    def met(self) -> bool:
        return all(figure.met for figure in self.figures)


def figure_of(name: str, values: Sequence[float], unit: str = "", digits: int = 1) -> BenchmarkFigure:
    """Return a figure without a goal: the median, with quartiles for its spread."""
    low, median, high = (float(value) for value in np.percentile(values, [25, 50, 75]))
    spread = f"{low:,.{digits}f} to {high:,.{digits}f} (n = {len(values)})" if len(values) > 1 else ""
    return BenchmarkFigure(name, f"{median:,.{digits}f} {unit}".rstrip(), spread)


def at_most(
    name: str, values: Sequence[float], goal: float, unit: str = "", digits: int = 1, reason: str = ""
) -> BenchmarkFigure:
    """Return a figure whose median must not exceed its goal."""
    met = bool(np.median(values) <= goal)
    return _judge(figure_of(name, values, unit, digits), f"at most {goal:g} {unit}", met, reason)


def at_least(
    name: str, values: Sequence[float], goal: float, unit: str = "", digits: int = 1, reason: str = ""
) -> BenchmarkFigure:
    """Return a figure whose median must reach its goal."""
    met = bool(np.median(values) >= goal)
    return _judge(figure_of(name, values, unit, digits), f"at least {goal:g} {unit}", met, reason)


def _judge(figure: BenchmarkFigure, goal: str, met: bool, reason: str) -> BenchmarkFigure:
    return replace(figure, goal=goal.rstrip(), met=met, reason="" if met else reason)


def benchmark(description: str | None) -> argparse.ArgumentParser:
    """Return the parser of a benchmark, to which it adds its own options."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser


def conclude(title: str, figures: Sequence[BenchmarkFigure], options: argparse.Namespace) -> int:
    """Print the figures, keep them where the options say, and return the exit code."""
    section = FigureSection(title, tuple(figures))
    print(table(section))
    if options.json is not None:
        options.json.write_text(json.dumps(asdict(section), indent=1) + "\n")
    return 0 if section.met else MISSED


def section_of(document: dict[str, object]) -> FigureSection:
    """Return a section as :func:`conclude` wrote it."""
    figures = document["figures"]
    assert isinstance(figures, list)
    return FigureSection(str(document["title"]), tuple(BenchmarkFigure(**figure) for figure in figures))


def table(section: FigureSection) -> str:
    """Return the section in Markdown, without its title."""
    lines = ["| figure | measured | spread | goal | |", "| --- | --- | --- | --- | --- |"]
    for figure in section.figures:
        verdict = ("met" if figure.met else "**missed**") if figure.goal else ""
        lines.append(f"| {figure.name} | {figure.measured} | {figure.spread} | {figure.goal} | {verdict} |")
    reasons = [f"{figure.name}: {figure.reason}" for figure in section.figures if figure.reason]
    return "\n".join([*lines, *(f"\n{reason}" for reason in reasons)])
