"""Archives of runs: what was packed is found again, and what is damaged is refused."""

from __future__ import annotations

import tarfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.run.archive import PackedBundle, first_member, pack

FILES = {"run.json": b"{}", "samples.columns": bytes(range(256)) * 5, "stdout.txt": b""}


def packed(files: dict[str, bytes]) -> bytes:
    archive = BytesIO()
    pack(files, archive)
    return archive.getvalue()


@given(st.dictionaries(st.text("abc.-", min_size=1, max_size=9), st.binary(max_size=1200), min_size=1))
def test_what_was_packed_is_found_again(files: dict[str, bytes]) -> None:
    content = packed(files)
    bundle = PackedBundle.of(BytesIO(content))
    assert {name: bundle.read(name, 1200) for name in bundle.members} == files
    name, first = next(iter(files.items()))
    member = first_member(content[:512])
    assert (member.name, content[member.start : member.end]) == (name, first)
    assert content == packed(files), "the same files give the same bytes"


def test_other_programs_read_an_archive() -> None:
    with tarfile.open(fileobj=BytesIO(packed(FILES))) as archive:
        assert archive.getnames() == list(FILES)


def test_a_file_is_read_within_limits() -> None:
    bundle = PackedBundle.of(BytesIO(packed(FILES)))
    with pytest.raises(ValueError, match="it is larger than 9 bytes"):
        bundle.read("samples.columns", 9)
    with pytest.raises(ValueError, match="it is missing"):
        bundle.read("stderr.txt", 9)
    with bundle.open("samples.columns", 2000) as opened:
        assert opened.read() == FILES["samples.columns"]


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 1024, 2000])
def test_what_is_cut_off_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="cut off"):
        PackedBundle.of(BytesIO(packed(FILES)[:size]))


def test_links_doubles_and_noise_are_refused() -> None:
    link = tarfile.TarInfo("run.json")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    double = packed({"a": b"1"})[:1024] + packed({"a": b"2"})
    for content in (link.tobuf() + bytes(1024), double, b"x" * 2048):
        with pytest.raises(ValueError, match="no archive"):
            PackedBundle.of(BytesIO(content))
