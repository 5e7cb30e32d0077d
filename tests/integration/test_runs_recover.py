"""``buto runs recover``: what a killed buto left is listed, recovered, and taken for no good run."""

from __future__ import annotations

import json
from pathlib import Path

from buto.errors import EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS
from buto.run.journal import place_of
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.runs.stored import cut_off, going_on, leaking_run, store


def test_what_was_cut_off_is_listed_and_recovered(tmp_path: Path) -> None:
    run_id = cut_off(tmp_path)
    listed = called(tmp_path, "runs", "list")
    assert (listed.returncode, listed.stdout) == (EXIT_PASS, "")
    assert listed.stderr == f"1 recording interrupted: 'leaker' {run_id}; to keep it: buto runs recover\n"
    done = called(tmp_path, "runs", "recover")
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    assert done.stdout == f"recovered 'leaker' {run_id}: 30 samples, 3 s; not usable\n"
    listed = called(tmp_path, "runs", "list")
    assert listed.stderr == ""
    (line,) = listed.stdout.splitlines()[1:]
    assert "  train  " in line
    assert "harness lost  invalid: buto was lost while it recorded" in line
    shown = called(tmp_path, "runs", "show", "leaker")
    assert "was still running when buto was lost; ran for 3 s" in shown.stdout
    again = called(tmp_path, "runs", "recover")
    assert (again.returncode, again.stdout) == (EXIT_PASS, "")
    assert "nothing to recover in .buto" in again.stderr


def test_a_recovered_run_neither_trains_nor_passes(tmp_path: Path) -> None:
    store(tmp_path, *(leaking_run(number) for number in range(5)))
    called(tmp_path, "train", "leaker", "--from-runs", "all", "--", "java", "Main", exits=EXIT_PASS)
    run_id = cut_off(tmp_path)
    called(tmp_path, "runs", "recover")
    judged = called(tmp_path, "check", "leaker", "--from-runs", run_id, exits=EXIT_NOT_JUDGED)
    assert "is not usable: buto was lost while it recorded" in judged.stderr
    again = called(tmp_path, "train", "leaker", "--from-runs", "all", "--", "java", "Main")
    assert "5 runs" in again.stdout
    assert run_id not in (tmp_path / "oracles" / "leaker.json").read_text()


def test_only_some_tests_are_recovered_if_that_is_asked_for(tmp_path: Path) -> None:
    cut_off(tmp_path), cut_off(tmp_path, "shop/cart")
    done = called(tmp_path, "runs", "recover", "shop/cart")
    assert "'shop/cart'" in done.stdout
    assert RunStore(tmp_path / ".buto").tests() == ["shop/cart"]
    assert "'leaker'" in called(tmp_path, "runs", "list").stderr


def test_a_damaged_journal_is_named_and_keeps_no_other_from_being_recovered(tmp_path: Path) -> None:
    damaged, whole = cut_off(tmp_path), cut_off(tmp_path, "zebra")
    place = place_of(RunStore(tmp_path / ".buto"), "leaker", damaged)
    place.write_bytes(b"nothing of ours")
    done = called(tmp_path, "runs", "recover", exits=EXIT_BAD_FILE)
    assert f"{damaged}.journal cannot be read: it is not a journal" in done.stderr
    assert f"recovered 'zebra' {whole}" in done.stdout
    assert place.exists()


def test_the_list_for_machines_has_runs_only(tmp_path: Path) -> None:
    cut_off(tmp_path)
    done = called(tmp_path, "runs", "list", "--json", "-")
    assert json.loads(done.stdout)["runs"] == []
    assert "1 recording interrupted" in done.stderr


def test_a_recording_that_goes_on_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    [stored] = store(tmp_path, leaking_run(0))
    with going_on(tmp_path) as run_id:
        shown = called(tmp_path, "runs", "show", "leaker")
        assert (shown.returncode, shown.stderr) == (EXIT_PASS, "")
        title, state, length, newest = shown.stdout.splitlines()
        assert title == f"leaker {run_id}"
        assert state.startswith("still being recorded by another buto")
        assert length == "so far:        3 s, 30 samples"
        assert newest.startswith("newest:        heap ") and newest.endswith(" 1 B")
        assert called(tmp_path, "runs", "show", "leaker", run_id).stdout == shown.stdout
        assert stored in called(tmp_path, "runs", "show", "leaker", stored).stdout
    assert stored in called(tmp_path, "runs", "show", "leaker").stdout
