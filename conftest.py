"""What holds for all tests: the jars are built, no test leaves a process behind, and who runs beside whom."""

from __future__ import annotations

import itertools
import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import psutil
import pytest

from tests.support import durations, examples, impact
from tests.support.checkout import ROOT, java_build
from tests.support.serial import SERIAL

JVM = ("tests/jvm/", "cluster/tests/jvm/", "replications/tests/jvm/")

# Where this is, jsonschema compiles grammars of addresses for two seconds, and no schema here has formats.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

GRACE_S = 5.0
"""A killed process needs a moment to be gone from the table."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("the tests of buto")
    group.addoption(
        "--changed-since", metavar="REVISION", help="run only what the changes since then concern"
    )
    group.addoption("--check-durations", action="store_true", help="fail if a test has become much slower")
    group.addoption("--record-durations", action="store_true", help="write tests/durations.json")


def pytest_configure(config: pytest.Config) -> None:
    # Matplotlib keeps its list of fonts below HOME otherwise.
    os.environ.setdefault("MPLCONFIGDIR", str(config.rootpath / ".pytest_cache" / "matplotlib"))
    # An example takes long where the machine is busy for a moment; that is no fault. The same commit has the
    # same examples, so that a new one is found where it is looked for: with --hypothesis-profile searching.
    for profile, n_examples in examples.AT.items():
        hypothesis.settings.register_profile(
            profile, deadline=None, derandomize=True, max_examples=n_examples
        )
    hypothesis.settings.register_profile("searching", deadline=None, max_examples=1000)
    hypothesis.settings.load_profile(config.getoption("--hypothesis-profile") or "push")
    # A shell starts background jobs with these ignored, and all that the tests start would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    # The order in which they were collected stays: the longest first.
    config.option.loadscopereorder = False
    if not hasattr(config, "workerinput"):
        check, record = (config.getoption(f"--{what}-durations") for what in ("check", "record"))
        config.pluginmanager.register(durations.Durations(check=check, record=record))
    if since := config.getoption("--changed-since"):
        config.pluginmanager.register(Selection(config, since), "selection")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(JVM):
            item.add_marker(pytest.mark.jvm)
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.slow)
    # Added, for a test of this file collects tests of its own in the same process.
    rare = [item.nodeid for item in items if item.get_closest_marker("all")]
    impact.UNPLACED.extend(nodeid for nodeid in rare if not nodeid.startswith(tuple(impact.ABOUT)))
    seconds = durations.of_files()
    items.sort(key=lambda item: (not item.nodeid.startswith(SERIAL), -seconds.get(item.path.name, 0.0)))


class Selection:
    """Collects and runs only the tests that changes concern; the first process tells its workers which."""

    def __init__(self, config: pytest.Config, since: str) -> None:
        if hasattr(config, "workerinput"):
            usual, rare = config.workerinput["concerned"]
            self._concern = impact.Concern(frozenset(usual), frozenset(rare))
        else:
            self._concern = impact.Graph.of_checkout(config.rootpath).concerned(
                impact.changes(since, config.rootpath)
            )
        self._root = config.rootpath

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["concerned"] = (sorted(self._concern.usual), sorted(self._concern.rare))

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        path = collection_path.relative_to(self._root).as_posix()
        return True if impact.is_test(path) and path not in self._concern.files else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        kept, left_out = [], []
        for item in items:
            files = self._concern.rare if item.get_closest_marker("all") else self._concern.usual
            wanted = item.path.relative_to(self._root).as_posix() in files
            (kept if wanted else left_out).append(item)
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept

    def pytest_report_header(self) -> str:
        usual, rare = map(len, (self._concern.usual, self._concern.rare))
        return f"concerned: usual tests of {usual} files, rare ones of {rare}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Under xdist the tests of a file share a process and its fixtures, and all that are serial share one."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "serial" if nodeid.startswith(SERIAL) else nodeid.partition("::")[0]

    return ByFile(config, log)


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


@pytest.fixture(scope="session", autouse=True)
def home_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Each training looks for what changed below HOME, where whoever tests may have many thousand files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(autouse=True)
def same_order_of_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same commit launches the programs of a test in the same order, so that it decides after as many."""
    seeds = itertools.count(1)
    monkeypatch.setattr(secrets, "randbits", lambda n_bits: next(seeds))


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
    try:
        # Much faster than to look through all processes of the machine, and most tests start none.
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return set()
    return set(psutil.Process().children(recursive=True))
