"""Labels from Python."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

import buto
from buto.api.values import LabelName
from buto.run.labels import Label
from tests.support.runs.stored import leaking_run, store

RUNS = [leaking_run(number) for number in range(3)]


def test_runs_are_labelled_by_value_or_by_name(tmp_path: Path) -> None:
    ids = store(tmp_path, *RUNS)
    root = tmp_path / ".buto"
    given = [
        buto.label("leaker", RUNS[0], "bad", store=root),
        buto.label("leaker", RUNS[1:], "good", reason="a new cache", store=root),
        buto.label("leaker", "last", "invalid", store=root),
    ]
    assert buto.labels("leaker", store=root) == given
    assert [labelling.run_ids for labelling in given] == [(ids[0],), tuple(ids[1:]), (ids[2],)]
    assert [labelling.label for labelling in given] == [Label.BAD, Label.GOOD, Label.INVALID]


def test_what_is_no_label_or_no_run_is_refused(tmp_path: Path) -> None:
    store(tmp_path, *RUNS)
    with pytest.raises(buto.UsageError, match="a label must be good, bad or invalid, got 'fine'"):
        buto.label("leaker", "all", cast(LabelName, "fine"), store=tmp_path / ".buto")
    with pytest.raises(buto.UsageError, match="there is no run to label"):
        buto.label("leaker", [], "good", store=tmp_path / ".buto")
    assert buto.labels("leaker", store=tmp_path / ".buto") == []
