"""What training says of its oracle's strength, and buto selftest, on stored runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run, store

CONFIG = """\
version: 1
tests:
  leaker: {command: [java, Main], judge: {alpha: 0.05}}
  other: {command: [java, Main], judge: {method: thesis}}
"""


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("training")
    (directory / "buto.yaml").write_text(CONFIG)
    ids = store(directory, *(leaking_run(number) for number in range(14)))
    called(directory, "train", "leaker", "--from-runs", f"..{ids[7]}", exits=0)
    return directory


@pytest.fixture
def trained(training: Path, tmp_path: Path) -> Path:
    """Fourteen stored runs, of which the first eight have trained an oracle."""
    return Path(shutil.copytree(training, tmp_path, dirs_exist_ok=True))


def test_training_says_what_its_oracle_would_notice(trained: Path) -> None:
    done = called(trained, "train", "leaker", "--from-runs", "all", "--json", "result.json")
    assert "TRAINED  leaker: 14 runs" in done.stdout
    _, line, *more = done.stdout.splitlines()
    assert line.startswith("  a check detects 9 of 10 lasting changes of this size: live heap ±")
    assert ", threads ±" in line
    assert not any("jvm.memory.heap.used" in other for other in more)
    everything = called(trained, "train", "leaker", "--from-runs", "all", "-v").stdout
    assert "that a check detects 90 % of the time" in everything
    assert "jvm.memory.heap.used  ±" in everything
    assert "of this size: " not in everything
    result = json.loads((trained / "result.json").read_text())
    jsonschema.validate(result, schemas.load("result"))
    by_name = {strength["quantity"]: strength for strength in result["tests"][0]["strengths"]}
    heap = {"jvm.memory.heap.used", "jvm.memory.heap.live"}
    assert set(by_name) == {*heap, "jvm.thread.count", "jvm.class.loaded", "run.duration"}
    assert 8e6 < by_name["jvm.memory.heap.used"]["level"] < 12e6
    assert "run.duration" in called(trained, "-v", "train", "leaker", "--from-runs", "all").stdout
    assert "notice" not in called(trained, "-q", "train", "leaker", "--from-runs", "all").stdout


def test_training_by_bounds_says_nothing_of_strength(trained: Path) -> None:
    store(trained, *(leaking_run(number, test="other") for number in range(5)))
    done = called(trained, "train", "other", "--from-runs", "all", "--json", "result.json")
    assert "notice" not in done.stdout
    assert "strengths" not in json.loads((trained / "result.json").read_text())["tests"][0]


def test_a_training_run_that_is_unlike_the_others_is_named(trained: Path) -> None:
    (odd,) = store(trained, leaking_run(20, leak=40.0))
    done = called(trained, "train", "leaker", "--from-runs", "all")
    assert f"run {odd} is unlike the others" in done.stderr
    assert f"buto runs delete leaker {odd}" in done.stderr
    called(trained, "runs", "delete", "leaker", odd, "--with-training", exits=0)
    assert "is unlike the others" not in called(trained, "train", "leaker", "--from-runs", "all").stderr


def test_unchanged_runs_seldom_fail(trained: Path) -> None:
    done = called(trained, "selftest", "leaker", exits=0)
    assert done.stdout.startswith(
        "leaker: 14 runs of the unchanged program, each 29 times judged by 8 others"
    )
    assert "alpha is 5 %" in done.stdout
    assert "in the order of time, training runs in a row and later ones checked:" in done.stdout
    assert "to distinguish 5 % from 10 % takes about 144" in done.stdout
    assert "more often than alpha" not in done.stderr


def test_runs_of_checks_and_of_other_environments_are_not_unchanged_runs(trained: Path) -> None:
    store(trained, leaking_run(30, purpose="check"), leaking_run(31, **{"jvm.spec.version": "25"}))
    done = called(trained, "selftest", "leaker")
    assert "leaker: 14 runs" in done.stdout
    assert "1 run of other environments left out" in done.stderr


def test_fewer_stored_runs_than_trained_are_reported(trained: Path) -> None:
    called(trained, "train", "leaker", "--from-runs", "all")
    done = called(trained, "selftest", "leaker")
    assert "11 of them train, where 14 trained the oracle" in done.stderr
    assert "judged by 11 others" in done.stdout


def test_too_few_runs_cannot_be_measured(trained: Path) -> None:
    runs = RunStore(trained / ".buto")
    runs.delete("leaker", runs.ids("leaker")[7:])
    done = called(trained, "selftest", "leaker")
    assert (done.returncode, done.stdout) == (3, "")
    assert "at least 8 are needed" in done.stderr
    assert "buto record leaker --runs" in done.stderr
    called(trained, "selftest", "leaker", "--training", "20", exits=3)


def test_the_thesis_promises_no_rate(trained: Path) -> None:
    store(trained, *(leaking_run(number, test="other") for number in range(9)))
    called(trained, "train", "other", "--from-runs", "all")
    done = called(trained, "selftest", "other", exits=3)
    assert "method: thesis" in done.stderr


def test_auto_goes_with_calibrated_oracles_only(trained: Path) -> None:
    done = called(trained, "train", "other", "--runs", "auto", exits=2)
    assert "runs: auto needs method: calibrated, got thesis" in done.stderr
    called(trained, "train", "leaker", "--runs", "atuo", exits=2)


@pytest.mark.parametrize(
    "words", [["--checks", "3"], ["--live", "--from-runs", "all"], ["--live", "--training", "5"]]
)
def test_words_that_do_not_go_together_are_refused(trained: Path, words: list[str]) -> None:
    done = called(trained, "selftest", "leaker", *words, exits=2)
    assert "--live" in done.stderr
