"""The empty standard input, which tells whether it was read."""

from __future__ import annotations

import subprocess
from contextlib import closing

import pytest

from buto.measure.output import EmptyInput


@pytest.mark.parametrize(
    ("command", "was_read"),
    [
        (["true"], False),
        (["sh", "-c", "true < /dev/null"], False),
        (["sh", "-c", "read line"], True),
        (["sh", "-c", "cat | true"], True),
    ],
)
def test_a_read_is_seen_also_if_a_child_did_it(command: list[str], was_read: bool) -> None:
    with closing(EmptyInput()) as empty:
        done = subprocess.run(command, stdin=empty.descriptor, capture_output=True, check=False)
        assert (empty.was_read(), done.stdout) == (was_read, b"")


def test_a_command_cannot_write_into_it() -> None:
    with closing(EmptyInput()) as empty:
        done = subprocess.run(
            ["sh", "-c", "echo text >&0"], stdin=empty.descriptor, capture_output=True, check=False
        )
        assert done.returncode != 0
