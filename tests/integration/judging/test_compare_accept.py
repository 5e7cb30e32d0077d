"""Compare two programs and accept a change from stored runs: messages, files, exit codes."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.oracle import load
from buto.run.entries import ResultStore
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run, store

COMMAND = ("--", "java", "-cp", "app.jar", "Main")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six runs each, in turns, of a program, of the same once more, and of one that leaks more."""
    directory = tmp_path_factory.mktemp("project")
    for number, (test, leak) in enumerate([("old", 1.0), ("same", 1.0), ("new", 3.0)] * 6):
        store(directory, leaking_run(number, test=test, leak=leak, purpose="compare"))
    return directory


def test_equal_programs_pass(both: Path) -> None:
    done = called(both, "compare", "old", "--against", "same", "--from-runs", "all")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PASS  same against old: the 6 runs did what the 6 runs of old did, p = ")


def test_what_the_second_uses_more_of_is_named(both: Path) -> None:
    """The result says so for programs, too; neither an oracle nor a history is written."""
    done = called(both, "compare", "old", "--against", "new", "--from-runs", "all", "--json", "result.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("REGRESSION  new against old: keeps ")
    assert "because: p = 0.00216 (alpha 0.01)\n" in done.stdout
    (found,) = [line for line in done.stdout.splitlines() if line.startswith("  live heap  ")]
    assert re.search(r"  \+[\d.]+ MiB .*, worse: kept at the exit .* \(accounts for 1 other\)", found)
    assert "training" not in done.stdout
    result = json.loads((both / "result.json").read_text())
    jsonschema.validate(result, schemas.load("result"))
    (test,) = result["tests"]
    assert "2 of 924 ways" in test["verdict"]["guarantee"]
    assert (result["command"], test["test"], test["status"]) == ("compare", "new against old", "regression")
    assert len(test["runs"]) == 12
    assert sorted(path.name for path in both.iterdir()) == [".buto", "result.json"]
    assert sorted(path.name for path in (both / ".buto").iterdir() if path.is_dir()) == ["runs"]


def test_the_next_step_judges_the_same_runs_again(both: Path) -> None:
    done = called(both, "compare", "old", "--against", "new", "--from-runs", "all", "--alpha", "0.02")
    (line,) = [line for line in done.stdout.splitlines() if "next: buto compare " in line]
    typed = shlex.split(line.partition("next: buto ")[2].partition("  # ")[0])
    assert typed[:4] == ["compare", "old", "--against", "new"]
    again = called(both, *typed)
    assert (again.returncode, again.stdout.splitlines()[0]) == (1, done.stdout.splitlines()[0])
    (both / "report.html").unlink()


def test_alpha_and_the_judgement_of_the_first_test_are_the_configuration_s(both: Path) -> None:
    judge = "{minimum-effect: {'jvm.memory.heap.*': 1GiB}}"
    config = both / "lax.yaml"
    config.write_text(f"version: 1\ntests: {{old: {{command: java Old, judge: {judge}}}}}")
    words = ("compare", "old", "--against", "new", "--from-runs", "all", "--config", "lax.yaml")
    called(both, *words, exits=0)
    config.unlink()
    finer = called(both, *words[:-2], "--alpha", "0.001", exits=3)
    assert "6 runs of old and 6 of new are too few at alpha 0.001: 7 of each are needed" in finer.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("old", *COMMAND), "a comparison needs a second program"),
        (("old", "--against", "old"), "both programs are called 'old'"),
        (("old", "--against", "new", "--revisions", "a", "b"), "exclude each other"),
        (("old", "--against", "new", "--build", "make"), "--build needs --revisions"),
        (("old", "--against", "new", "--runs", "4"), "4 runs of each are too few for an alpha of 0.01"),
        (("old", "--against", "new", "--alpha", "3"), "alpha"),
        (("old", "--against", "new", "--from-runs", "x,y"), "no ids in common"),
        (("old", "--against", "nobody", "--from-runs", "all"), "no usable runs of 'nobody'"),
        (("unknown", "--against", "new"), "no command is known for 'unknown'"),
        (("old", *COMMAND, "--against", "new", "--"), "there is no command after --"),
    ],
)
def test_what_cannot_be_compared_is_refused(both: Path, words: tuple[str, ...], message: str) -> None:
    done = called(both, "compare", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_too_few_stored_runs_are_not_compared(both: Path) -> None:
    ids = RunStore(both / ".buto").ids("old")
    done = called(both, "compare", "old", "--against", "new", "--from-runs", f"..{ids[3]}")
    assert (done.returncode, done.stdout) == (3, "")
    assert "4 and 3 usable runs" in done.stderr


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("training")
    store(directory, *(leaking_run(number) for number in range(10)))
    (directory / "buto.yaml").write_text("version: 1\ntests: {leaker: {command: java Leaker}}")
    called(directory, "train", "leaker", "--from-runs", "all", exits=0)
    store(directory, *(leaking_run(number, leak=3.0, purpose="record") for number in range(20, 30)))
    return directory


@pytest.fixture
def trained(training: Path, tmp_path: Path) -> Path:
    """An oracle from runs 0 to 9, and runs 20 to 29 of a program that leaks more."""
    return Path(shutil.copytree(training, tmp_path, dirs_exist_ok=True))


def new_runs() -> str:
    return f"{leaking_run(20).id}.."


def test_accepting_shows_what_changes_and_writes_the_oracle(trained: Path) -> None:
    done = called(trained, "accept", "leaker", "--from-runs", new_runs(), exits=0)
    lines = done.stdout.splitlines()
    leaks_more = r"leaker: failed for live heap \+\d.* MiB \(kept at the exit .* MiB\): expected now"
    assert re.fullmatch(leaks_more, lines[0])
    assert lines[1] == "leaker: 2 of 5 numbers changed by more than runs vary"
    assert lines[2].startswith("  live heap  at the exit 10.9 → 16.7 MiB  +5.8")
    assert lines[3].startswith("  used heap  peak 10.9 → 16.7 MiB  +5.8")
    assert lines[2].endswith(", worse") and lines[3].endswith(", worse")
    assert (
        "wrote oracles/leaker.json; next: git diff oracles/leaker.json; "
        "git add oracles/leaker.json 'oracles/leaker.*.numbers'" in done.stderr
    )
    assert load(trained / "oracles" / "leaker.json").run_ids[0] == leaking_run(20).id
    called(trained, "check", "leaker", "--from-runs", leaking_run(25).id, exits=0)
    assert len(ResultStore(trained / ".buto").all("leaker")) == 3


def test_what_was_only_looked_at_is_not_written(trained: Path) -> None:
    oracle = trained / "oracles" / "leaker.json"
    before = oracle.read_bytes()
    done = called(trained, "accept", "leaker", "--dry-run", "--from-runs", new_runs(), exits=0)
    assert "used heap" in done.stdout
    assert oracle.read_bytes() == before
    typed = shlex.split(done.stderr.partition("to accept it: buto ")[2])
    assert called(trained, *typed).stdout == done.stdout
    assert oracle.read_bytes() != before


def test_runs_from_before_the_change_among_those_behind_it_are_reported(trained: Path) -> None:
    done = called(trained, "accept", "leaker", "--dry-run", "--from-runs", "all")
    assert "10 of these runs also trained the old oracle" in done.stderr
    assert f"--from-runs {leaking_run(20).id}.." in done.stderr


def test_accepting_what_is_known_already_fails(trained: Path) -> None:
    known = f"..{leaking_run(9).id}"
    done = called(trained, "accept", "leaker", "--from-runs", known)
    assert (done.returncode, done.stdout) == (3, "")
    assert "there is nothing to accept: the oracle has learned from these 10 runs already" in done.stderr
    assert "try:  launch the program as it is now: buto accept leaker" in done.stderr


def test_a_test_that_is_not_configured_is_judged_as_before(trained: Path) -> None:
    (trained / "buto.yaml").unlink()
    done = called(trained, "accept", "leaker", "--from-runs", new_runs(), "--", "java", "Other")
    assert "  program: command: java Leaker → java Other" in done.stdout
    assert "judged:" not in done.stdout
    assert load(trained / "oracles" / "leaker.json").settings.method == "calibrated"


def test_another_judgement_and_environment_are_part_of_the_difference(trained: Path) -> None:
    (trained / "buto.yaml").write_text(
        "version: 1\ntests: {leaker: {command: java Leaker, judge: {method: thesis}}}"
    )
    store(trained, *(leaking_run(number, **{"jvm.spec.version": "25"}) for number in range(40, 45)))
    done = called(trained, "accept", "leaker", "--from-runs", f"{leaking_run(40).id}..")
    assert "  judged: method: calibrated → thesis" in done.stdout
    assert "  training runs: number: 10 → 5" in done.stdout
    assert "  environment: jvm.spec.version: 17 → 25" in done.stdout


def test_without_an_oracle_there_is_nothing_to_accept(tmp_path: Path) -> None:
    done = called(tmp_path, "accept", "leaker", exits=4)
    assert "buto train leaker" in done.stderr


def test_too_few_runs_change_nothing(trained: Path) -> None:
    before = (trained / "oracles" / "leaker.json").read_bytes()
    done = called(trained, "accept", "leaker", "--from-runs", f"{leaking_run(27).id}..")
    assert (done.returncode, done.stdout) == (3, "")
    assert "at least 5 runs" in done.stderr
    assert (trained / "oracles" / "leaker.json").read_bytes() == before


def test_a_regression_says_how_it_is_accepted(trained: Path) -> None:
    done = called(
        trained, "check", "leaker", "--from-runs", f"{leaking_run(20).id}..{leaking_run(22).id}", exits=1
    )
    assert "next: buto accept leaker  # if the change is meant" in done.stdout


def test_accept_without_a_name_lists_what_failed_and_accepts_nothing(trained: Path) -> None:
    before = (trained / "oracles" / "leaker.json").read_bytes()
    nothing = called(trained / "oracles", "accept", exits=2)
    assert "there is no oracle yet" in nothing.stderr
    done = called(trained, "accept", exits=2)
    assert "none failed its newest check" in done.stderr
    runs = f"{leaking_run(20).id}..{leaking_run(22).id}"
    called(trained, "check", "leaker", "--from-runs", runs, exits=1)
    done = called(trained, "accept", exits=2)
    assert "leaker failed its newest check for live heap" in done.stderr
    assert "buto accept leaker" in done.stderr.splitlines()[-1]
    assert (trained / "oracles" / "leaker.json").read_bytes() == before
