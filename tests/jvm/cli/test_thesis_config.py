"""``configs/thesis.yaml`` as its user has it: a test program is trained, and fails after a change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from buto.project.config import load
from tests.support.checkout import ROOT
from tests.support.processes.command import buto

pytestmark = pytest.mark.all

NAME = "leaker-thread"


def test_a_leak_of_threads_is_trained_and_four_times_of_it_fails(tmp_path: Path) -> None:
    path = Path(shutil.copy(ROOT / "configs" / "thesis.yaml", tmp_path))
    leaker = (*load(path).tests[NAME].target.command, "--duration", "1500ms")
    trained = buto(tmp_path, "train", NAME, "--config", "thesis.yaml", "--runs", "3", "--", *leaker)
    assert trained.returncode == 0, trained.stderr
    assert trained.stdout.startswith(f"TRAINED  {NAME}: 3 runs, oracles/{NAME}.json\n")

    more = ("--json", "result.json", "--", *leaker, "--leaks", "40")
    changed = buto(tmp_path, "check", NAME, "--config", "thesis.yaml", *more)
    assert changed.returncode == 1, changed.stdout + changed.stderr
    result = json.loads((tmp_path / "result.json").read_text())["tests"][0]
    assert result["verdict"]["detector"] == "thesis"
    assert "jvm.thread.count" in [finding["subject"] for finding in result["verdict"]["findings"]]
