"""False alarms of a real program: what ``buto suggest`` prints is what then happens."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.support.judging import Judge, know_a_busy_machine, literal
from tests.support.processes.command import buto

pytestmark = pytest.mark.all

JUDGE: Judge = {"alpha": 0.05, "minimum-effect": {"*": "100000%", "jvm.memory.heap.used": "1MiB"}}
"""Only the used heap counts; of five training runs, three checked ones can reach this alpha by rank alone."""

CONFIG = """\
version: 1
tests:
  keeper:
    command: [sh, start.sh]
    interval: 200ms
    runs: 5
    judge: {judge}
"""
SCRIPT = 'exec java -Xmx256m -XX:+UseSerialGC -cp "$CLASSES" Does keep "$(cat amount)"\n'
USUAL, A_LITTLE_MORE, MUCH_MORE = "40", "120", "900"
"""KiB that are kept every 10 ms, for a second."""


def test_the_false_alarm_passes_afterwards_and_the_regression_fails(tmp_path: Path, classes: Path) -> None:
    (tmp_path / "buto.yaml").write_text(CONFIG.format(judge=literal(JUDGE)))
    (tmp_path / "start.sh").write_text(SCRIPT)
    (tmp_path / "amount").write_text(USUAL)
    done = buto(tmp_path, "train", CLASSES=str(classes))
    assert done.returncode == 0, done.stderr
    know_a_busy_machine(tmp_path / "oracles" / "keeper.json")
    alarm, regression = (_failed(tmp_path, classes, amount) for amount in (A_LITTLE_MORE, MUCH_MORE))
    said = buto(tmp_path, "label", "keeper", alarm, "good", "--reason", "the cache was cold")
    assert said.returncode == 0, said.stderr

    printed = buto(tmp_path, "suggest", "keeper").stdout
    found = re.search(r"Add to buto.yaml:\n\n(.*?)\n\nthen: (.*)\n", printed, re.DOTALL)
    assert found is not None, printed
    [(name, test)] = yaml.safe_load(found[1])["tests"].items()
    effects = test["judge"]["minimum-effect"]
    assert (name, list(effects)) == ("keeper", ["*", "jvm.memory.heap.used"])
    assert effects["*"] == "100000%"
    assert "0 of 1" in printed

    (tmp_path / "buto.yaml").write_text(CONFIG.format(judge=literal({**JUDGE, **test["judge"]})))
    again = buto(tmp_path, *shlex.split(found[2])[1:])
    assert again.returncode == 0, again.stderr
    know_a_busy_machine(tmp_path / "oracles" / "keeper.json")
    assert buto(tmp_path, "check", "keeper", "--from-runs", alarm).returncode == 0
    failed = buto(tmp_path, "check", "keeper", "--from-runs", regression)
    assert failed.returncode == 1, failed.stdout


def _failed(directory: Path, classes: Path, amount: str) -> str:
    """Check the program with another amount, which must fail, and return the ids of its runs."""
    (directory / "amount").write_text(amount)
    done = buto(directory, "check", "--runs", "3", "--json", "result.json", CLASSES=str(classes))
    assert done.returncode == 1, done.stdout + done.stderr
    [test] = json.loads((directory / "result.json").read_text())["tests"]
    return ",".join(test["verdict"]["run_ids"])
