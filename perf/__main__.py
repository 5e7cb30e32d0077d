"""The benchmarks, one after the other, and the page of what they measured: ``make bench``.

Each that ends also adds a line to ``perf/history.jsonl``: date, commit, machine and figures.
``make bench ONLY="--history NAME"`` prints them beside each other.

Each one's figures are kept as soon as it ends, so that a series that was broken off goes on with
``--resume``, also as ``make bench ONLY=--resume``, and a single one can be repeated by its name.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time

from perf import ROOT, history
from perf.figures import MISSED, section_of
from perf.page import page

PAGE = ROOT / "replications" / "docs" / "bench.md"
FIGURES = ROOT / "replications" / "docs" / "bench.json"
HISTORY = ROOT / "perf" / "history.jsonl"
IMAGES = ROOT / "replications" / "docs" / "images"
MACHINE = (
    f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
)

BENCHMARKS: dict[str, tuple[str, ...]] = {
    "weight": ("perf.collecting.weight",),
    "idle": ("perf.collecting.idle",),
    "fresh": ("perf.collecting.fresh",),
    "period": ("perf.collecting.period",),
    "launches": ("perf.collecting.launches",),
    "live-set": ("perf.collecting.live_set",),
    "pins": ("perf.collecting.pins",),
    "harness": ("perf.collecting.harness",),
    "pipeline": ("perf.judging.pipeline",),
    "repeating": ("perf.judging.repeating",),
    "labelled": ("perf.judging.labelled",),
    "models": ("perf.judging.models",),
    "machines": ("perf.judging.machines",),
    "architecture": ("perf.judging.architecture",),
    "sources": ("perf.collecting.sources",),
    "load": ("perf.collecting.load",),
    "pauses": ("perf.judging.pauses",),
    "scale-mbeans": ("perf.scale.mbeans",),
    "scale-runs": ("perf.scale.runs",),
    "scale-store": ("perf.scale.store",),
    "scale-stored": ("perf.scale.stored",),
    "scale-journal": ("perf.scale.journal",),
    "scale-environments": ("perf.scale.environments",),
    "endurance": ("perf.scale.endurance", "--plot", f"{IMAGES}/endurance-agent.png"),
    "endurance-jmx": (
        *("perf.scale.endurance", "--collector", "jmx", "--nap", "1500"),
        *("--plot", f"{IMAGES}/endurance-jmx.png"),
    ),
}
"""Benchmarks by name, in the order of the page."""

_TITLE = re.compile(r'^TITLE = "(.+)"$', re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m perf", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; none: all")
    parser.add_argument("--resume", action="store_true", help="leave out those whose figures there are")
    parser.add_argument("--history", action="store_true", help="print earlier figures, and measure nothing")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(BENCHMARKS))
    if unknown:
        parser.error(f"unknown benchmark: {', '.join(unknown)}")
    if options.history:
        for name in options.names or BENCHMARKS:
            print(history.table(name, history.read(HISTORY)))
        return 0
    failed = []
    for name in options.names or BENCHMARKS:
        if not (options.resume and name in _find_known()):
            measured = _run(name)
            if measured is None:
                failed.append(name)
            else:
                # Read again: another benchmark may have ended meanwhile.
                _keep(_find_known() | {name: measured})
                history.append(
                    HISTORY, history.BenchmarkEntry.now(name, _commit(), MACHINE, section_of(measured))
                )
    print(f"\nThe page is {PAGE.relative_to(ROOT)}.")
    if failed:
        print(f"Without figures ended: {', '.join(failed)}")
    return 1 if failed else 0


def _find_known() -> dict[str, dict[str, object]]:
    """Return the sections of all benchmarks that have ended."""
    known: dict[str, dict[str, object]] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    return known


def _run(name: str) -> dict[str, object] | None:
    """Return a benchmark's section; None if it failed to measure."""
    module, *arguments = BENCHMARKS[name]
    print(f"\n== {name}: {' '.join((module, *arguments))}", flush=True)
    kept = FIGURES.with_suffix(f".{name}.part")
    began = time.monotonic()
    try:
        command = [sys.executable, "-m", module, *arguments, "--json", str(kept)]
        done = subprocess.run(command, cwd=ROOT, check=False)
        print(f"   {time.monotonic() - began:.0f} s")
        if done.returncode not in (0, MISSED) or not kept.exists():
            return None
        section: dict[str, object] = json.loads(kept.read_text())
        return section
    finally:
        kept.unlink(missing_ok=True)


def _commit() -> str:
    """Return the commit that is measured, with a mark if the tree has changes."""
    command = ["git", "describe", "--always", "--dirty=+", "--abbrev=12"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _keep(known: dict[str, dict[str, object]]) -> None:
    ordered = {name: known[name] for name in BENCHMARKS if name in known}
    FIGURES.write_text(json.dumps(ordered, indent=1) + "\n")
    missing = {name: _title(name) for name in BENCHMARKS if name not in known}
    PAGE.write_text(page([section_of(document) for document in ordered.values()], missing))


def _title(name: str) -> str:
    """Return the title of a benchmark's section, without importing what it measures."""
    source = ROOT.joinpath(*BENCHMARKS[name][0].split(".")).with_suffix(".py")
    match = _TITLE.search(source.read_text())
    assert match is not None, f"{source} must have a TITLE"
    return match[1]


if __name__ == "__main__":
    sys.exit(main())
