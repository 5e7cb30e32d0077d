"""Files of columns: exact to the bit, some columns without the others, and no more unpacked than allowed."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from buto.run import bounds, columns
from buto.run.columns import ColumnFile
from buto.run.model import Notification
from buto.run.properties import Property
from buto.run.tables import SAMPLES, all_notifications, all_samples, pack_notifications, pack_samples

TABLES = st.tuples(st.integers(1, 6), st.integers(0, 40)).flatmap(
    lambda shape: arrays.arrays(np.float64, shape, elements=st.floats(width=64))
)


@given(TABLES, st.binary(max_size=40), st.sampled_from([columns.FASTEST, columns.NOT_AT_ALL]))
def test_any_columns_and_texts_are_read_as_they_were_written(
    table: np.ndarray, texts: bytes, level: int
) -> None:
    file = ColumnFile.of(columns.pack(list(table), texts, level=level))
    read = np.empty(table.T.shape)
    file.read(range(len(table)), read)
    assert (file.n_columns, file.n_rows) == table.shape
    assert read.T.tobytes() == table.tobytes()
    assert file.texts() == texts


@given(st.data())
def test_any_columns_are_read_in_any_order_from_several_blocks(data: st.DataObject) -> None:
    table = np.random.default_rng(1).normal(size=(7, 50_000))
    chosen = data.draw(st.lists(st.integers(0, 6), max_size=5))
    file = ColumnFile.of(columns.pack(list(table)))
    read = np.empty((50_000, len(chosen)))
    file.read(chosen, read)
    assert read.T.tobytes() == table[chosen].tobytes()


def test_a_column_is_read_without_the_others(tmp_path: Path) -> None:
    table = np.random.default_rng(1).normal(size=(7, 200_000))
    content = bytearray(columns.pack(list(table)))
    file = ColumnFile.of(bytes(content))
    content[file.ends[0] : file.ends[3]] = bytes(file.ends[3] - file.ends[0])
    (tmp_path / "file").write_bytes(content)
    read = np.empty((200_000, 1))
    with (tmp_path / "file").open("rb") as opened:
        damaged = ColumnFile.of(opened)
        damaged.read([3], read)
        assert read[:, 0].tobytes() == table[3].tobytes()
        with pytest.raises(ValueError, match="unpacked"):
            damaged.read([2], read)


def test_every_shorter_file_and_every_longer_one_is_refused() -> None:
    whole = columns.pack([np.arange(5.0), np.arange(5.0)], b"text")
    for size in range(len(whole)):
        with pytest.raises(ValueError, match="cut off|not a file"):
            ColumnFile.of(whole[:size])
    with pytest.raises(ValueError, match="cut off"):
        ColumnFile.of(whole + b"x")


@pytest.mark.parametrize("said", [1, 4, 6, 1000])
def test_a_block_of_another_size_than_the_head_says_is_refused(said: int) -> None:
    whole = bytearray(columns.pack([np.arange(5.0)]))
    whole[8:16] = struct.pack("<Q", said)
    file = ColumnFile.of(bytes(whole))
    with pytest.raises(ValueError, match="cut off|unpacks to more"):
        file.read([0], np.empty((said, 1)))


@pytest.mark.parametrize("lengths", [[-1, 5], [2**62, 2**62], [2**63 - 1, 2**63 - 1], [1, 2], [4, 1], [5, 0]])
def test_lengths_of_other_texts_are_refused(lengths: list[int]) -> None:
    with pytest.raises(ValueError, match="length|longer"):
        list(columns.unpack_texts(np.array([lengths]), b"four"))


def test_texts_that_are_no_unicode_are_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        list(columns.unpack_texts(np.array([[1]]), b"\xff"))


def test_a_run_in_which_nothing_varies_is_so_small_that_it_is_not_packed() -> None:
    """A reader takes a small file that stands for much for a bomb, but what buto writes is always read."""
    properties = [Property(f"p{number}") for number in range(400)]
    times_s, values = np.arange(20_000.0), np.zeros((20_000, 400))
    content = pack_samples(times_s, values)
    assert len(zlib.compress(content)) * bounds.TIMES_PACKED + bounds.FREE_BYTES < values.nbytes
    read_s, read = all_samples(SAMPLES, content, properties, len(times_s))
    assert (read_s.tobytes(), read.tobytes()) == (times_s.tobytes(), values.tobytes())


def test_notifications_that_are_all_the_same_are_read_again() -> None:
    same = (Notification(1.0, "t", "s", 1, "m"),) * 30_000
    content = pack_notifications(same)
    assert all_notifications("notifications.columns", content, len(same)) == same
