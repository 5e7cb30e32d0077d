"""A failing run is confirmed by two more before anything is accused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buto.runs.model import SESSION
from buto.runs.store import RunStore
from tests.support.judging import BY_MULTIPLES, know_a_busy_machine, literal
from tests.support.processes.command import buto

pytestmark = pytest.mark.all

CONFIG = f"""\
version: 1
tests:
  keeper:
    command: [sh, start.sh]
    interval: 1s
    runs: 5
    judge: {literal(BY_MULTIPLES)}
"""
SCRIPT = """\
amount=$(cat amount)
if [ -e odd ]; then rm odd; amount=2000; fi
exec java -Xmx512m -XX:+UseSerialGC -cp "$CLASSES" Does keep "$amount"
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, classes: Path) -> Path:
    directory = tmp_path_factory.mktemp("confirm")
    (directory / "buto.yaml").write_text(CONFIG)
    (directory / "start.sh").write_text(SCRIPT)
    (directory / "amount").write_text("40")
    done = buto(directory, "train", CLASSES=str(classes))
    assert done.returncode == 0, done.stderr
    know_a_busy_machine(directory / "oracles" / "keeper.json")
    return directory


def n_judged(directory: Path) -> int:
    """Of those that can be used: a disturbed run is listed, too, and then repeated."""
    runs = json.loads((directory / "result.json").read_text())["tests"][0]["runs"]
    return sum(run["valid"] for run in runs)


def test_one_odd_run_among_good_ones_passes(trained: Path, classes: Path) -> None:
    (trained / "odd").touch()
    done = buto(trained, "check", "--json", "result.json", CLASSES=str(classes))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "launching 2 more to judge them together" in done.stderr
    assert n_judged(trained) == 3
    marked = [run.metadata.get(SESSION) for run in RunStore(trained / ".buto").load_set("keeper")]
    assert len(set(marked[-3:])) == 1


def test_a_change_is_confirmed_and_fails(trained: Path, classes: Path) -> None:
    (trained / "amount").write_text("2000")
    done = buto(trained, "check", "-v", "--json", "result.json", CLASSES=str(classes))
    assert done.returncode == 1, done.stdout + done.stderr
    assert n_judged(trained) == 3


def test_a_stated_number_of_runs_is_kept_to(trained: Path, classes: Path) -> None:
    (trained / "amount").write_text("2000")
    done = buto(trained, "check", "--runs", "1", "--json", "result.json", CLASSES=str(classes))
    assert done.returncode == 3, done.stdout + done.stderr
    assert n_judged(trained) == 1


def test_settings_that_changed_since_training_are_reported(trained: Path, classes: Path) -> None:
    (trained / "amount").write_text("40")
    config = trained / "other.yaml"
    config.write_text(CONFIG.replace('"alpha": 0.05', '"alpha": 0.06'))
    done = buto(trained, "check", "--config", "other.yaml", CLASSES=str(classes))
    assert "judged with the settings of the training" in done.stderr
    assert "(alpha changed)" in done.stderr
    assert "--from-runs all" in done.stderr
