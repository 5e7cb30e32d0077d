"""Verdicts on the releases as a maintainer gets them: the commands are those that somebody types."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beds.artefacts import BedError
from beds.tools.catalogue import Tool

TRAINING = 10
UNCHANGED = 2
"""Checks of the first release itself, unless more are asked for, beside one of each later release."""

EXIT = {0: "pass", 1: "regression", 3: "inconclusive"}


@dataclass(frozen=True, slots=True)
class Said:
    """What one check said.

    Attributes:
        new: the release that was checked.
        number: from 0; of one release, several checks.
        runs: of the new release, those of turns included.
        first: the first finding: its property.
        line: the line that a maintainer reads first.
    """

    tool: str
    old: str
    new: str
    number: int
    verdict: str
    runs: int
    first: str
    line: str


def said(
    tool: Tool, place: Path, known: set[tuple[str, int]], n_unchanged: int = UNCHANGED
) -> Iterator[Said]:
    """Train on the first release in a directory of its own, unless it was, and check what is not known yet.

    Args:
        n_unchanged: how often the first release itself is checked.

    Raises:
        BedError: training failed, or a check ended in another way than with a verdict.
    """
    directory = place / tool.name
    directory.mkdir(parents=True, exist_ok=True)
    old = tool.releases[0]
    wanted = [(old, number) for number in range(n_unchanged)] + [(new, 0) for _, new in tool.pairs]
    wanted = [name for name in wanted if name not in known]
    if wanted and not (directory / "oracles" / f"{tool.name}.json").exists():
        command = [*BUTO, "train", tool.name, "--runs", str(TRAINING), "--", *tool.command(old, directory)]
        done = _run(command, directory)
        if done.returncode:
            raise BedError(f"training {tool.name} failed: {done.stdout[-500:]}{done.stderr[-1000:]}")
    for new, number in wanted:
        result = directory / "result.json"
        result.unlink(missing_ok=True)
        command = [*BUTO, "check", tool.name, "--json", result.name, "--", *tool.command(new, directory)]
        done = _run(command, directory)
        if done.returncode not in EXIT or not result.exists():
            raise BedError(f"checking {tool.name} {new} failed: {done.stdout[-500:]}{done.stderr[-1000:]}")
        yield _said(
            tool.name, old, new, number, EXIT[done.returncode], done.stdout, json.loads(result.read_text())
        )


BUTO = (sys.executable, "-m", "buto")


def _said(tool: str, old: str, new: str, number: int, verdict: str, printed: str, result: Any) -> Said:
    first, runs = _of_result(result)
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    line = next((text for text in lines if text.startswith(tool)), lines[0] if lines else "")
    return Said(tool, old, new, number, verdict, runs, first, line[:300])


def _of_result(result: Any) -> tuple[str, int]:
    """Return the property of the first finding, and how many runs were judged, from a written result."""
    (test,) = result["tests"]
    findings = (test["verdict"] or {}).get("findings", [])
    return (findings[0]["subject"] if findings else ""), len(test["runs"])


def _run(command: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
