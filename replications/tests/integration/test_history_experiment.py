"""``buto experiments run history`` on a small history in place of the large ones."""

import csv

import pytest

from buto.errors import BadFileError
from buto_replications.commands import run_history as command
from buto_replications.history import histories as module
from buto_replications.history.histories import LabelledHistory
from buto_replications.history.synthetic import Size, synthetic_history
from buto_replications.history.tables import paper_trials
from tests.support.processes.command import called

SMALL = Size(groups=2, cases=2, configurations=120, repeats=2, abnormal=24, metrics=32, factors=4)


def test_tables_are_printed_and_written(tmp_path, monkeypatch):
    trials = tuple(one for one in paper_trials() if one.classifier == "Logistic")
    small = LabelledHistory("small", synthetic_history(SMALL, 1), trials)
    monkeypatch.setattr(command, "histories", lambda data, seed: [small])
    monkeypatch.setattr(command, "recorded_series", lambda data: [])
    done = called(tmp_path, "experiments", "run", "history", "--out", "results", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "The paper: tables 4 to 8" in done.stdout
    assert "small: 240 rows of 2 groups, 32 numbers each, 20.0% abnormal" in done.stdout
    assert "Series of releases in their order" in done.stdout
    assert (tmp_path / "results" / "series.csv").read_text() == "test,release,is,status\n"
    rows = list(csv.DictReader((tmp_path / "results" / "history.csv").read_text().splitlines()))
    assert [row["table"] for row in rows] == ["4", "5", "6", "7"]
    assert {(row["normal"], row["abnormal"]) for row in rows} == {("192", "48")}


def test_data_that_is_missing_is_reported_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "programs", lambda data: [])
    monkeypatch.setattr(module, "releases", lambda data: [])
    monkeypatch.setattr(module, "recorded_series", lambda data: [])
    with pytest.raises(BadFileError, match="runs.parquet cannot be read"):
        next(module.histories(tmp_path, 1))
    done = called(tmp_path, "experiments", "run", "history", "--data", ".")
    assert (done.returncode, done.stdout) == (4, "")
    assert "next/series/runs.parquet" in done.stderr


def test_it_cannot_be_combined_with_other_experiments(tmp_path):
    done = called(tmp_path, "experiments", "run", "history", "power")
    assert done.returncode == 2
