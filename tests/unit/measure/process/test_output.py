from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import StorageError
from buto.measure import output
from buto.measure.output import HEAD_BYTES, TAIL_BYTES, OutputFile, last_lines

MIB = 1024 * 1024


def on_disk(file: OutputFile) -> int:
    return os.fstat(file.descriptor).st_blocks * 512


def print_numbered(file: OutputFile, n_bytes: int, each: Callable[[], None]) -> bytes:
    """Print numbered lines, looking at the file after each MiB; gives all that was printed."""
    printed = bytearray()
    number = 0
    while len(printed) < n_bytes:
        chunk = b"".join(b"line %09d\n" % k for k in range(number, number + 70_000))
        number += 70_000
        os.write(file.descriptor, chunk)
        printed += chunk
        each()
    return bytes(printed)


@pytest.fixture
def without_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that knows no holes."""
    monkeypatch.setattr(output, "_punch", lambda descriptor, start, length: False)


def test_a_long_output_keeps_head_and_tail_and_says_how_much_is_cut(tmp_path: Path) -> None:
    file = OutputFile(tmp_path / "stdout")
    sizes: list[int] = []

    def look() -> None:
        file.trim()
        sizes.append(on_disk(file))

    printed = print_numbered(file, 16 * MIB, look)
    assert max(sizes) < 8 * MIB
    n_cut = len(printed) - HEAD_BYTES - TAIL_BYTES
    cut = f"\n[buto: {n_cut} bytes of output are not kept]\n".encode()
    assert file.read_kept() == printed[:HEAD_BYTES] + cut + printed[-TAIL_BYTES:]
    assert file.n_printed == len(printed)
    file.close()


@pytest.mark.usefixtures("without_holes")
def test_without_holes_in_files_the_head_and_the_newest_are_kept(tmp_path: Path) -> None:
    file = OutputFile(tmp_path / "stdout")
    sizes: list[int] = []

    def look() -> None:
        file.trim()
        sizes.append(on_disk(file))

    printed = print_numbered(file, 12 * MIB, look)
    assert max(sizes) < 8 * MIB
    kept = file.read_kept()
    head, cut, tail = kept[:HEAD_BYTES], *kept[HEAD_BYTES:].split(b" bytes of output are not kept]\n")
    assert head == printed[:HEAD_BYTES]
    assert printed.endswith(tail)
    assert int(cut.split()[-1]) == len(printed) - len(head) - len(tail)
    file.close()


@given(st.binary(max_size=50), st.integers(0, 3))
def test_what_is_kept_begins_and_ends_as_what_was_printed(line: bytes, n_long: int) -> None:
    path = Path(os.environ["TMPDIR"]) / "output"
    path.unlink(missing_ok=True)
    file = OutputFile(path)
    printed = (line + b"\n") * 10 + b"y" * (n_long * 130_000) + line
    os.write(file.descriptor, printed)
    file.trim()
    kept = file.read_kept()
    assert kept.startswith(printed[:HEAD_BYTES])
    assert kept.endswith(printed[-TAIL_BYTES:])
    assert (kept == printed) == (len(printed) <= HEAD_BYTES + TAIL_BYTES)
    file.close()


def test_the_last_lines_are_text_of_bounded_length() -> None:
    text = last_lines(b"\n".join(b"%d" % k for k in range(100)) + b"\n\n", 3)
    assert text == "97\n98\n99"
    assert len(last_lines(b"z" * 10_000)) < 600
    assert last_lines(b"caf\xe9") == "caf\ufffd"
    assert last_lines(b"") == ""
    assert last_lines(b"\x1b[1;31mred\x1b[m\x07\x1b[2Jand\ttab") == "redand\ttab"


def test_a_file_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="missing/stdout cannot be written"):
        OutputFile(tmp_path / "missing" / "stdout")
