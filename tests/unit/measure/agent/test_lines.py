"""The pipes by which an agent reaches buto."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from buto.errors import StorageError
from buto.measure.channel import _Line


def test_a_line_that_cannot_be_opened_leaves_nothing_and_the_next_one_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_usually, n_open = os.open, len(os.listdir("/proc/self/fd"))

    def refuse(path: str | Path, flags: int, **named: Any) -> int:
        if Path(path).name == "down":
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return open_usually(path, flags, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        with pytest.raises(StorageError, match=os.strerror(errno.EMFILE)):
            _Line(tmp_path / "line-1")
    assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) <= n_open
    line = _Line(tmp_path / "line-1")
    line.close()
    assert sorted(path.name for path in (tmp_path / "line-1").iterdir()) == ["down", "up"]
