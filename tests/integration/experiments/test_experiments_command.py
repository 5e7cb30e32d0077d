"""``buto experiments run`` on a small data set of known truth."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from buto.experiments.dataset import archive
from buto.experiments.dataset.files import write
from buto.runs import RunStore
from tests.support.checkout import ROOT
from tests.support.processes.command import buto, called
from tests.support.runs.variants import a_data_set

pytestmark = pytest.mark.slow

NAMES = ("time-point-generation", "kalman-classifier-tuning-averageMethod")
FILES = ("scores.csv", "notifications.csv", "claims.csv", "results.json", "page.html")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("experiments")
    store = RunStore(directory / "runs")
    for runs in a_data_set(8, ("references-strong", "references-weak"), shift=2.0).values():
        for run in runs:
            store.add(run)
    write(directory / "set", archive.pack(store))
    return directory


def test_one_seed_gives_the_same_files_whatever_the_number_of_workers(data: Path) -> None:
    command = ("experiments", "run", *NAMES, "--data", "set", "--seed", "7")
    alone = buto(data, *command, "--workers", "1", "--out", "alone")
    shared = buto(data, *command, "--workers", "2", "--out", "shared")
    assert alone.returncode == shared.returncode == 0, alone.stderr + shared.stderr
    assert alone.stdout == shared.stdout
    for name in FILES:
        assert (data / "alone" / name).read_bytes() == (data / "shared" / name).read_bytes()
    other = called(data, *command[:-1], "8", "--workers", "1", "--out", "other")
    assert other.returncode == 0
    assert (data / "other" / "scores.csv").read_bytes() != (data / "alone" / "scores.csv").read_bytes()

    lines = alone.stdout.splitlines()
    assert lines[0].startswith("parallel: 8 runs of each of 2 variants, 2 pairs of variants, seed 7")
    assert any(line.startswith("Table 5.3. ") for line in lines)
    assert "rounding: the thesis's own counts give accuracy 0.82, MCC 0.69." in alone.stdout
    assert lines[-1].endswith("are undecided")
    assert alone.stderr.splitlines()[-len(FILES) :] == [f"wrote alone/{name}" for name in FILES]
    assert json.loads((data / "alone" / "results.json").read_text())["hosts"][0]["seed"] == 7


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("no-such-experiment",), 2, "invalid choice"),
        (("smoothing", "--seed", "-1"), 2, "must be a whole number, got '-1'"),
        (("smoothing", "--data", "nothing"), 4, "nothing/runs.parquet"),
        (("smoothing", "--data", "a" * 300), 4, "File name too long"),
        (("smoothing", "--data", "set", "--host", "g1"), 3, "set has no runs of the host g1"),
        (("training-set-size", "--data", "few"), 3, "usable runs are needed to train"),
    ],
)
def test_what_cannot_be_done_is_reported(
    data: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    if not (data / "few").exists():
        store = RunStore(data / "few-runs")
        for runs in a_data_set(3, ("references-strong", "references-weak")).values():
            for run in runs:
                store.add(run)
        write(data / "few", archive.pack(store))
    ended = called(data, "experiments", "run", *arguments, "--workers", "1")
    assert ended.returncode == code
    assert message in ended.stderr


def test_without_recorded_runs_it_says_how_to_get_some(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "RECORDED", data / "not there")
    ended = called(data, "experiments", "run", "smoothing")
    assert ended.returncode == 4
    assert ended.stderr.splitlines() == [
        "buto: the installed package contains no recorded runs",
        "try:  --data DIR: data/experiments of buto's repository or a data set of your own",
    ]


def test_without_joblib_one_process_is_offered(data: Path) -> None:
    (data / "absent").mkdir()
    (data / "absent" / "joblib.py").write_text("raise ModuleNotFoundError('No module named joblib')\n")
    found = f"{data / 'absent'}:{ROOT}"
    command = ("experiments", "run", NAMES[0], "--data", "set", "--out", "out")
    two = buto(data, *command, "--workers", "2", PYTHONPATH=found)
    assert two.returncode == 2
    assert "joblib, which shares the work among processes, is not installed" in two.stderr
    assert "--workers 1" in two.stderr
    assert buto(data, *command, "--workers", "1", PYTHONPATH=found).returncode == 0


def test_how_good_the_calibrated_oracle_is_says_nothing_of_runs_that_chose_it(data: Path) -> None:
    ended = called(data, "experiments", "run", "calibrated", "--data", "set", "--workers", "1")
    assert ended.returncode == 3
    assert "no variant has more than 5 usable runs since 2026-11-21 03:33" in ended.stderr


def test_how_good_the_calibrated_oracle_is_comes_as_table_csv_and_json(data: Path) -> None:
    store = RunStore(data / "later")
    for runs in a_data_set(7, ("leaker-string", "leaker-thread"), shift=30.0).values():
        for run in runs:
            store.add(replace(run, id=f"2027{run.id[4:]}"))
    write(data / "fresh", archive.pack(store))
    ended = called(
        data, "experiments", "run", "calibrated", "--data", "fresh", "--workers", "1", "--out", "calibrated"
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("parallel: 14 runs recorded since 2026-11-21 03:33 UTC")
    written = json.loads((data / "calibrated" / "calibrated.json").read_text())
    what = "MCC over 32 experiments: n = 5, alpha = 0.05, one run"
    (line,) = [one for one in written["hosts"]["parallel"] if one["what"] == what]
    assert line["value"] > 0.8
    rows = (data / "calibrated" / "calibrated.csv").read_text().splitlines()
    assert rows[0] == "host,what,value,error,goal,reached,counts"
    assert len(rows) == 1 + len(written["hosts"]["parallel"])


def test_power_comes_as_tables_csv_and_a_figure(data: Path) -> None:
    store = RunStore(data / "many")
    for runs in a_data_set(14, ("references-strong", "references-weak"), shift=2.0).values():
        for run in runs:
            store.add(run)
    write(data / "enough", archive.pack(store))
    ended = called(
        data, "experiments", "run", "power", "--data", "enough", "--workers", "1", "--out", "power"
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("the design part: 10 training runs, alpha 0.01; the gate of calibrated")
    assert "calibrated-next: what a gate costs" in ended.stdout
    head, *rows = (data / "power" / "power.csv").read_text().splitlines()
    assert head == "part,method,case,run,alone,first,three"
    assert {row.split(",")[0] for row in rows} == {"design"}
    assert b"<svg" in (data / "power" / "power.svg").read_bytes()
    few = called(data, "experiments", "run", "power", "--data", "set", "--workers", "1")
    assert few.returncode == 3
    assert "no variant in set has 14 usable runs" in few.stderr


def test_calibrated_cannot_be_combined_with_other_experiments(data: Path) -> None:
    ended = called(data, "experiments", "run", "calibrated", "smoothing", "--data", "set")
    assert ended.returncode == 2
    assert "calibrated cannot be combined with other experiments" in ended.stderr


def test_what_decides_about_the_next_default_comes_as_tables_criteria_and_files(data: Path) -> None:
    row, pairs = RunStore(data / "row-runs"), RunStore(data / "pair-runs")
    for version, variant in (("old", "leaker-string"), ("new", "leaker-thread")):
        for run in a_data_set(14, (variant,), shift=30.0)[variant]:
            late = replace(run, id=f"2027{run.id[4:]}", test=f"leak-{version}@parallel")
            pairs.add(late)
            if version == "old":
                row.add(replace(late, test="leak@parallel"))
    write(data / "next" / "in-row-17", archive.pack(row))
    write(data / "next" / "pairs", archive.pack(pairs))
    command = ("experiments", "run", "next", "--data", "next", "--workers", "1", "--out", "decided")
    ended = called(data, *command)
    assert ended.returncode == 0, ended.stderr
    assert "In a row on a quiet machine: checks that fail at alpha 0.01" in ended.stdout
    assert "leak@parallel: new" in ended.stdout
    assert ended.stdout.count("it does not become the default") == 2
    rows = (data / "decided" / "next.csv").read_text().splitlines()
    assert rows[0] == "part,method,trained,judged,runs,times,alone,followed,three"
    assert "<svg" in (data / "decided" / "alarms.svg").read_text()
    assert not (data / "decided" / "counters.svg").exists()
