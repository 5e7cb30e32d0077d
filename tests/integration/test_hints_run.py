"""Every command that buto advises is typed as it was printed, and does what it was advised for."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from buto.actions import collecting
from buto.actions.turns import OLD
from buto.oracle import load
from buto.run.model import Outcome
from buto.run.store import RunStore
from tests.support.judging import without_turns
from tests.support.processes.command import called
from tests.support.runs.qualities import starved
from tests.support.runs.scripted import WRONG_EXIT, Script
from tests.support.runs.stored import leaking_run

PLACES = {
    "usual": [],
    "elsewhere": ["--store", "my runs", "--oracle", "my oracles/leaker one.json", "--config", "my.yaml"],
}
CONFIG = "version: 1\ntests:\n  leaker: {command: [java, Leaker], judge: {alpha: 0.02}}\n"
TURNS = 20
"""More than a check takes."""

HINT = re.compile(r"(buto (?:runs )?[a-z]+ leaker.*?)(?:; |  # |$)", re.MULTILINE)


class Project:
    """A directory in which buto launches nothing, and finds the runs that a test puts down."""

    def __init__(self, directory: Path, options: list[str], script: Script) -> None:
        self.directory, self.options, self.script = directory, options, script
        (directory / "my.yaml").write_text(CONFIG.replace("0.02", "0.01"))

    def launches(self, first: int, n_runs: int, leak: float = 1.0) -> None:
        """Put down ``n_runs`` runs, and turns of the old program and the new one that may follow."""
        runs = [leaking_run(number, leak=leak) for number in range(first, first + n_runs)]
        turns = [leaking_run(number, leak=leak) for number in range(100, 100 + TURNS)]
        self.script.events["java"] = self.script.events["leaker"] = iter([*runs, *turns])
        self.script.events["leaker" + OLD] = map(leaking_run, range(200, 200 + TURNS))

    def typed(self, *words: str, after: tuple[str, ...] = ()) -> CompletedProcess[str]:
        return called(self.directory, *words, *self.options, *after)

    def trained(self) -> None:
        self.launches(0, 10)
        done = self.typed("train", "leaker", after=("--", "java", "Leaker"))
        assert done.returncode == 0, done.stderr
        # The store and the oracle are no part of the program, wherever they are.
        assert "not kept" not in done.stderr

    def ids(self) -> list[str]:
        """Return the ids of the stored runs, in the order of their start."""
        return RunStore(self.directory / (self.options[1] if self.options else ".buto")).ids("leaker")

    @property
    def oracle(self) -> Path:
        named = self.options[3] if self.options else "oracles/leaker.json"
        return self.directory / named

    def follow(self, done: CompletedProcess[str], action: str) -> CompletedProcess[str]:
        """Type the one command of this action that was advised."""
        found = [
            hint for hint in HINT.findall(done.stdout + done.stderr) if hint.startswith(f"buto {action} ")
        ]
        assert len(found) == 1, (action, done.stdout, done.stderr)
        return called(self.directory, *shlex.split(found[0])[1:])


@pytest.fixture(params=PLACES.values(), ids=PLACES)
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    return Project(tmp_path, request.param, script)


@pytest.fixture
def failed(project: Project) -> CompletedProcess[str]:
    """What a check prints that is a regression."""
    project.trained()
    project.launches(20, 3, leak=9.0)
    done = project.typed("check", "leaker", "-v")
    assert done.returncode == 1, done.stderr
    return done


def test_a_regression_is_shown_and_drawn(project: Project, failed: CompletedProcess[str]) -> None:
    shown = project.follow(failed, "runs show")
    assert (shown.returncode, project.ids()[10] in shown.stdout) == (0, True)
    assert project.follow(failed, "plot").returncode == 0


OFFERED = re.compile(r"next: buto why leaker.*  # which code did it")


def test_the_cause_is_offered_where_the_old_program_is_kept(failed: CompletedProcess[str]) -> None:
    assert OFFERED.search(failed.stdout)


def test_without_a_kept_program_the_cause_is_offered_where_a_profile_is_stored(project: Project) -> None:
    project.trained()
    without_turns(project.oracle)
    project.launches(20, 3, leak=9.0)
    before = project.typed("check", "leaker")
    assert before.returncode == 1, before.stderr
    assert "buto why" not in before.stdout
    place = project.directory / (project.options[1] if project.options else ".buto") / "profiles" / "leaker"
    place.mkdir(parents=True)
    (place / f"{project.ids()[0]}.stacks.gz").touch()
    project.launches(30, 3, leak=9.0)
    assert OFFERED.search(project.typed("check", "leaker", "-v").stdout)


def test_a_regression_is_accepted(project: Project, failed: CompletedProcess[str]) -> None:
    project.launches(30, 7, leak=9.0)
    assert project.follow(failed, "accept").returncode == 0
    project.launches(40, 1, leak=9.0)
    assert project.typed("check", "leaker").returncode == 0


def test_stored_runs_that_did_not_pass_are_accepted(project: Project) -> None:
    project.trained()
    project.launches(20, 5, leak=9.0)
    places = [*project.options[:2], *project.options[4:]]
    called(project.directory, "record", "leaker", "--runs", "5", *places, "--", "java", "Leaker", exits=0)
    which = f"{project.ids()[10]}.."
    judged = project.typed("check", "leaker", "--from-runs", which)
    assert judged.returncode == 1
    assert project.follow(judged, "accept").returncode == 0
    assert load(project.oracle).run_ids == tuple(project.ids()[10:])


def test_what_was_only_looked_at_is_accepted(project: Project, failed: CompletedProcess[str]) -> None:
    project.launches(30, 7, leak=9.0)
    before = project.oracle.read_bytes()
    looked = project.typed("accept", "leaker", "--dry-run")
    assert (looked.returncode, project.oracle.read_bytes()) == (0, before)
    assert project.follow(looked, "accept").returncode == 0
    assert load(project.oracle).run_ids == tuple(project.ids()[10:])


def test_what_has_no_oracle_is_trained(project: Project) -> None:
    missing = project.typed("check", "leaker")
    assert missing.returncode == 4
    project.launches(0, 10)
    assert project.follow(missing, "train").returncode == 0
    assert len(load(project.oracle).run_ids) == 10


def test_an_isolated_run_is_left_out(project: Project) -> None:
    odd = leaking_run(9, leak=40.0)
    runs = [*map(leaking_run, range(9)), odd]
    project.script.events["java"] = project.script.events["leaker"] = iter(runs)
    warned = project.typed("train", "leaker", after=("--", "java", "Leaker"))
    assert f"run {project.ids()[9]} is unlike the others" in warned.stderr
    assert project.follow(warned, "runs show").returncode == 0
    assert project.follow(warned, "runs delete").returncode == 0
    again = project.follow(warned, "train")
    assert (again.returncode, "unlike the others" in again.stderr) == (0, False)
    assert len(load(project.oracle).run_ids) == 9


def test_another_exit_code_is_expected(project: Project) -> None:
    project.script.events["java"] = project.script.events["leaker"] = iter([WRONG_EXIT])
    command = ("--", "java", "Leaker")
    wrong = project.typed("train", "leaker", after=command)
    (option,) = re.findall(r"if this program should end so: (--expect-exit \d+)", wrong.stderr)
    good = [replace(leaking_run(number), outcome=Outcome(3, duration_s=3.0)) for number in range(10)]
    project.script.events["java"] = project.script.events["leaker"] = iter(good)
    assert project.typed("train", "leaker", *option.split(), after=command).returncode == 0


def test_too_few_runs_become_enough(project: Project) -> None:
    few = project.typed("train", "leaker", "--runs", "2", after=("--", "java", "Leaker"))
    (option,) = re.findall(r"10 runs are a good number: (--runs \d+)", few.stderr)
    project.launches(0, 10)
    assert project.typed("train", "leaker", *option.split(), after=("--", "java", "Leaker")).returncode == 0


def test_where_no_run_is_meant_the_stored_ones_are_listed(project: Project) -> None:
    project.trained()
    nothing = project.typed("check", "leaker", "--from-runs", "20990101..")
    (words,) = re.findall(r"try:  (buto runs list.*?);", nothing.stderr)
    listed = called(project.directory, *shlex.split(words)[1:])
    assert (listed.returncode, "leaker" in listed.stdout) == (0, True)


def test_disturbed_runs_have_the_machine_examined_or_sampled_less_often(project: Project) -> None:
    runs = [leaking_run(number, quality=starved()) for number in range(6)]
    project.script.events["java"] = project.script.events["leaker"] = iter(runs)
    done = project.typed("train", "leaker", "--runs", "5", after=("--", "java", "Leaker"))
    advice = "buto doctor (what else loads this machine), or sample less often: --interval 1s"
    assert (done.returncode, f"try:  {advice}" in done.stderr) == (3, True)
