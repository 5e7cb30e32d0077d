"""How long tests take: recorded in tests/durations.json, and compared at the end of a run.


``pytest --check-durations`` fails if a test takes four times as long as recorded, and ten seconds more, or if
it has no record and takes a minute. How fast the machine is does not count: the median of all recorded tests
says it. A test that seems to be slow is run again, by itself, and counts only if it is as slow then.
``pytest --record-durations`` writes what it measured, and the sums of whole files into
tests/durations_of_files.json; ``make durations`` does so with all tests.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

RECORDED = ROOT / "tests" / "durations.json"
FILES = ROOT / "tests" / "durations_of_files.json"
"""The seconds of all tests of a file, also of the short ones, by which files are scheduled."""

MEASURED = "BUTO_TEST_DURATIONS"
"""The variable that names a file for the seconds of all tests of a run."""

FACTOR = 4.0
FLOOR_S = 10.0
"""A launch that is repeated, or a download, may take so much more."""

UNRECORDED_S = 60.0
SHORTEST_S = 1.0
FEWEST = 10
"""So many tests tell how fast a machine is."""

SETUP = " setup"
"""Follows the name of the test whose fixtures took so long. Not compared: another test may come first."""

RERUN_S = 1200.0


def recorded() -> dict[str, float]:
    """Return the seconds of each test, and of each set-up, that takes more than one."""
    known: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    return known


def name(nodeid: str) -> str:
    """Return by what a test is known wherever its file moves: the file's name and its own."""
    file, _, test = nodeid.partition("::")
    return f"{Path(file).name}::{test}"


def of_files() -> dict[str, float]:
    """Return the seconds of each file's tests together, by the file's name: the longest begin first."""
    seconds: dict[str, float] = {}
    for test, of_test in recorded().items():
        file = test.partition("::")[0]
        seconds[file] = seconds.get(file, 0.0) + of_test
    sums: dict[str, float] = json.loads(FILES.read_text(encoding="utf-8")) if FILES.exists() else {}
    return seconds | sums


def slowness(known: Mapping[str, float], measured: Mapping[str, float]) -> float:
    """Return how many times as long as recorded a test takes on this machine, at least 1."""
    ratios = [measured[test] / known[test] for test in known.keys() & measured.keys()]
    return max(1.0, statistics.median(ratios)) if len(ratios) >= FEWEST else 1.0


def grown(known: Mapping[str, float], measured: Mapping[str, float], slower: float) -> list[str]:
    """Return the tests that take clearly more than they may, on a machine that is so many times slower."""

    def allowed_s(test: str) -> float:
        return max(FACTOR * known[test], known[test] + FLOOR_S) if test in known else UNRECORDED_S

    return [
        test
        for test, seconds in measured.items()
        if not test.endswith(SETUP) and seconds > slower * allowed_s(test)
    ]


class Durations:
    """The plugin, in the process that hears of all tests."""

    def __init__(self, *, check: bool, record: bool) -> None:
        self._check = check
        self._record = record
        self._measured: dict[str, float] = {}
        self._nodeids: dict[str, str] = {}
        self._slow: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.passed and report.when in ("setup", "call"):
            test = name(report.nodeid) + (SETUP if report.when == "setup" else "")
            self._measured[test] = max(report.duration, self._measured.get(test, 0.0))
            self._nodeids[test] = report.nodeid

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if path := os.environ.get(MEASURED):
            Path(path).write_text(json.dumps(self._measured), encoding="utf-8")
        if self._record:
            _write(self._measured)
        if self._check and exitstatus == pytest.ExitCode.OK:
            self._slow = self._slow_twice()
            if self._slow:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self._slow:
            terminalreporter.write_line(line)

    def _slow_twice(self) -> list[str]:
        known = recorded()
        slower = slowness(known, self._measured)
        first = grown(known, self._measured, slower)
        again = _run_alone([self._nodeids[test] for test in first]) if first else {}
        return [
            f"SLOW {self._nodeids[test]}: {again[test]:.1f} s; recorded: {known.get(test, 'nothing')}; "
            "if this is meant: pytest --record-durations FILE"
            for test in grown(known, {test: again[test] for test in first if test in again}, slower)
        ]


def _run_alone(nodeids: list[str]) -> dict[str, float]:
    """Run tests again in a process of their own; return the seconds of those that passed."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "measured.json"
        try:
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", *nodeids],
                cwd=ROOT,
                env={**os.environ, MEASURED: os.fspath(path)},
                stdout=subprocess.DEVNULL,
                timeout=RERUN_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {}
        measured: dict[str, float] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return measured


def _write(measured: Mapping[str, float]) -> None:
    """Replace the records of the tests and files that were run; those of files that are gone go, too."""
    files = {path.name for path in ROOT.glob("**/tests/**/test_*.py")}
    kept = {
        test: seconds
        for test, seconds in recorded().items()
        if test.removesuffix(SETUP) not in measured and test.partition("::")[0] in files
    }
    new = {test: round(seconds, 1) for test, seconds in measured.items() if seconds > SHORTEST_S}
    RECORDED.write_text(json.dumps({**kept, **new}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sums: dict[str, float] = {}
    for test, seconds in measured.items():
        file = test.partition("::")[0]
        sums[file] = sums.get(file, 0.0) + seconds
    known = {file: seconds for file, seconds in of_files().items() if file in files and file not in sums}
    rounded = {file: round(seconds, 1) for file, seconds in (known | sums).items()}
    FILES.write_text(json.dumps(rounded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
