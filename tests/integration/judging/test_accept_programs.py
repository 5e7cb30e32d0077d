"""Accept never mixes runs of two programs: judged ones from before a change with launches after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.actions import collecting
from buto.measure.command_line import program_digest
from buto.oracle import load
from buto.run.model import MetadataValue, Run
from buto.run.store import RunStore
from tests.support.judging import without_turns
from tests.support.processes.command import called
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run

CHANGED = "the program's files have changed since the newest check"
COMMAND = ("--", "java", "Leaker")


class Project:
    """A directory in which a check has failed; launches give the runs that a test puts down."""

    def __init__(self, directory: Path, script: Script) -> None:
        self.directory, self.script = directory, script
        self.jar = directory / "app.jar"
        self.jar.write_bytes(b"as trained")
        self.launches(range(10), leak=1.0)
        called(directory, "train", "leaker", *COMMAND, exits=0)
        without_turns(directory / "oracles" / "leaker.json")
        self.jar.write_bytes(b"as checked")

    def check(self, *options: str, n_runs: int = 3, command: str = "java Leaker") -> None:
        self.launches(range(20, 20 + n_runs), leak=9.0, command=command)
        called(self.directory, "check", "leaker", *options, exits=1)

    def launches(self, numbers: range, leak: float, command: str = "java Leaker") -> None:
        """Put runs down that are of the jar as it is when they are launched."""

        def runs() -> Iterator[Run]:
            place: dict[str, MetadataValue] = {
                "system.property[user.dir]": str(self.directory),
                "jvm.class.path": "app.jar",
                "buto.command": command,
            }
            for number in numbers:
                yield leaking_run(number, leak=leak, **place, **{"process.program": program_digest(place)})

        self.script.events["java"] = self.script.events["leaker"] = runs()

    def learned(self) -> list[int]:
        """Return which of the stored runs the oracle has learned, counted from 0."""
        known = load(self.directory / "oracles" / "leaker.json").run_ids
        ids = RunStore(self.directory / ".buto").ids("leaker")
        return [ids.index(oracle) for oracle in known]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    return Project(tmp_path, script)


@pytest.mark.parametrize("n_runs", [3, 5])
def test_a_program_that_has_changed_since_is_launched_again(project: Project, n_runs: int) -> None:
    """Five runs would train an oracle, but not one of as many runs as there was."""
    project.check("--runs", str(n_runs), n_runs=n_runs)
    project.jar.write_bytes(b"as accepted")
    project.launches(range(30, 40), leak=3.0)
    done = called(project.directory, "accept", "leaker", exits=0)
    assert f"{CHANGED}: its {n_runs} runs are left out, and all are launched anew" in done.stderr
    assert project.learned() == list(range(10 + n_runs, 20 + n_runs))


def test_a_program_that_its_own_command_builds_is_launched_again(project: Project) -> None:
    """Nothing has changed before the first launch, but its runs are of another program."""
    project.check()
    project.launches(range(30, 50), leak=3.0)
    before, after = project.script.events["leaker"], b"as built by the launch"

    def building() -> Iterator[Run]:
        project.jar.write_bytes(after)
        yield from before

    project.script.events["java"] = project.script.events["leaker"] = building()
    done = called(project.directory, "accept", "leaker", exits=0)
    assert f"{CHANGED}: its 3 runs are left out" in done.stderr
    assert project.learned() == list(range(13, 23))


def test_judged_runs_that_are_enough_are_accepted_as_they_were(project: Project) -> None:
    project.check("--runs", "10", n_runs=10)
    project.jar.write_bytes(b"changed again")
    done = called(project.directory, "accept", "leaker", exits=0)
    assert f"{CHANGED}: what is accepted is the program as it was then" in done.stderr
    assert project.learned() == list(range(10, 20))


def test_a_training_of_a_program_that_has_changed_since_begins_anew(project: Project) -> None:
    first = RunStore(project.directory / ".buto").ids("leaker")[0]
    project.launches(range(30, 40), leak=3.0)
    done = called(project.directory, "train", "leaker", "--resume", first, *COMMAND, exits=0)
    assert "its 10 runs are left out, and all are launched anew" in done.stderr
    assert project.learned() == list(range(10, 20))


def test_accept_without_a_command_does_not_launch_another_one_than_was_judged(project: Project) -> None:
    project.check("--", "java", "Leaker", "9", command="java Leaker 9")
    before = (project.directory / "oracles" / "leaker.json").read_text()
    refused = called(project.directory, "accept", "leaker", exits=2)
    assert "judged another command than the one of its oracle: java Leaker 9" in refused.stderr
    assert "buto accept leaker -- java Leaker 9" in refused.stderr
    assert (project.directory / "oracles" / "leaker.json").read_text() == before
    reported = called(project.directory, "report", "leaker")
    assert "buto accept leaker -- java Leaker 9" in reported.stdout


@pytest.mark.parametrize("command", ["accept", "why"])
@pytest.mark.parametrize("configured", [False, True])
def test_what_follows_a_check_of_another_command_names_it(
    project: Project, command: str, configured: bool
) -> None:
    """A comparison of the old program with itself finds only noise; a configuration hides no command."""
    if configured:
        (project.directory / "buto.yaml").write_text("version: 1\ntests:\n  leaker: {command: java Leaker}\n")
    project.check("--", "java", "Leaker", "9", command="java Leaker 9")
    refused = called(project.directory, command, "leaker", exits=2)
    assert f"buto {command} leaker -- java Leaker 9" in refused.stderr


def test_the_command_that_was_judged_can_be_accepted_as_advised(project: Project) -> None:
    project.check("--runs", "10", "--", "java", "Leaker", "9", n_runs=10, command="java Leaker 9")
    called(project.directory, "accept", "leaker", "--", "java", "Leaker", "9", exits=0)
    assert project.learned() == list(range(10, 20))
