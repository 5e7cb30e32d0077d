"""What is kept of many files is never older than they are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from buto.errors import BadFileError
from buto.run import cache
from buto.run.entries import ResultStore
from buto.run.model import Outcome
from buto.run.store import RunStore, RunSummary
from buto.run.tables import DOCUMENT
from tests.support.checkout import ROOT
from tests.support.runs.examples import full_run

N_RUNS = 12
IDS = [f"{number:03d}" for number in range(N_RUNS)]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    """A store of more runs than are worth a cache, with one; files count as settled at once."""
    monkeypatch.setattr(cache, "SETTLED_NS", -1)
    monkeypatch.setattr(cache, "WORTH_KEEPING", N_RUNS)
    store = RunStore(tmp_path / "store")
    for run_id in IDS:
        store.add(full_run(run_id))
    store.summaries("leaker")
    assert place_of(store).exists()
    return store


def place_of(store: RunStore) -> Path:
    return store.root / "cache" / "runs" / "leaker.json"


def directly(store: RunStore) -> list[RunSummary]:
    """The summaries without a cache."""
    shutil.rmtree(store.root / "cache", ignore_errors=True)
    return store.summaries("leaker")


def document_of(store: RunStore, run_id: str) -> Path:
    return store.root / "runs" / "leaker" / run_id / DOCUMENT


def test_documents_that_are_known_are_not_read_again(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = store.summaries("leaker")
    monkeypatch.setattr("buto.run.directory.read_file", None)
    assert store.summaries("leaker") == expected
    assert [summary.id for summary in expected] == IDS
    assert all(summary.head is not None for summary in expected)


def test_few_runs_get_no_cache(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.add(full_run())
    store.summaries("leaker")
    assert not place_of(store).exists()


def _rewrite(store: RunStore) -> None:
    path = document_of(store, IDS[3])
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"samples": 12345}))


def _replace_by_another_file(store: RunStore) -> None:
    path = document_of(store, IDS[3])
    status = path.stat()
    data = json.loads(path.read_text())
    other = path.with_suffix(".other")
    other.write_text(json.dumps(data | {"samples": 12345}))
    other.replace(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _damage(store: RunStore) -> None:
    document_of(store, IDS[3]).write_text("{")


def _lose(store: RunStore) -> None:
    document_of(store, IDS[3]).unlink()


def _link(store: RunStore) -> None:
    path = document_of(store, IDS[3])
    path.rename(path.with_suffix(".other"))
    path.symlink_to(path.with_suffix(".other"))


def _delete(store: RunStore) -> None:
    store.delete("leaker", [IDS[3]])


def _add(store: RunStore) -> None:
    store.add(full_run("999"))


def _delete_and_add_under_the_same_id(store: RunStore) -> None:
    store.delete("leaker", [IDS[3]])
    store.add(replace(full_run(IDS[3]), outcome=Outcome(7, duration_s=3.0)))


@pytest.mark.parametrize(
    "change",
    [
        _rewrite,
        _replace_by_another_file,
        _damage,
        _lose,
        _link,
        _delete,
        _add,
        _delete_and_add_under_the_same_id,
    ],
)
def test_every_change_of_a_run_is_seen_at_once(store: RunStore, change: Callable[[RunStore], None]) -> None:
    before = store.summaries("leaker")
    change(store)
    seen = store.summaries("leaker")
    assert seen != before
    assert seen == directly(store)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"[" * 100_000,
        b'{"format": "buto-cache", "version": "run 1", "entries": {"003": 7}}',
        b'{"format": "buto-cache", "version": "run 1", "entries": []}',
        b'{"format": "buto-cache", "version": "run 2", "entries": {}}',
    ],
)
def test_a_damaged_cache_is_as_good_as_none(store: RunStore, content: bytes) -> None:
    expected = directly(store)
    place_of(store).parent.mkdir(parents=True, exist_ok=True)
    place_of(store).write_bytes(content)
    assert store.summaries("leaker") == expected


def test_data_of_another_shape_are_read_again(store: RunStore) -> None:
    expected = store.summaries("leaker")
    document = json.loads(place_of(store).read_text())
    for entry in document["entries"].values():
        entry[1] = {"test": "leaker"}
    place_of(store).write_text(json.dumps(document))
    assert store.summaries("leaker") == expected


def test_a_cache_that_was_copied_with_its_runs_counts_for_none_of_them(
    store: RunStore, tmp_path: Path
) -> None:
    document = json.loads(place_of(store).read_text())
    for entry in document["entries"].values():
        entry[1]["samples"] = 1
    place_of(store).write_text(json.dumps(document))
    assert {summary.head.samples for summary in store.summaries("leaker") if summary.head} == {1}
    shutil.copytree(store.root, tmp_path / "copy")
    copied = RunStore(tmp_path / "copy").summaries("leaker")
    assert {summary.head.samples for summary in copied if summary.head} == {3}


def test_what_has_only_just_changed_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changed once more within a tick of the file system's clock, it would look the same."""
    monkeypatch.setattr(cache, "SETTLED_NS", 3600 * 10**9)
    monkeypatch.setattr(cache, "WORTH_KEEPING", 0)
    store = RunStore(tmp_path)
    store.add(full_run())
    store.summaries("leaker")
    assert json.loads(place_of(store).read_text())["entries"] == {}


def test_a_list_needs_no_writable_store(store: RunStore) -> None:
    expected = directly(store)
    shutil.rmtree(store.root / "cache")
    (store.root / "cache").write_text("in the way")
    assert store.summaries("leaker") == expected


def test_two_processes_that_write_and_list_at_once_see_what_is_there(store: RunStore) -> None:
    command = [sys.executable, "-m", "tests.support.runs.writers", "list", str(store.root)]
    workers = [subprocess.Popen([*command, first], cwd=ROOT) for first in ("1000", "2000")]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    seen = store.summaries("leaker")
    assert [summary.id for summary in seen] == IDS
    assert seen == directly(store)


def test_results_are_found_from_the_cache_and_a_damaged_one_is_still_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "SETTLED_NS", -1)
    monkeypatch.setattr(cache, "WORTH_KEEPING", 1)
    store = ResultStore(tmp_path)
    places = sorted(store.add("a", b"%d" % number) for number in range(5))
    numbers = store.read_all("a", "numbers", int, int)
    assert sorted(numbers) == list(range(5))

    def never(content: bytes) -> int:
        raise AssertionError(content)

    assert store.read_all("a", "numbers", never, int) == numbers
    assert store.read_all("a", "other", lambda content: -int(content), int) == [-number for number in numbers]
    places[2].write_bytes(b"broken")
    with pytest.raises(BadFileError, match=r"invalid literal.*broken"):
        store.read_all("a", "numbers", int, int)
