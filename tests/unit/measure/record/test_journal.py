"""What is being recorded is kept on disk, and whatever is left of it becomes a run that says so."""

from __future__ import annotations

import json
import os
import resource
import struct
import time
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import BadFileError, ButoError, MeasureError
from buto.measure.journal import WRITE_INTERVAL_S, Journal, RecordingAbandonedError, rebuild_run, recover
from buto.measure.recording import Checkpoint, Recording
from buto.run import journal as journal_format
from buto.run.journal import JournalEntry, JournalFile, decode, encode, find_unfinished, place_of, read, whole
from buto.run.model import ClassHistogram, Outcome, ProblemKind, Quality, SourceState
from buto.run.names import new_id
from buto.run.properties import Property, property_for
from buto.run.store import RunStore
from tests.support.runs.examples import assert_same, full_run

FIELDS = (
    *("rows", "columns", "zero_ns", "properties", "metadata", "nan_reasons", "notifications"),
    *("marks", "sources", "histograms", "histogram_times", "tracks"),
)
NAMES = ("jvm.memory.heap.used", "jvm.thread.count", "shop.orders")


def add_samples(recording: Recording, first: int, n: int) -> None:
    """Rows ten milliseconds apart, of all columns so far."""
    times = np.arange(first, first + n) * 10_000_000
    recording.add_rows(times, np.sin(times[:, None] + np.arange(len(recording.columns))))


def a_recording(n_samples: int = 0) -> Recording:
    recording = Recording("leaker")
    recording.zero_ns = 5
    recording.metadata.update({"buto.interval": 0.01, "jvm.version": "17", "cores": 2})
    recording.add_columns(Property(name, "1") for name in NAMES[:2])
    if n_samples:
        add_samples(recording, 1, n_samples)
    return recording


def at_once(store: RunStore, **marks: str) -> Journal:
    return Journal(store, marks, first_write_s=0.0, write_interval_s=0.0)


def left_behind(store: RunStore, recording: Recording) -> Path:
    """The journal of a recording whose buto is gone."""
    journal = at_once(store)
    journal.write_if_due(recording)
    journal.__exit__(SystemExit, SystemExit(), None)
    return place_of(store, recording.test, recording.id)


@given(
    steps=st.lists(
        st.sampled_from(["sample", "column", "say", "explain", "know", "mark", "read", "keep"]), max_size=25
    )
)
def test_nothing_is_lost_on_the_way_through_a_journal(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    store = RunStore(tmp_path_factory.mktemp("store"))
    recording = a_recording(1)
    track = recording.track("db", 0.01)
    with at_once(store) as journal:
        for number, step in enumerate(steps):
            match step:
                case "read":
                    track.add_columns([Property(f"db.late[{number % 3}]", "1")])
                    track.add(10_000_000 * number, {f"db.late[{number % 3}]": 7.0}, f"reason {number % 2}")
                case "sample":
                    add_samples(recording, 2 + 3 * number, 3)
                case "column":
                    recording.add_columns([Property(f"late[{number}]", "By")])
                case "say":
                    recording.add_notification(
                        number, "shop.full", "shop:type=Queue", 2**63 - 1, "ещё \ud800"
                    )
                case "explain":
                    recording.add_reason(NAMES[0], f"reason {number}")
                case "mark":
                    recording.add_mark(number, "warm-up", "ещё")
                    recording.add_source(SourceState("db", "sql", f"reason {number}"))
                    recording.add_histogram(number, ClassHistogram(0.0, "end", 2, 2**40))
                case "know":
                    recording.metadata["known"] = number
                case "keep":
                    journal.write_if_due(recording)
        journal.write_if_due(recording)
        found = rebuild_run(recording.test, recording.id, read(place_of(store, "leaker", recording.id)))
    assert found is not None
    values = [
        (notification.time_s, notification.type, notification.sequence)
        for notification in found.notifications
    ]
    same = recording.finish(found.outcome, found.quality)
    assert values == [
        (notification.time_s, notification.type, notification.sequence) for notification in same.notifications
    ]
    for run in (found, same):
        object.__setattr__(run, "notifications", ())
    assert_same(found, same)


def test_a_torn_journal_gives_all_that_was_whole(tmp_path: Path) -> None:
    entries = []
    recording, mark = a_recording(), Checkpoint()
    for number in range(4):
        add_samples(recording, 1 + 5 * number, 5)
        entry, mark = recording.changes_since(mark)
        entries.append(encode(entry))
    content = b"buto-journal 1\n" + b"".join(entries)
    ends = np.cumsum([15, *map(len, entries)])
    place = tmp_path / "journal"
    for cut in range(15, len(content) + 1):
        torn = content[:cut] + (b"" if cut % 2 else b"\xff" * 40)
        assert len(list(whole(torn))) == np.searchsorted(ends, cut, side="right") - 1
    place.write_bytes(content[: int(ends[2]) + 7])
    found = rebuild_run("leaker", "id", read(place))
    assert found is not None
    assert len(found.times_s) == 10


def test_a_recovered_run_says_that_buto_was_lost_and_is_of_no_use(tmp_path: Path) -> None:
    store, recording = RunStore(tmp_path), a_recording(50)
    place = left_behind(store, recording)
    (lost_run,) = find_unfinished(store)
    assert (lost_run.test, lost_run.id, lost_run.live) == ("leaker", recording.id, False)
    run = recover(store, lost_run)
    assert run is not None
    assert not place.exists()
    assert find_unfinished(store) == []
    stored = store.load("leaker", recording.id)
    assert_same(stored, run)
    assert stored.outcome.harness_lost
    assert stored.outcome.describe() == "was still running when buto was lost"
    assert not stored.quality.valid
    (problem,) = stored.quality.problems
    assert problem.kind is ProblemKind.BUTO_LOST
    assert problem.text.startswith("buto was lost while it recorded: its journal ends after 0.5 s")


def test_the_start_of_a_program_that_was_not_seen_is_its_first_sample(tmp_path: Path) -> None:
    recording = a_recording(3)
    recording.zero_ns = None
    entry, _ = recording.changes_since(Checkpoint())
    run = rebuild_run("leaker", "id", [entry])
    assert run is not None
    assert run.times_s[0] == 0.0


def test_a_recording_that_another_user_may_read_alone_counts_as_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunStore(tmp_path)
    left_behind(store, a_recording(5))

    def refuse(*_: object) -> NoReturn:
        raise PermissionError

    # Root may read everything.
    monkeypatch.setattr("buto.run.journal.hold_lock", refuse)
    (unfinished,) = find_unfinished(store)
    assert unfinished.live


def test_a_live_recording_is_not_touched(tmp_path: Path) -> None:
    store, recording = RunStore(tmp_path), a_recording(5)
    with at_once(store) as journal:
        journal.write_if_due(recording)
        (lost_run,) = find_unfinished(store)
        assert lost_run.live
        assert recover(store, lost_run) is None
        assert lost_run.path.exists()
        assert store.tests() == []


def test_a_journal_whose_run_is_stored_is_only_removed(tmp_path: Path) -> None:
    store, recording = RunStore(tmp_path), a_recording(5)
    run = recording.finish(Outcome(0), Quality())
    left_behind(store, recording)
    store.add(run)
    (lost_run,) = find_unfinished(store)
    assert recover(store, lost_run) is None
    assert not lost_run.path.exists()
    assert_same(store.load("leaker", run.id), run)


def test_a_journal_without_samples_is_only_removed(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    place = left_behind(store, a_recording())
    assert recover(store, find_unfinished(store)[0]) is None
    assert not place.exists()
    assert store.tests() == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is not a journal"),
        (b"something else\n", "is not a journal"),
        (b"buto-journal 3\n", "it has version 3, this buto reads up to 2"),
    ],
)
def test_what_is_not_a_journal_is_named_and_stays(tmp_path: Path, content: bytes, why: str) -> None:
    store = RunStore(tmp_path)
    place = left_behind(store, a_recording(5))
    place.write_bytes(content)
    with pytest.raises(BadFileError, match=why):
        recover(store, find_unfinished(store)[0])
    assert place.exists()


def test_entries_that_do_not_fit_each_other_are_named(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    place = left_behind(store, a_recording(5))
    content = place.read_bytes()
    place.write_bytes(content + content[15:])
    with pytest.raises(BadFileError, match="was announced twice"):
        recover(store, find_unfinished(store)[0])


@pytest.mark.parametrize("end", [None, KeyboardInterrupt(), RecordingAbandonedError("unwanted")])
def test_a_recording_that_ended_or_is_not_wanted_leaves_no_journal(
    tmp_path: Path, end: BaseException | None
) -> None:
    store, recording = RunStore(tmp_path), a_recording(5)
    journal = at_once(store)
    journal.write_if_due(recording)
    assert len(find_unfinished(store)) == 1
    journal.__exit__(None if end is None else type(end), end, None)
    assert find_unfinished(store) == []


def keep_and_fail(journal: Journal) -> None:
    with journal:
        journal.write_if_due(a_recording(5))
        raise MeasureError("the worker ended")


def test_a_recording_that_fails_is_kept_and_the_message_says_so(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    with pytest.raises(MeasureError) as failure:
        keep_and_fail(at_once(store))
    assert failure.value.message == (
        f"the worker ended\nwhat was recorded until then is kept: buto runs recover --store {tmp_path}"
    )
    assert [recording.live for recording in find_unfinished(store)] == [False]


def test_a_short_recording_writes_nothing(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "store")
    with pytest.raises(MeasureError) as failure:
        keep_and_fail(Journal(store, {}))
    assert failure.value.message == "the worker ended"
    assert not (tmp_path / "store").exists()


@contextmanager
def files_of_at_most(n_bytes: int) -> Iterator[None]:
    """A disk that is full, as far as this process can tell."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_does_not_end_a_recording_and_loses_nothing_once_there_is_room(tmp_path: Path) -> None:
    store, recording = RunStore(tmp_path), a_recording(5)
    with at_once(store) as journal:
        journal.write_if_due(recording)
        place = place_of(store, "leaker", recording.id)
        size = place.stat().st_size
        add_samples(recording, 6, 300)
        with files_of_at_most(size + 100):
            journal.write_if_due(recording)
        assert place.stat().st_size == size + 100
        assert len(list(read(place))) == 1
        add_samples(recording, 306, 5)
        journal.write_if_due(recording)
        found = rebuild_run("leaker", recording.id, read(place))
    assert found is not None
    assert len(found.times_s) == 310


def test_a_store_that_cannot_be_made_does_not_end_a_recording(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with at_once(RunStore(tmp_path / "store")) as journal:
        journal.write_if_due(a_recording(5))
        assert not journal.is_written


def test_a_journal_has_its_name_only_when_it_is_locked(tmp_path: Path) -> None:
    with files_of_at_most(3), pytest.raises(OSError, match="File too large"):
        JournalFile(tmp_path / ".id.journal")
    assert list(tmp_path.iterdir()) == []


def test_a_journal_stays_when_its_run_cannot_be_stored(tmp_path: Path) -> None:
    store, recording = RunStore(tmp_path), a_recording(5)
    place = left_behind(store, recording)
    with files_of_at_most(10), pytest.raises(ButoError, match="File too large"):
        recover(store, find_unfinished(store)[0])
    assert place.exists()
    assert recover(store, find_unfinished(store)[0]) is not None


def test_journals_are_not_runs(tmp_path: Path) -> None:
    store, recording = RunStore(tmp_path), a_recording(5)
    store.add(full_run("20260101T000000.000Z-0000", "leaker"))
    left_behind(store, recording)
    assert store.ids("leaker") == ["20260101T000000.000Z-0000"]
    assert [lost_run.id for lost_run in find_unfinished(store, ["leaker"])] == [recording.id]
    assert find_unfinished(store, ["unknown"]) == []


def test_a_journal_costs_less_than_a_hundredth_of_a_core(tmp_path: Path) -> None:
    recording = a_recording()
    recording.add_columns(Property(f"p{column}", "1") for column in range(80))
    recording.metadata.update({f"system.property[p{number}]": "x" * 50 for number in range(120)})
    with at_once(RunStore(tmp_path)) as journal:
        used_s = []
        for number in range(20):
            add_samples(recording, 1 + 50 * number, 50)
            before_s = time.process_time()
            journal.write_if_due(recording)
            used_s.append(time.process_time() - before_s)
    assert np.median(used_s) < 0.01 * WRITE_INTERVAL_S


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.slow
@given(
    data=JSON | st.fixed_dictionaries(dict.fromkeys(FIELDS, JSON | st.integers(0, 3))),
    arrays=st.binary(max_size=40) | st.just(bytes(64)),
)
def test_an_entry_of_a_stranger_is_read_or_refused(data: Any, arrays: bytes) -> None:
    text = json.dumps(data).encode()
    try:
        decode(zlib.compress(struct.pack("<I", len(text)) + text + arrays))
    except ValueError:
        return


@given(content=st.binary(max_size=200))
def test_any_bytes_are_refused_as_an_entry(content: bytes) -> None:
    with pytest.raises(ValueError, match="."):
        decode(content)


def test_an_entry_that_would_fill_the_memory_is_refused() -> None:
    bomb = zlib.compress(struct.pack("<I", 2) + b"{}" + bytes(1 << 26))
    with pytest.raises(ValueError, match="unpacks to more than"):
        decode(bomb)


def test_an_entry_of_many_rows_is_written_in_parts_that_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.arange(10_000)
    whole = JournalEntry(rows, np.outer(rows, [1.0, 2.0]), (property_for("jvm.thread.count"),) * 2, zero_ns=7)
    monkeypatch.setattr(journal_format, "MAX_ENTRY_BYTES", 40_000)
    with pytest.raises(ValueError, match="unpacks to more than"):
        decode(next(journal_format.whole(b"\n" + journal_format.encode(whole))))
    file = JournalFile(tmp_path / ".id.journal")
    file.append(whole)
    file.close()
    parts = list(read(tmp_path / ".id.journal"))
    assert len(parts) > 5 and {part.zero_ns for part in parts} == {7}
    assert [len(part.properties) for part in parts] == [2] + [0] * (len(parts) - 1)
    assert np.concatenate([part.times_ns for part in parts]).tolist() == rows.tolist()
    assert np.concatenate([part.values for part in parts]).tobytes() == whole.values.tobytes()


def test_what_a_killed_recorder_left_before_its_journal_had_a_name_is_cleaned(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    place = store.prepare("leaker") / "..id.journal.0123abcd.tmp"
    place.write_bytes(b"buto-journal 1")
    os.utime(place, (0, 0))
    store.add(full_run("1"))
    assert not place.exists()


@pytest.mark.parametrize("interval_s", [0.0, -1.0, 5e-324, float("inf")])
def test_an_interval_that_nobody_planned_is_not_counted_by(interval_s: float) -> None:
    planned = {"buto.interval": interval_s}
    entry = JournalEntry(
        np.array([10**9, 2 * 10**9]), np.ones((2, 1)), (Property("a", "1"),), metadata=planned
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = rebuild_run("test", new_id(), [entry])
    assert run is not None and not run.quality.valid
    assert run.quality.missed_share == 0.0
