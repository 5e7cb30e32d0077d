"""One buto at a time measures into a store."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from buto.actions.ending import measuring
from buto.errors import StorageError

HOLD = """
import sys
from pathlib import Path
from buto.actions.ending import measuring
with measuring(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(root: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_waits_until_the_first_has_ended_however_it_ends(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        events = []

        def on_wait() -> None:
            events.append("waiting")
            first.kill()

        with measuring(tmp_path, on_wait, timeout_s=30):
            assert events == ["waiting"]


def test_waiting_has_an_end(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        with (
            pytest.raises(StorageError, match="another buto is still measuring"),
            measuring(tmp_path, lambda: None, timeout_s=0),
        ):
            pytest.fail("the lock was given twice")
        first.communicate()


def test_the_store_is_made_and_no_file_is_left_in_it(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "store"
    with measuring(root, lambda: None):
        pass
    assert list(root.iterdir()) == []


def test_a_store_that_cannot_be_made_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StorageError, match="cannot be written: Not a directory"),
        measuring(tmp_path / "file" / "store", lambda: None),
    ):
        pytest.fail("there is no such directory")
