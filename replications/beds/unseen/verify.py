"""What each version uses, measured by MXBeans and /proc at the end of its work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median

from beds.artefacts import BedError
from beds.jdk import run
from beds.unseen.catalogue import HEAP, Program

MEASURES = ("wall", "cpu", "heap", "allocation", "threads", "classes", "descriptors", "native", "locks", "io")
"""Seconds; KiB of live heap, MiB allocated, KiB of direct buffers; numbers of the others."""

OPENED = [
    word
    for package in ("sun.management", "sun.management.counter", "sun.management.counter.perf")
    for word in ("--add-opens", f"java.management/{package}=ALL-UNNAMED")
]
"""Where the JVM's own count of contended locks is."""


def use(java: str, options: Iterable[str], classes: Path, program: str, version: str) -> dict[str, float]:
    """Run a version once and return what it used, by measure.

    Raises:
        BedError: the program failed.
    """
    words = [java, *HEAP, *options, *OPENED, "-cp", str(classes), "measure.Main", program, version]
    for line in run(words).splitlines():
        if line.startswith("use "):
            used = dict(part.split("=") for part in line.split()[1:])
            return {name: float(used[name]) for name in MEASURES}
    raise BedError(f"{' '.join(words)} must print a line that begins with use")


def rows(java: str, options: list[str], classes: Path, program: Program, runs: int) -> Iterable[str]:
    """Yield a line for each version: the medians of all measures, with the regression's own in brackets."""
    used: dict[str, list[dict[str, float]]] = {version: [] for version in program.versions}
    for _ in range(runs):
        for version in program.versions:
            used[version].append(use(java, options, classes, program.name, version))
    for version, some in used.items():
        cells = []
        for measure in MEASURES:
            value = f"{median(row[measure] for row in some):.5g}"
            cells.append(f"[{value}]" if measure == program.kind else value)
        yield f"{program.name + ' ' + version:20}" + "".join(f"{cell:>12}" for cell in cells)
