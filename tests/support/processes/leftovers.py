"""An autouse fixture for everything that starts processes: nothing of a test may outlive it."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

TEST_MARKER = "BUTO_TEST_MARKER"


def _sockets() -> set[str]:
    found = set()
    for entry in os.scandir("/proc/self/fd"):
        try:
            link = os.readlink(entry.path)
        except FileNotFoundError:
            continue
        if link.startswith(("socket:", "anon_inode:[pidfd]", "anon_inode:[eventpoll]")):
            found.add(f"{entry.name} {link}")
    return found


def _descendants(marker: str) -> list[str]:
    """Return processes that inherited this test's environment, whatever their current parent is."""
    own = str(os.getpid())
    wanted = f"{TEST_MARKER}={marker}".encode()
    found = []
    for pid in os.listdir("/proc"):
        if pid.isdigit() and pid != own:
            with suppress(OSError):
                if wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found.append(Path(f"/proc/{pid}/cmdline").read_text())
    return found


@pytest.fixture(autouse=True)
def nothing_is_left(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Gives the test a temporary directory of its own for sessions, and looks behind it at the end."""
    sessions = tmp_path_factory.mktemp("sessions")
    marker = secrets.token_hex(8)
    monkeypatch.setenv("TMPDIR", str(sessions))
    monkeypatch.setattr(tempfile, "tempdir", str(sessions))
    monkeypatch.setenv(TEST_MARKER, marker)
    children = {child.pid for child in psutil.Process().children(recursive=True)}
    sockets = _sockets()
    yield sessions
    new = [child for child in psutil.Process().children(recursive=True) if child.pid not in children]
    assert new == [], "child processes are left"
    assert _descendants(marker) == [], "processes are left"
    assert _sockets() - sockets == set(), "sockets or descriptors of processes are left"
    assert list(sessions.glob("buto-*")) == [], "session directories are left"
