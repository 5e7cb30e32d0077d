"""Labels of runs: which one counts, and how they are kept."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from buto.errors import BadFileError
from buto.run.labels import Label, Labelling, LabelStore, current, run_labels

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
N_LABELS = 40


def labelling(
    label: Label, minute: int = 0, command: str = "label", *runs: str, reason: str = ""
) -> Labelling:
    at = NOON + timedelta(minutes=minute)
    return Labelling("shop", runs or ("a",), label, at, command, "Ada", reason)


def test_a_later_label_replaces_an_earlier_one_and_both_stay() -> None:
    bad, good = labelling(Label.BAD, 0, "label", "a", "b"), labelling(Label.GOOD, 1)
    assert current([good, bad]) == {"a": good, "b": bad}
    assert [(row.run_id, row.labelling, row.is_replaced) for row in run_labels([good, bad])] == [
        ("a", bad, True),
        ("a", good, False),
        ("b", bad, False),
    ]


@pytest.mark.parametrize("command", ["check", "train", "bisect"])
def test_what_a_command_observes_does_not_replace_what_a_person_decided(command: str) -> None:
    decided, observed = labelling(Label.GOOD), labelling(Label.BAD, 1, command)
    assert current([decided, observed]) == {"a": decided}
    accepted = labelling(Label.INVALID, 2, "accept")
    assert current([decided, observed, accepted]) == {"a": accepted}


def test_labels_are_read_as_they_were_written(tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    assert store.all("shop") == []
    written = [
        store.add(labelling(label, minute, reason="a new\ncache: ü \ud800".replace("\ud800", "?")))
        for minute, label in enumerate(Label)
    ]
    assert store.all("shop") == written
    assert store.all("other") == []


def test_a_clock_that_was_put_back_does_not_bring_an_old_label_back(tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    store.add(labelling(Label.BAD, 5))
    again = store.add(labelling(Label.GOOD, 0))
    assert again.at > NOON + timedelta(minutes=5)
    assert current(store.all("shop"))["a"].label is Label.GOOD


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "it is not marked as a buto-label"),
        ({"version": 3}, "it is of version 3; this buto reads 1 and 2"),
        ({"meant": "yes"}, "'meant' must be true or false, got 'yes'"),
        ({"label": "fine"}, "'label' has the unknown value 'fine'"),
        ({"runs": ["../a"]}, "runs must be ids of runs"),
        ({"person": None}, "'person' must be a text, got None"),
        ({"at": "noon"}, "'at' is 'noon': Invalid RFC3339"),
        ({"at": "2026-01-01T12:00:00"}, "'at' must have a time zone"),
        ({"at": "9999-12-31T23:59:59Z"}, "'at' must have a time zone and be after 1970"),
        ({"at": "0001-01-01T00:00:00+23:00"}, "'at' must have a time zone and be after 1970"),
        ({"label": []}, "'label' must be a text, got"),
        ({"test": "other"}, "it belongs to 'other'"),
    ],
)
def test_a_damaged_label_is_named_with_what_to_do(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    LabelStore(tmp_path).add(labelling(Label.GOOD))
    [path] = (tmp_path / "labels" / "shop").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadFileError, match=message) as refused:
        LabelStore(tmp_path).all("shop")
    assert str(path) in refused.value.message
    assert refused.value.advice is not None
    assert refused.value.advice.endswith(f"rm {path}")


@pytest.mark.parametrize(("command", "meant"), [("accept", True), ("label", False), ("train", False)])
def test_of_a_label_of_version_1_only_what_was_accepted_was_meant(
    tmp_path: Path, command: str, meant: bool
) -> None:
    LabelStore(tmp_path).add(labelling(Label.GOOD, 0, command))
    [path] = (tmp_path / "labels" / "shop").iterdir()
    data = json.loads(path.read_text())
    del data["meant"]
    path.write_text(json.dumps(data | {"version": 1}))
    [read] = LabelStore(tmp_path).all("shop")
    assert read.meant is meant


def write(root: Path, run_id: str, number: int) -> None:
    for _ in range(number):
        LabelStore(root).add(labelling(Label.GOOD, 0, "label", run_id))


def test_two_writers_at_once_lose_no_label(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    writers = [fork.Process(target=write, args=(tmp_path, run_id, N_LABELS)) for run_id in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = LabelStore(tmp_path).all("shop")
    assert sorted(labelled.run_ids for labelled in found) == [("a",)] * N_LABELS + [("b",)] * N_LABELS


def test_a_killed_writer_leaves_whole_labels_only(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    store = LabelStore(tmp_path)
    for n_more in (1, 2, 3, 5, 8):
        wanted = len(store.all("shop")) + n_more
        writer = fork.Process(target=write, args=(tmp_path, "a", 10**6))
        writer.start()
        while len(store.all("shop")) < wanted:
            assert writer.is_alive()
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join(60)
        assert all(labelled.run_ids == ("a",) for labelled in store.all("shop"))
    store.add(labelling(Label.BAD))
    assert store.all("shop")[-1].label is Label.BAD
