"""``buto runs``: what is in the store can be listed, shown, exported and deleted."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from buto.errors import EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS, EXIT_USAGE
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.processes.command import called
from tests.support.report import golden
from tests.support.runs.qualities import starved
from tests.support.runs.stored import NAMES, leaking_run, store

STARVED = starved("12 % of the samples are missing", missed_share=0.12)
TRAIN = ("train", "leaker", "--from-runs", "all", "--", "java", "Main")


@pytest.fixture
def ids(tmp_path: Path) -> list[str]:
    """Of four runs of leaker, the third of them starved, and one of shop/cart."""
    runs = [
        leaking_run(number, quality=STARVED) if number == 2 else leaking_run(number) for number in range(4)
    ]
    return store(tmp_path, *runs, leaking_run(4, test="shop/cart"))


def recorded(directory: Path, *numbers: int, purpose: str = "record", test: str = "leaker") -> list[str]:
    return store(directory, *(leaking_run(number, test=test, purpose=purpose) for number in numbers))


def left(directory: Path, test: str = "leaker") -> list[str]:
    return RunStore(directory / ".buto").ids(test)


def deleted(directory: Path, *options: str) -> str:
    done = called(directory, "runs", "delete", "leaker", *options, exits=EXIT_PASS)
    return done.stdout + done.stderr


def test_the_list_has_a_line_for_each_run(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "list")
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    header, *lines = done.stdout.splitlines()
    assert header.split() == ["TEST", "RUN", "FOR", "AGE", "DURATION", "SAMPLES", "SIZE", "OUTCOME", "STATE"]
    tests = [*["leaker"] * 4, "shop/cart"]
    assert [line.split()[:2] for line in lines] == [list(pair) for pair in zip(tests, ids, strict=True)]
    assert " 3 s " in lines[0] and " 30 " in lines[0]
    assert lines[0].endswith("exit 0   valid")
    assert lines[2].endswith("exit 0   invalid: 12 % of the samples are missing")
    some = called(tmp_path, "runs", "list", "shop/cart")
    assert [line.split()[1] for line in some.stdout.splitlines()[1:]] == ids[4:]
    (tmp_path / ".buto").rename(tmp_path / "elsewhere")
    assert called(tmp_path, "runs", "list", "--store", "elsewhere").stdout == done.stdout


def test_the_list_for_machines_is_as_in_the_golden_file(tmp_path: Path, ids: list[str]) -> None:
    (tmp_path / ".buto" / "runs" / "leaker" / ids[1] / "run.json").write_text("[]")
    text = called(tmp_path, "runs", "list", "--json", "-").stdout
    # What Parquet takes depends on the version of its writer.
    golden.same("runs-list.json", re.sub(r'"bytes": [1-9]\d*', '"bytes": 12345', text))
    done = called(tmp_path, "runs", "list", "leaker", "--json", "list.json")
    assert (done.returncode, done.stdout) == (EXIT_PASS, "")
    assert [run["id"] for run in json.loads((tmp_path / "list.json").read_text())["runs"]] == ids[:4]


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path) -> None:
    done = called(tmp_path, "runs", "list")
    assert (done.returncode, done.stdout) == (EXIT_PASS, "")
    assert "buto record" in done.stderr
    assert called(tmp_path, "runs", "list", "-q").stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_run_is_listed_as_such_and_can_be_deleted(tmp_path: Path, ids: list[str]) -> None:
    (tmp_path / ".buto" / "runs" / "leaker" / ids[1] / "run.json").write_text("{")
    lines = called(tmp_path, "runs", "list", "leaker").stdout.splitlines()
    assert "damaged" in lines[2] and "run.json" in lines[2]
    shown = called(tmp_path, "runs", "show", "leaker", ids[1], exits=EXIT_BAD_FILE)
    assert f"buto runs delete leaker {ids[1]}" in shown.stderr
    deleted(tmp_path, ids[1])
    assert ids[1] not in left(tmp_path)


def test_show_says_everything_of_one_run(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "show", "leaker", ids[2])
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    for part in (ids[2], "exited with code 0; ran for 3 s", "invalid: 12 % of the samples are missing"):
        assert part in done.stdout
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert set(NAMES) <= set(lines)
    assert "10 threads" in lines["jvm.thread.count"]
    heap = lines["jvm.memory.heap.used"]
    assert heap.split()[2] == "MiB"
    assert heap.index("▁") < heap.index("█")
    assert lines["jvm.spec.version"].split() == ["jvm.spec.version", "17"]
    assert ids[3] in called(tmp_path, "runs", "show", "leaker").stdout, "the newest by itself"


def test_show_cannot_be_used_to_move_the_cursor(tmp_path: Path) -> None:
    store(tmp_path, leaking_run(0, text="\x1b[2J\x07\ncleared"), leaking_run(1, test="x\x1b[2Jy"))
    for done in (called(tmp_path, "runs", "show", "leaker", "--whole"), called(tmp_path, "runs", "list")):
        assert "\x1b" not in done.stdout and "\x07" not in done.stdout
        assert "\\x1b[2J" in done.stdout


def test_an_exported_file_is_what_the_store_has(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "export", "leaker", ids[0], ids[1])
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    header, *rows = csv.reader(done.stdout.splitlines())
    assert header == ["run", "time_s", *NAMES]
    assert [row[0] for row in rows] == [ids[0]] * 30 + [ids[1]] * 30
    assert {row[3] for row in rows} == {"10"}
    long = called(tmp_path, "runs", "export", "leaker", "--layout", "long")
    assert len(long.stdout.splitlines()) == 1 + 4 * 30 * len(NAMES)

    done = called(tmp_path, "runs", "export", "leaker", "--format", "parquet", "-o", "leaker.parquet")
    assert (done.returncode, done.stdout) == (EXIT_PASS, "")
    assert "wrote 4 runs to leaker.parquet" in done.stderr
    runs = RunStore(tmp_path / ".buto").load_set("leaker")
    expected = [value for run in runs for value in run.series("jvm.memory.heap.used")]
    assert pq.read_table(tmp_path / "leaker.parquet")["jvm.memory.heap.used"].to_pylist() == expected

    called(tmp_path, "runs", "export", "leaker", ids[2], "--format", "json", "--output", "run.json")
    (run,) = json.loads((tmp_path / "run.json").read_text())
    assert run["quality"]["problems"] == [{"kind": "starved", "text": "12 % of the samples are missing"}]
    assert len(run["values"]["jvm.memory.heap.used"]) == len(run["times_s"]) == 30


def test_runs_are_deleted_by_their_ids_or_all_but_the_newest(tmp_path: Path, ids: list[str]) -> None:
    assert deleted(tmp_path, ids[0], ids[2], ids[0]) == "deleted 2 runs of 'leaker'; 2 runs left\n"
    assert left(tmp_path) == [ids[1], ids[3]]
    others = recorded(tmp_path, 10, 11, test="leaker")
    assert deleted(tmp_path, "--keep", "5", "--with-training").startswith("deleted 0 runs")
    assert "deleted 3 runs" in deleted(tmp_path, "--keep", "1", "--with-training")
    assert left(tmp_path) == others[1:]
    assert "0 runs left" in deleted(tmp_path, "--all")
    assert (left(tmp_path), left(tmp_path, "shop/cart")) == ([], ids[4:])


def test_the_runs_of_an_oracle_are_marked_and_spared(tmp_path: Path) -> None:
    training = store(tmp_path, *map(leaking_run, range(5)))
    called(tmp_path, *TRAIN, exits=EXIT_PASS)
    checks = recorded(tmp_path, 10, 11, 12, purpose="check")
    lines = called(tmp_path, "runs", "list").stdout.splitlines()
    assert "  train, oracle  " in lines[1]
    assert "  check          " in lines[6]
    said = deleted(tmp_path, "--keep", "1")
    assert "deleted 2 runs" in said
    assert "kept 5 training runs; --with-training deletes them, too" in said
    assert left(tmp_path) == [*training, checks[2]]
    deleted(tmp_path, "--all")
    assert left(tmp_path) == training
    deleted(tmp_path, "--with-training", "--keep", "1")
    assert left(tmp_path) == training[4:]


def test_training_runs_are_spared_wherever_their_oracle_lies(tmp_path: Path) -> None:
    """The oracle of a build in src/test/buto is not known to the store. Starved runs trained no oracle."""
    training = store(tmp_path, leaking_run(0), leaking_run(1, purpose="accept"))
    store(tmp_path, leaking_run(2, quality=STARVED), leaking_run(3, purpose="check"))
    newest = recorded(tmp_path, 4)
    assert deleted(tmp_path, "--keep", "1").startswith(
        "deleted 2 runs of 'leaker'; 3 runs left\nkept 2 train"
    )
    assert left(tmp_path) == [*training, *newest]
    deleted(tmp_path, "--all", "--with-training")
    assert left(tmp_path) == []


def test_runs_that_an_oracle_learned_from_are_spared_whatever_they_were_recorded_for(tmp_path: Path) -> None:
    training = recorded(tmp_path, *range(5))
    called(tmp_path, *TRAIN, exits=EXIT_PASS)
    recorded(tmp_path, 5)
    deleted(tmp_path, "--all")
    assert left(tmp_path) == training


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("delete leaker", EXIT_USAGE, "name the runs to delete"),
        ("delete leaker --all --keep 1", EXIT_USAGE, "name the runs to delete"),
        ("delete leaker some --all", EXIT_USAGE, "name the runs to delete"),
        ("delete leaker --keep -1", EXIT_USAGE, "must be from 0 to"),
        ("delete leaker --keep x", EXIT_USAGE, "must be from 0 to"),
        ("delete leaker 20200101T000000.000Z-0000", EXIT_BAD_FILE, "20200101T000000.000Z-0000"),
        ("delete laeker --all", EXIT_BAD_FILE, "no runs of 'laeker'; it holds leaker, shop/cart"),
        ("list laeker", EXIT_BAD_FILE, "no runs of 'laeker'; it holds leaker, shop/cart"),
        ("show laeker", EXIT_BAD_FILE, "no runs of 'laeker'; it holds leaker, shop/cart"),
        ("export laeker", EXIT_BAD_FILE, "no runs of 'laeker'; it holds leaker, shop/cart"),
        ("export leaker --format parquet", EXIT_USAGE, "Parquet is binary and needs a file"),
        ("export leaker --format json --layout wide", EXIT_USAGE, "--layout cannot be used with JSON"),
        ("export leaker --format xml", EXIT_USAGE, "invalid choice: 'xml'"),
        ("export leaker -o no/leaker.csv", EXIT_NOT_JUDGED, "no/leaker.csv cannot be written"),
        ("list --json no/list.json", EXIT_NOT_JUDGED, "no/list.json cannot be written"),
        ("", EXIT_USAGE, "usage: buto runs"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    tmp_path: Path, ids: list[str], words: str, code: int, message: str
) -> None:
    done = called(tmp_path, "runs", *words.split())
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert left(tmp_path) == ids[:4]
    assert [path.name for path in tmp_path.iterdir()] == [".buto"]


def test_nobody_needs_to_read_to_the_end(tmp_path: Path, ids: list[str]) -> None:
    """A reader that goes away, as head does, is no failure."""
    command = f"set -o pipefail; {sys.executable} -m buto runs export leaker --layout long | head -1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
