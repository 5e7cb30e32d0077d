"""Stored runs of several versions of a program: no oracle mixes them, and a selftest takes its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buto.oracle import load
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run, store

COMMAND = ("--", "java", "Leaker")
OLD, NEW, TRIED = ({"process.program": digits * 4} for digits in ("aaa", "bbb", "ccc"))


class Stored:
    """A store with ten runs of an old program, which trained an oracle, and ten of a new one."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.old = store(directory, *(leaking_run(number, **OLD) for number in range(10)))
        called(directory, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
        self.new = store(directory, *(leaking_run(number, leak=9.0, **NEW) for number in range(10, 20)))

    def learned(self, name: str = "leaker") -> list[str]:
        return sorted(load(self.directory / "oracles" / f"{name}.json").run_ids)


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    return Stored(tmp_path)


@pytest.mark.parametrize("action", ["train", "accept"])
@pytest.mark.parametrize("which", ["all", ".."])
def test_all_and_a_range_are_of_the_newest_program(stored: Stored, action: str, which: str) -> None:
    done = called(stored.directory, action, "leaker", "--from-runs", which, exits=0)
    assert stored.learned() == stored.new
    assert "10 of 20 stored runs are of other versions" in done.stderr


def test_runs_that_are_named_by_their_ids_all_count(stored: Stored) -> None:
    named = [*stored.old[:3], *stored.new[:3]]
    done = called(stored.directory, "train", "leaker", "--from-runs", ",".join(named), exits=0)
    assert stored.learned() == named
    assert "are of 2 versions" in done.stderr


def test_runs_that_do_not_know_their_program_count(stored: Stored) -> None:
    unknown = store(stored.directory, *(leaking_run(number, leak=9.0) for number in range(20, 22)))
    called(stored.directory, "train", "leaker", "--from-runs", "all", exits=0)
    assert stored.learned() == [*stored.new, *unknown]


def test_a_selftest_takes_the_runs_of_the_program_of_its_oracle(stored: Stored) -> None:
    """Ten others, which keep nine times as much, would be told as false alarms."""
    done = called(stored.directory, "selftest", "leaker")
    assert "leaker: 10 runs of the unchanged program" in done.stdout
    assert "10 runs of other versions of the program left out" in done.stderr


def test_a_selftest_does_not_advise_launches_of_another_program(tmp_path: Path) -> None:
    jar = tmp_path / "app.jar"
    jar.write_bytes(b"as it is now")
    place = {"system.property[user.dir]": str(tmp_path), "jvm.class.path": "app.jar", **OLD}
    store(tmp_path, *(leaking_run(number, **place) for number in range(6)))
    called(tmp_path, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
    done = called(tmp_path, "selftest", "leaker")
    assert "buto train leaker" in done.stderr
    assert "buto record" not in done.stderr


def test_current_settings_are_trained_with_the_runs_of_the_oracle(stored: Stored) -> None:
    """Those of a program that was only tried are newer."""
    tried = store(stored.directory, leaking_run(20, purpose="record", **TRIED))
    config = "version: 1\ntests: {leaker: {command: [java, Leaker], judge: {minimum-effect: 7%}}}\n"
    (stored.directory / "buto.yaml").write_text(config)
    done = called(stored.directory, "check", "leaker", "--from-runs", tried[0])
    which = f"{stored.old[0]}..{stored.old[-1]}"
    assert f"to use those: buto train leaker --from-runs {which}" in done.stderr
    called(stored.directory, "train", "leaker", "--from-runs", which, exits=0)
    assert stored.learned() == stored.old


def test_the_runs_of_an_oracle_are_named_one_by_one_where_others_are_among_them(stored: Stored) -> None:
    named = ",".join(stored.old[::2])
    called(stored.directory, "train", "leaker", "--from-runs", named, exits=0)
    config = "version: 1\ntests: {leaker: {command: [java, Leaker], judge: {minimum-effect: 7%}}}\n"
    (stored.directory / "buto.yaml").write_text(config)
    done = called(stored.directory, "check", "leaker", "--from-runs", stored.new[0])
    assert f"buto train leaker --from-runs {named}" in done.stderr


def test_training_runs_are_not_judged_beside_new_ones(stored: Stored) -> None:
    """Beside ten that it has learned, a run that keeps more might pass."""
    checked = store(stored.directory, leaking_run(30, leak=9.0, **OLD))
    which = ",".join([*stored.old, *checked])
    done = called(stored.directory, "check", "leaker", "--from-runs", which, "--json", "result.json")
    assert "10 of 11 named runs trained the oracle" in done.stderr
    (result,) = json.loads((stored.directory / "result.json").read_text())["tests"]
    assert [run["id"] for run in result["runs"]] == checked


def test_a_check_of_training_runs_alone_says_that_it_tells_nothing(stored: Stored) -> None:
    done = called(stored.directory, "check", "leaker", "--from-runs", f"..{stored.old[-1]}", exits=0)
    assert "the 10 runs trained the oracle" in done.stderr
