"""Contents of several runs in one temporary file."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from buto.run.files import UnnamedFile
from tests.support.processes.descriptors import n_open_below

CONTENTS = [b"first" * 1000, b"2", b"third" * 5000]


def test_contents_are_kept_apart_in_one_open_file_until_nothing_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = UnnamedFile()
    copies = []
    for number, content in enumerate(CONTENTS):
        path = tmp_path / str(number)
        path.write_bytes(content)
        with path.open("rb") as opened:
            copies.append(file.add(opened))
        path.unlink()
    assert list(tmp_path.iterdir()) == []
    assert n_open_below(tmp_path) == 1
    del file
    assert [bytes(copy()) for copy in copies] == CONTENTS
    copies.clear()
    assert n_open_below(tmp_path) == 0
