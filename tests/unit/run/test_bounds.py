"""What is unpacked is the content, whether it is small enough to be unpacked once or not."""

import gzip
import zlib

import numpy as np
import pytest

from buto.run.bounds import GZIP, ZLIB, unpack

MIB = 1 << 20
ONCE = 16 * MIB


def content_of(size):
    """Bytes that differ from place to place, so that a piece in another place would be seen."""
    return np.arange(size // 4 + 1, dtype="<u4").tobytes()[:size]


@pytest.mark.parametrize("size", [0, 1, MIB, MIB + 1, ONCE, ONCE + 1, ONCE + 3 * MIB])
@pytest.mark.parametrize(
    ("kind", "pack"), [(GZIP, gzip.compress), (ZLIB, zlib.compress)], ids=["gzip", "zlib"]
)
def test_a_content_of_any_size_is_unpacked(size, kind, pack):
    content = content_of(size)
    assert unpack(pack(content, 1), kind, size) == content


@pytest.mark.parametrize("size", [5, ONCE + 1])
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda packed: packed[:-1], "cut off"),
        (lambda packed: packed[:-1] + bytes([packed[-1] ^ 1]), "cannot be unpacked"),
        (lambda packed: packed + b"x", "after its end"),
    ],
    ids=["cut", "checksum", "more"],
)
def test_what_is_damaged_is_refused(size, damage, says):
    with pytest.raises(ValueError, match=says):
        unpack(damage(zlib.compress(content_of(size), 1)), ZLIB, size)


@pytest.mark.parametrize("size", [5, ONCE, ONCE + 1])
def test_a_byte_more_than_is_allowed_is_refused(size):
    with pytest.raises(ValueError, match="more than"):
        unpack(zlib.compress(content_of(size), 1), ZLIB, size - 1)
