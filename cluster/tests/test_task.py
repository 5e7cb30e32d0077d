"""What a host keeps of a run until it has arrived."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from buto.errors import BadFileError
from buto.run.objects import PassingStorage
from buto.run.store import RunStore
from buto_cluster import worker
from tests.support.runs.examples import assert_same, full_run


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    passing = PassingStorage(tmp_path)
    store = RunStore(tmp_path, passing)
    monkeypatch.setattr(worker, "presence", lambda: SimpleNamespace(passing=passing, runs=store))
    yield store
    passing.clear()


def test_a_small_run_travels_with_the_answer_and_leaves_no_file(runs: RunStore, tmp_path: Path) -> None:
    run = full_run("001")
    runs.add(run)
    assert_same(runs.load(run.test, run.id), run)
    delivery = worker._delivery(run.test, run.id)
    assert len(delivery.archive) == delivery.size_bytes > 0
    assert runs.ids(run.test) == []
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadFileError, match="there is no run"):
        runs.load(run.test, run.id)


def test_a_large_run_is_kept_until_its_pieces_have_arrived(
    runs: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "INLINE_BYTES", 700)
    run = full_run("001")
    runs.add(run)
    delivery = worker._delivery(run.test, run.id)
    assert delivery.archive == b""
    pieces = [worker.piece(run.test, run.id, offset) for offset in range(0, delivery.size_bytes, 700)]
    assert len(pieces) > 1
    assert len(b"".join(pieces)) == delivery.size_bytes
    assert runs.ids(run.test) == [run.id]
    worker.discard(run.test, run.id)
    assert runs.ids(run.test) == []
