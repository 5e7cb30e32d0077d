"""What is kept of checks beside the runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.errors import BadFileError, StorageError
from buto.run.entries import ResultStore


def test_results_are_read_in_the_order_in_which_they_were_added(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "store")
    assert store.all("a/b") == []
    places = [store.add("a/b", b"%d" % number) for number in range(3)]
    store.add("other", b"x")
    assert store.all("a/b") == sorted(place.name for place in places)
    contents = []
    for name in store.all("a/b"):
        with store.reading("a/b", name) as content:
            contents.append(content)
    assert sorted(contents) == [b"0", b"1", b"2"]
    assert not [path for path in places[0].parent.iterdir() if path.name.startswith(".")]


def test_a_file_of_another_name_is_not_a_result(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    place = store.add("a", b"x")
    (place.parent / ".hidden.json").write_text("")
    (place.parent / "notes.txt").write_text("")
    assert store.all("a") == [place.name]


def test_a_damaged_result_is_named_with_what_to_do(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    place = store.add("a", b"x")
    with pytest.raises(BadFileError) as refused, store.reading("a", place.name):
        raise ValueError("it is no result")
    assert refused.value.message == f"{place} cannot be read: it is no result"
    assert refused.value.advice == f"delete it; only the history needs it: rm {place}"
    place.unlink()
    with pytest.raises(BadFileError, match="it is missing"), store.reading("a", place.name):
        pass


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file in the way")
    with pytest.raises(StorageError, match="cannot keep the result"):
        ResultStore(tmp_path).add("a", b"x")
    assert ResultStore(tmp_path).all("a") == []
