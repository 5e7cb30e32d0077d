"""The page of results, Markdown."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence

from perf.figures import FigureSection

HEAD = """# What measuring costs

`make bench` measures this page on your machine; `make bench ONLY="{example}"` measures a part of it. Figures
that are compared were measured in turns, in one run. A figure is a median. The page has those with a goal,
and says where it was missed; `bench.json` has all, with quartiles. A thousand launches are drawn for the
[agent](images/endurance-agent.png) and for [JMX](images/endurance-jmx.png).
"""


def page(sections: Sequence[FigureSection], missing: Mapping[str, str]) -> str:
    """Return the whole page; it names no host and no path.

    Args:
        missing: titles of benchmarks without figures, by the name that measures them.
    """
    goals = [figure.met for section in sections for figure in section.figures if figure.goal]
    parts = [
        HEAD.format(example="weight launches"),
        f"\n{sum(goals)} of {len(goals)} goals are met. {_machine()}\n",
        *(f"\n## {section.title}\n\n{goals_of(section)}\n" for section in sections if _has_goals(section)),
    ]
    if missing:
        parts.append("\n## Not measured here yet\n\n")
        parts += [f'- {title}: `make bench ONLY="{name}"`\n' for name, title in missing.items()]
    return "".join(parts)


def _has_goals(section: FigureSection) -> bool:
    return any(figure.goal for figure in section.figures)


def goals_of(section: FigureSection) -> str:
    """Return the figures that have a goal in Markdown, and why some are missed; each reason once."""
    lines: list[str] = []
    said: set[str] = set()
    for figure in section.figures:
        if figure.goal:
            why = "" if figure.met else f" (**missed**: {figure.goal})"
            reason = f"; {figure.reason}" if figure.reason and figure.reason not in said else ""
            lines.append(f"- {figure.name}: {figure.measured}{why}{reason}")
            said.add(figure.reason)
    return "\n".join(lines)


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    python = platform.python_version()
    return f"Measured on {cores} cores, {platform.system()} {platform.machine()}, {_java()}, Python {python}."


def _java() -> str:
    printed = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    return f"Java {printed.splitlines()[0].split(chr(34))[1]}"
