"""Recorded runs of pairs of releases become a data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from beds.versions.packing import main
from buto.experiments.dataset.archive import load
from tests.support.runs.stored import leaking_run, store


def test_recorded_runs_of_the_pairs_are_packed_and_those_of_other_tests_are_not(tmp_path: Path) -> None:
    for number, test in enumerate(("jsoup-parse-old", "jsoup-parse-old", "jsoup-parse-new", "mine")):
        store(tmp_path, leaking_run(number, test=test))
    data = tmp_path / "data"
    assert main([str(tmp_path / ".buto"), str(data)]) == 0
    runs = load(data, "parallel")
    assert {name: len(some) for name, some in runs.items()} == {"jsoup-parse-new": 1, "jsoup-parse-old": 2}


def test_a_store_without_pairs_cannot_be_packed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), str(tmp_path / "data")]) == 4
    assert "holds no runs of the pairs" in capsys.readouterr().err
