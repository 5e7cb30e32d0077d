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
from tests.support.processes.command import buto, called
from tests.support.report import golden
from tests.support.runs.qualities import starved
from tests.support.runs.stored import NAMES, leaking_run, store

STARVED = starved("12 % of the samples are missing", missed_share=0.12)
COMMAND = ("--", "java", "Main")


@pytest.fixture
def ids(tmp_path: Path) -> list[str]:
    """Of four runs of leaker, the third of them starved, and one of shop/cart."""
    runs = [
        leaking_run(0),
        leaking_run(1),
        leaking_run(2, quality=STARVED),
        leaking_run(3),
        leaking_run(4, test="shop/cart"),
    ]
    return store(tmp_path, *runs)


def left(directory: Path, test: str = "leaker") -> list[str]:
    return RunStore(directory / ".buto").ids(test)


def test_the_list_has_a_line_for_each_run(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "list")
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    header, *lines = done.stdout.splitlines()
    assert header.split() == ["TEST", "RUN", "FOR", "AGE", "DURATION", "SAMPLES", "SIZE", "OUTCOME", "STATE"]
    assert [line.split()[:2] for line in lines] == [
        *(["leaker", run_id] for run_id in ids[:4]),
        ["shop/cart", ids[4]],
    ]
    assert " 3 s " in lines[0]
    assert " 30 " in lines[0]
    assert lines[0].endswith("exit 0   valid")
    assert lines[2].endswith("exit 0   invalid: 12 % of the samples are missing")


def test_the_list_may_be_of_some_tests(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "list", "shop/cart")
    assert [line.split()[1] for line in done.stdout.splitlines()[1:]] == ids[4:]


def test_the_list_for_machines(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "list", "leaker", "--json", "list.json")
    assert (done.returncode, done.stdout) == (EXIT_PASS, "")
    written = json.loads((tmp_path / "list.json").read_text())
    assert (written["format"], written["version"]) == ("buto-runs", 2)
    assert [run["id"] for run in written["runs"]] == ids[:4]
    assert [run["valid"] for run in written["runs"]] == [True, True, False, True]
    assert written["runs"][0]["started"] == "2026-01-01T00:00:00+00:00"
    assert (written["runs"][0]["samples"], written["runs"][0]["exit_code"]) == (30, 0)


def test_the_list_for_machines_is_as_in_the_golden_file(tmp_path: Path, ids: list[str]) -> None:
    (tmp_path / ".buto" / "runs" / "leaker" / ids[1] / "run.json").write_text("[]")
    text = called(tmp_path, "runs", "list", "--json", "-").stdout
    # What Parquet takes depends on the version of its writer.
    golden.same("runs-list.json", re.sub(r'"bytes": [1-9]\d*', '"bytes": 12345', text))


def test_a_list_that_cannot_be_written_is_an_error(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "list", "--json", "no/list.json")
    assert done.returncode == EXIT_NOT_JUDGED
    assert "no/list.json" in done.stderr


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path) -> None:
    done = called(tmp_path, "runs", "list")
    assert (done.returncode, done.stdout) == (EXIT_PASS, "")
    assert "buto record" in done.stderr
    assert called(tmp_path, "runs", "list", "-q").stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_run_is_listed_as_such_and_can_be_deleted(tmp_path: Path, ids: list[str]) -> None:
    document = tmp_path / ".buto" / "runs" / "leaker" / ids[1] / "run.json"
    document.write_text("{")
    lines = called(tmp_path, "runs", "list", "leaker").stdout.splitlines()
    assert "damaged" in lines[2]
    assert "run.json" in lines[2]
    assert lines[3].endswith("missing")
    shown = called(tmp_path, "runs", "show", "leaker", ids[1])
    assert shown.returncode == EXIT_BAD_FILE
    assert f"buto runs delete leaker {ids[1]}" in shown.stderr
    assert called(tmp_path, "runs", "delete", "leaker", ids[1]).returncode == EXIT_PASS
    assert ids[1] not in left(tmp_path)


def test_show_says_everything_of_one_run(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "show", "leaker", ids[2])
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    assert ids[2] in done.stdout
    assert "exited with code 0; ran for 3 s" in done.stdout
    assert "invalid: 12 % of the samples are missing" in done.stdout
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert set(NAMES) <= set(lines)
    assert "10 threads" in lines["jvm.thread.count"]
    heap = lines["jvm.memory.heap.used"]
    assert heap.split()[2] == "MiB"
    assert heap.index("▁") < heap.index("█")
    assert lines["jvm.spec.version"].split() == ["jvm.spec.version", "17"]


def test_show_takes_the_newest_run_by_itself(tmp_path: Path, ids: list[str]) -> None:
    assert ids[3] in called(tmp_path, "runs", "show", "leaker").stdout


def test_show_cannot_be_used_to_move_the_cursor(tmp_path: Path) -> None:
    store(tmp_path, leaking_run(0, text="\x1b[2J\x07\ncleared"), leaking_run(1, test="x\x1b[2Jy"))
    for done in (called(tmp_path, "runs", "show", "leaker", "--whole"), called(tmp_path, "runs", "list")):
        assert "\x1b" not in done.stdout
        assert "\x07" not in done.stdout
        assert "\\x1b[2J" in done.stdout


def test_csv_goes_to_standard_output(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "export", "leaker", ids[0], ids[1])
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    header, *rows = csv.reader(done.stdout.splitlines())
    assert header == ["run", "time_s", *NAMES]
    assert [row[0] for row in rows] == [ids[0]] * 30 + [ids[1]] * 30
    assert {row[3] for row in rows} == {"10"}


def test_long_csv_has_a_row_for_each_value(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "export", "leaker", "--layout", "long")
    assert len(done.stdout.splitlines()) == 1 + 4 * 30 * len(NAMES)


def test_an_exported_file_is_what_the_store_has(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "export", "leaker", "--format", "parquet", "-o", "leaker.parquet")
    assert (done.returncode, done.stdout) == (EXIT_PASS, "")
    assert "wrote 4 runs to leaker.parquet" in done.stderr
    table = pq.read_table(tmp_path / "leaker.parquet")
    runs = RunStore(tmp_path / ".buto").load_set("leaker")
    expected = [value for run in runs for value in run.series("jvm.memory.heap.used")]
    assert table["jvm.memory.heap.used"].to_pylist() == expected


def test_json_has_all_of_a_run(tmp_path: Path, ids: list[str]) -> None:
    called(tmp_path, "runs", "export", "leaker", ids[2], "--format", "json", "--output", "run.json")
    (run,) = json.loads((tmp_path / "run.json").read_text())
    assert run["quality"]["problems"] == [{"kind": "starved", "text": "12 % of the samples are missing"}]
    assert len(run["values"]["jvm.memory.heap.used"]) == len(run["times_s"]) == 30


@pytest.mark.parametrize(
    "arguments", [["--format", "parquet"], ["--format", "json", "--layout", "wide"], ["--format", "xml"]]
)
def test_an_export_that_makes_no_sense_is_refused(
    tmp_path: Path, ids: list[str], arguments: list[str]
) -> None:
    done = called(tmp_path, "runs", "export", "leaker", *arguments)
    assert (done.returncode, done.stdout) == (EXIT_USAGE, "")


def test_an_export_that_cannot_be_written_leaves_nothing(tmp_path: Path, ids: list[str]) -> None:
    (tmp_path / "old").mkdir()
    done = called(tmp_path, "runs", "export", "leaker", "-o", "old/no/leaker.csv")
    assert done.returncode == EXIT_NOT_JUDGED
    assert "old/no/leaker.csv cannot be written" in done.stderr
    assert list((tmp_path / "old").iterdir()) == []


def test_runs_are_deleted_by_their_ids(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "delete", "leaker", ids[0], ids[2], ids[0])
    assert (done.returncode, done.stdout) == (EXIT_PASS, "deleted 2 runs of 'leaker'; 2 runs left\n")
    assert left(tmp_path) == [ids[1], ids[3]]


def test_the_newest_are_kept(tmp_path: Path) -> None:
    ids = store(tmp_path, *(leaking_run(number, purpose="record") for number in range(4)))
    assert "deleted 3 runs" in called(tmp_path, "runs", "delete", "leaker", "--keep", "1").stdout
    assert left(tmp_path) == [ids[3]]
    assert "deleted 0 runs" in called(tmp_path, "runs", "delete", "leaker", "--keep", "5").stdout
    assert left(tmp_path) == [ids[3]]


def test_the_runs_of_an_oracle_are_marked_and_spared(tmp_path: Path) -> None:
    training = store(tmp_path, *(leaking_run(number) for number in range(5)))
    done = called(tmp_path, "train", "leaker", "--from-runs", "all", *COMMAND)
    assert done.returncode == EXIT_PASS
    checks = store(tmp_path, *(leaking_run(number, purpose="check") for number in range(10, 13)))
    lines = called(tmp_path, "runs", "list").stdout.splitlines()
    assert "  train, oracle  " in lines[1]
    assert "  check          " in lines[6]
    done = called(tmp_path, "runs", "delete", "leaker", "--keep", "1")
    assert "deleted 2 runs" in done.stdout
    assert "kept 5 training runs; --with-training deletes them, too" in done.stderr
    assert left(tmp_path) == [*training, checks[2]]
    called(tmp_path, "runs", "delete", "leaker", "--all")
    assert left(tmp_path) == training
    called(tmp_path, "runs", "delete", "leaker", "--with-training", "--keep", "1")
    assert left(tmp_path) == training[4:]


def test_training_runs_are_spared_wherever_their_oracle_lies(tmp_path: Path) -> None:
    """The oracle of a build in src/test/buto is not known to the store. Starved runs trained no oracle."""
    training = store(tmp_path, leaking_run(0), leaking_run(1, purpose="accept"))
    store(tmp_path, leaking_run(2, quality=STARVED), leaking_run(3, purpose="check"))
    newest = store(tmp_path, leaking_run(4, purpose="record"))
    done = called(tmp_path, "runs", "delete", "leaker", "--keep", "1")
    assert done.stdout == "deleted 2 runs of 'leaker'; 3 runs left\n"
    assert "kept 2 training runs" in done.stderr
    assert left(tmp_path) == [*training, *newest]
    called(tmp_path, "runs", "delete", "leaker", "--all", "--with-training")
    assert left(tmp_path) == []


def test_runs_that_an_oracle_learned_from_are_spared_whatever_they_were_recorded_for(tmp_path: Path) -> None:
    training = store(tmp_path, *(leaking_run(number, purpose="record") for number in range(5)))
    assert called(tmp_path, "train", "leaker", "--from-runs", "all", *COMMAND).returncode == EXIT_PASS
    store(tmp_path, leaking_run(5, purpose="record"))
    called(tmp_path, "runs", "delete", "leaker", "--all")
    assert left(tmp_path) == training


def test_all_runs_of_one_test_are_deleted(tmp_path: Path) -> None:
    store(tmp_path, *(leaking_run(number, purpose="record") for number in range(4)))
    ids = store(tmp_path, leaking_run(4, test="shop/cart", purpose="record"))
    assert "0 runs left" in called(tmp_path, "runs", "delete", "leaker", "--all").stdout
    assert left(tmp_path) == []
    assert left(tmp_path, "shop/cart") == ids


@pytest.mark.parametrize(
    "arguments", [[], ["--all", "--keep", "1"], ["ID", "--all"], ["--keep", "-1"], ["--keep", "x"]]
)
def test_delete_needs_to_be_told_exactly_what(tmp_path: Path, ids: list[str], arguments: list[str]) -> None:
    done = called(
        tmp_path, "runs", "delete", "leaker", *(ids[0] if word == "ID" else word for word in arguments)
    )
    assert done.returncode == EXIT_USAGE
    assert left(tmp_path) == ids[:4]


def test_an_unknown_id_deletes_nothing(tmp_path: Path, ids: list[str]) -> None:
    done = called(tmp_path, "runs", "delete", "leaker", ids[0], "20200101T000000.000Z-0000")
    assert done.returncode == EXIT_BAD_FILE
    assert "20200101T000000.000Z-0000" in done.stderr
    assert left(tmp_path) == ids[:4]


@pytest.mark.parametrize("action", ["list", "show", "export", "delete"])
def test_a_test_without_runs_is_named(tmp_path: Path, ids: list[str], action: str) -> None:
    done = called(tmp_path, "runs", action, "laeker", *(["--all"] if action == "delete" else []))
    assert done.returncode == EXIT_BAD_FILE
    assert "no runs of 'laeker'; it holds leaker, shop/cart" in done.stderr
    assert "try:" in done.stderr


def test_another_store_can_be_named(tmp_path: Path, ids: list[str]) -> None:
    (tmp_path / ".buto").rename(tmp_path / "elsewhere")
    done = called(tmp_path, "runs", "list", "--store", "elsewhere")
    assert len(done.stdout.splitlines()) == 6


def test_nobody_needs_to_read_to_the_end(tmp_path: Path, ids: list[str]) -> None:
    """A reader that goes away, as head does, is no failure."""
    command = f"{sys.executable} -m buto runs export leaker --layout long | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")


def test_without_an_action_the_usage_is_reported(tmp_path: Path) -> None:
    done = buto(tmp_path, "runs")
    assert (done.returncode, done.stdout) == (EXIT_USAGE, "")
    assert "usage: buto runs" in done.stderr
