"""What a store promises, whether it is a directory or in a bucket."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from buto.causes.profiles import ProfileStore
from buto.errors import BadFileError, StorageError
from buto.run import tables
from buto.run.entries import ResultStore
from buto.run.labels import Label, Labelling, LabelStore
from buto.run.storage import Place
from buto.run.store import RunStore
from tests.support.profiles import profile
from tests.support.runs.examples import assert_same, full_run
from tests.support.stores.proxy import Proxy

pytestmark = pytest.mark.slow

TEST = "shop/cart: größer?"


@pytest.fixture(params=["directory", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path, server: Proxy) -> Place:
    if request.param == "directory":
        return tmp_path / "store"
    found: Place = request.getfixturevalue("bucket")
    return found


def test_what_is_added_is_found_again_and_what_is_deleted_is_gone(place: Place) -> None:
    store = RunStore(place)
    assert (store.tests(), store.ids(TEST), store.summaries(TEST)) == ([], [], [])
    first, second = full_run("001", TEST), full_run("002", TEST)
    store.add(second)
    store.add(first)
    assert (store.tests(), store.ids(TEST)) == ([TEST], ["001", "002"])
    assert_same(store.load(TEST, "001"), first)
    assert_same(store.load_set(TEST, ["002"]).runs[0], second)
    heads = [summary.head for summary in store.summaries(TEST)]
    assert [head.id for head in heads if head] == ["001", "002"]
    store.delete(TEST, ["001"])
    assert store.ids(TEST) == ["002"]
    with pytest.raises(BadFileError, match="there is no run '001'"):
        store.load(TEST, "001")
    with pytest.raises(BadFileError, match="there is no run '001'"):
        store.delete(TEST, ["002", "001"])
    assert store.ids(TEST) == ["002"]


def test_a_run_is_never_replaced(place: Place) -> None:
    store = RunStore(place)
    store.add(full_run("001", TEST))
    with pytest.raises(StorageError):
        store.add(replace(full_run("001", TEST), stdout=b"another"))
    assert_same(store.load(TEST, "001"), full_run("001", TEST))


def test_a_large_document_is_found_whole(place: Place) -> None:
    run = replace(full_run("001", TEST), metadata={"long": "x" * 300_000})
    store = RunStore(place)
    store.add(run)
    [summary] = store.summaries(TEST)
    assert summary.damage == "" and summary.head is not None
    assert_same(store.load(TEST, "001"), run)


def test_labels_results_and_profiles_are_kept_in_their_order(place: Place) -> None:
    labels, results, profiles = LabelStore(place), ResultStore(place), ProfileStore(place)
    assert (labels.all(TEST), results.all(TEST), profiles.newest(TEST)) == ([], [], None)
    given = [
        labels.add(Labelling(TEST, ("001",), label, datetime(2026, 1, 1, tzinfo=UTC), "label"))
        for label in (Label.GOOD, Label.BAD)
    ]
    assert labels.all(TEST) == given
    for number in range(3):
        results.add(TEST, b"%d" % number)
        profiles.add(TEST, [profile((f"shop.A.m{number}", 1.0))])
    assert sorted(results.read_all(TEST, "numbers", int, int)) == [0, 1, 2]
    newest = profiles.newest(TEST)
    assert newest is not None and len(newest.profiles) == 1


def test_what_is_damaged_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(place)
    monkeypatch.setattr("buto.run.store.describe", lambda content: tables.describe(content + b"."))
    store.add(full_run("001", TEST))
    with pytest.raises(BadFileError) as refused:
        store.load(TEST, "001")
    assert f"{store.root}/runs/" in refused.value.message
    assert "it is not the file that run.json describes" in refused.value.message
    results = ResultStore(place)
    results.add(TEST, b"")
    [name] = results.all(TEST)
    with pytest.raises(BadFileError, match="cannot be read: it is no result"), results.reading(TEST, name):
        raise ValueError("it is no result")
