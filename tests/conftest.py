"""What holds for all tests: the jars are built, and no test leaves a process behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import hypothesis
import psutil
import pytest

from tests.support.checkout import ROOT, java_build

JUDGING = (
    *(f"tests/build_plugins/test_{tool}.py::test_a_build_passes" for tool in ("gradle", "maven")),
    *("tests/build_plugins/test_junit.py::test_a_scenario_passes", "tests/jvm/pytest_plugin/test_sample.py"),
    *(f"tests/jvm/cli/test_{what}.py" for what in ("bisect", "compare", "confirm", "flow")),
    *("tests/jvm/releases/", "tests/jvm/api/"),
    "tests/integration/pages/test_readme.py",
)
"""In the order in which they come: those that judge by the defaults last."""
MEASURING = ("tests/jvm/", *JUDGING)
BESIDE = (
    *(f"tests/jvm/{room}/" for room in ("experiments", "packaging", "strangers", "testprograms", "workload")),
    *(f"tests/jvm/cli/test_{what}.py" for what in ("bad_targets", "doctor", "remarks", "signals")),
    *("tests/jvm/agent/test_build.py", "tests/jvm/collect/test_wrapped.py"),
    "tests/jvm/pytest_plugin/test_driven.py",
)
"""Of those that start JVMs the ones to which it is all the same what these use, and how fast."""
GRACE_S = 5.0
"""A killed process needs a moment to be gone from the table."""


def pytest_configure(config: pytest.Config) -> None:
    # Matplotlib keeps its list of fonts below HOME otherwise.
    os.environ.setdefault("MPLCONFIGDIR", str(config.rootpath / ".pytest_cache" / "matplotlib"))
    # An example takes long where the machine is busy for a moment; that is no fault. The same commit has the
    # same examples, so that a new one is found where it is looked for: with --hypothesis-profile searching.
    hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
    hypothesis.settings.register_profile("searching", deadline=None, max_examples=1000)
    hypothesis.settings.load_profile(config.getoption("--hypothesis-profile") or "repeatable")
    # A shell starts background jobs with these ignored, and all that the tests start would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(ROOT / "tests" / "jvm"):
            item.add_marker(pytest.mark.jvm)
        if item.nodeid.startswith(MEASURING):
            # Tracing would slow down what measures.
            item.add_marker(pytest.mark.no_cover)
    # A check goes wrong where others load the machine otherwise than in training. What judges comes last:
    # first what judges bluntly, for the process beside may still have something to do.
    items.sort(key=lambda item: next((n for n, of in enumerate(JUDGING) if item.nodeid.startswith(of)), -1))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Under xdist tests that measure share a process, so that two JVMs do not disturb each other."""
    from xdist.scheduler import LoadScopeScheduling

    class MeasuringTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            measures = nodeid.startswith(MEASURING) and not nodeid.startswith(BESIDE)
            return "measuring" if measures else nodeid

    return MeasuringTogether(config, log)


def pytest_collection_finish(session: pytest.Session) -> None:
    if any(item.get_closest_marker("jvm") for item in session.items):
        _build_jars()


def _build_jars() -> None:
    build = java_build()
    try:
        build.build_all(ROOT, ROOT / "buto" / "jars")
    except build.BuildError as failure:
        pytest.exit(str(failure), returncode=1)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"tests skipped: {len(terminalreporter.stats.get('skipped', []))}")


@pytest.fixture(autouse=True)
def no_process_left_behind() -> Iterator[None]:
    """Every process that a test starts, and whatever that starts, ends with the test."""
    before = _children()
    yield
    deadline = time.monotonic() + GRACE_S
    while left := _children() - before:
        if time.monotonic() > deadline:
            pytest.fail(f"left behind: {', '.join(map(str, left))}")
        time.sleep(0.02)


def _children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))
