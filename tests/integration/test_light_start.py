"""What a command has imported before anybody waits for it: nothing heavy that it does not need yet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.checkout import ROOT
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run, store

PATIENCE_S = 300.0
REPORTS = {"jinja2", "matplotlib", "pandas"}
JMX = {"jpype", "buto.measure.jmx.attach"}
LAUNCHING = {"buto.measure.hooks", "buto.measure.launch", "buto.measure.workload.driver", "psutil"}
PACKAGES = {"importlib.metadata", "jsonschema"}
"""What finds detectors of other packages and validates configurations."""

UNUSED = {"asyncio", "filterpy", "http.client", "psutil", "pyarrow", "rich", "scipy"}
BEFORE_LAUNCH = REPORTS | JMX | PACKAGES | UNUSED
"""No command imports these before its program has been started: everybody waits for that."""

EXPLAINING = {"buto.causes.explain", "buto.causes.profiles"}
OF_STORED_RUNS = REPORTS | JMX | PACKAGES | LAUNCHING | EXPLAINING | {"scipy"}
"""No command on stored runs imports these, unless it is asked for a report that needs them."""

LISTING = {"dataclasses", "importlib.metadata"}
"""What finds the commands of other packages, which the help lists."""

HEAVY = BEFORE_LAUNCH | OF_STORED_RUNS | {"dataclasses", "numpy", "yaml"}

WATCHED = f"""\
import atexit, json, sys
until, printed = sys.argv.pop(1), []
def print_once(event):
    if event in (until, "exit") and not printed:
        printed.append(1)
        print(json.dumps(sorted(set({sorted(HEAVY)}) & set(sys.modules))))
sys.addaudithook(lambda event, _: print_once(event))
atexit.register(print_once, "exit")
from buto.cli.main import entry
entry()
"""
"""Prints what it has imported at an event of Python's, or when it ends without."""


def imported(directory: Path, *arguments: str, until: str = "subprocess.Popen") -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, until, *arguments],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("[")]
    return set(json.loads(line))


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    assert imported(tmp_path, "--help") <= LISTING
    assert imported(tmp_path, "no-such-command") <= LISTING


def test_train_and_check_start_the_program_before_they_import_what_comes_after_it(tmp_path: Path) -> None:
    assert imported(tmp_path, "train", "fresh", "--", "false") & BEFORE_LAUNCH == set()
    trained(tmp_path, 5)
    assert imported(tmp_path, "check", "leaker") & BEFORE_LAUNCH == set()


def test_commands_on_stored_runs_import_nothing_that_launches_programs(tmp_path: Path) -> None:
    *_, last = trained(tmp_path, 11)
    for words in (
        ("runs", "list"),
        ("train", "leaker", "--from-runs", "all", "--", "false"),
        ("check", "leaker", "--from-runs", "all"),
        ("report", last),
    ):
        assert imported(tmp_path, *words, until="exit") & OF_STORED_RUNS == set(), words


def test_a_report_imports_what_only_reports_need(tmp_path: Path) -> None:
    *_, last = trained(tmp_path, 11)
    seen = imported(tmp_path, "check", "leaker", "--from-runs", last, "--html", "leaker.html", until="exit")
    assert {"numpy", "jinja2"} <= seen
    assert (tmp_path / "leaker.html").exists()


def trained(directory: Path, n_runs: int) -> list[str]:
    """Store runs and train their oracle; return their ids."""
    ids = store(directory, *(leaking_run(number) for number in range(n_runs)))
    called(directory, "train", "leaker", "--from-runs", "all", "--", "false", exits=0)
    return ids
