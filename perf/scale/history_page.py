"""How long the page of a long history takes to write, and how large it is: 1,000 builds of 20 tests.

The builds are made up: totals that are exact but for a thousandth, times that scatter, a step of 4 % in one
test of five, a training each 200 builds and a release each 100.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from buto.report.builds import BuildHistory, Release, past_of
from buto.report.history import HistoryEntry
from buto.report.html.history import render_history
from buto.report.result import Commit
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude

TITLE = "The page of a long history"
GOAL_S = 2.0
GOAL_MB = 3.0
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
EXACT = (
    "jvm.memory.allocated",
    "jvm.memory.heap.live",
    "jvm.object.live",
    "jvm.class.loaded",
    "jvm.thread.started",
)
TIMED = ("jvm.cpu.time", "run.duration", "process.memory.usage")
LEVELS = (100e6, 20e6, 3e5, 4000.0, 24.0, 2.0, 3.0, 150e6)


def commits(n_builds: int) -> list[Commit]:
    days = (f"{FIRST + timedelta(hours=3 * n):%Y-%m-%d}" for n in range(n_builds))
    return [
        Commit(f"{n:040x}", f"Ann {n % 7} <ann@acme.com>", day, f"Change {n}") for n, day in enumerate(days)
    ]


def entries(test: int, history: list[Commit]) -> list[HistoryEntry]:
    """Return the checks of a test, one for each commit, and its trainings."""
    random = np.random.default_rng(test)
    scatter = np.array([*(1e-3 for _ in EXACT), *(0.05 for _ in TIMED)])
    values = np.array(LEVELS) * (1 + scatter * random.standard_normal((len(history), len(LEVELS))))
    if test % 5 == 0:
        values[len(history) // 2 :, 0] *= 1.04
    return [
        HistoryEntry(
            FIRST + timedelta(hours=3 * n, minutes=test),
            "trained" if n % 200 == 0 else "pass",
            commit.name,
            dict(zip((*EXACT, *TIMED), map(float, values[n]), strict=True)),
            (),
            (f"{test}-{n}",),
        )
        for n, commit in enumerate(history)
    ]


def measure(n_builds: int, n_tests: int, n_pages: int, path: Path | None) -> Iterator[BenchmarkFigure]:
    history = commits(n_builds)
    known = [entries(test, history) for test in range(n_tests)]
    releases = [Release(f"v1.{n // 100}", history[n].name) for n in range(0, n_builds, 100)]
    seconds, page = [], ""
    for _ in range(n_pages):
        began = time.monotonic()
        pasts: list[BuildHistory] = [
            past_of(f"test {number}", mine, history, releases) for number, mine in enumerate(known)
        ]
        page = render_history(pasts, FIRST)
        seconds.append(time.monotonic() - began)
    if path is not None:
        path.write_text(page, encoding="utf-8")
    yield at_most(f"to write the page of {n_builds:,} builds of {n_tests} tests", seconds, GOAL_S, "s", 2)
    yield at_most("its size", [len(page.encode()) * 1e-6], GOAL_MB, "MB", 2)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--builds", type=int, default=1000)
    parser.add_argument("--tests", type=int, default=20)
    parser.add_argument("--pages", type=int, default=5)
    parser.add_argument("--page", type=Path, help="where to write it, to be looked at")
    options = parser.parse_args()
    figures = tuple(measure(options.builds, options.tests, options.pages, options.page))
    return conclude(TITLE, figures, options)


if __name__ == "__main__":
    sys.exit(main())
