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

PATIENCE_S = 60.0
NEVER = {"jinja2", "jpype", "matplotlib", "pandas", "pyarrow", "rich", "scipy"}
"""What reports, stores and JMX need, but no command before its program has been started."""

HEAVY = NEVER | {"http.client", "jsonschema", "numpy", "yaml"}

WATCHED = f"""\
import atexit, json, sys
until, told = sys.argv.pop(1), []
def tell(event):
    if event in (until, "exit") and not told:
        told.append(1)
        print(json.dumps(sorted(set({sorted(HEAVY)}) & set(sys.modules))))
sys.addaudithook(lambda event, _: tell(event))
atexit.register(tell, "exit")
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
    assert imported(tmp_path, "--help") == set()
    assert imported(tmp_path, "no-such-command") == set()


def test_train_and_check_start_the_program_before_they_import_what_comes_after_it(tmp_path: Path) -> None:
    assert imported(tmp_path, "train", "fresh", "--", "false") & NEVER == set()
    store(tmp_path, *(leaking_run(number) for number in range(5)))
    assert called(tmp_path, "train", "leaker", "--from-runs", "all", "--", "false").returncode == 0
    assert imported(tmp_path, "check", "leaker") & (NEVER | {"http.client", "jsonschema"}) == set()


def test_a_check_judges_without_scipy_which_takes_longer_to_import_than_to_judge(tmp_path: Path) -> None:
    *_, last = store(tmp_path, *(leaking_run(number) for number in range(11)))
    assert called(tmp_path, "train", "leaker", "--from-runs", "all", "--", "false").returncode == 0
    words = ("check", "leaker", "--from-runs", last, "--json", "result.json")
    seen = imported(tmp_path, *words, until="exit")
    (test,) = json.loads((tmp_path / "result.json").read_text())["tests"]
    assert test["status"] == "pass"
    assert "numpy" in seen
    assert not {"jinja2", "scipy"} & seen
    assert "jinja2" in imported(tmp_path, *words[:-2], "--html", "leaker.html", until="exit")
