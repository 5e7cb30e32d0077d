"""A door's files lie in a directory that the JVM's user owns, who may put something else there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.errors import MeasureError
from buto.measure.jmx.credentials import NO_CREDENTIALS
from buto.measure.jmx.local_agent import JmxEndpoint


@pytest.mark.parametrize("how", ["link", "hard link", "pipe", "directory"])
def test_a_password_file_that_was_replaced_costs_nobody_elses_file(tmp_path: Path, how: str) -> None:
    other = tmp_path / "other"
    other.write_text("of great value")
    (tmp_path / "door").mkdir()
    password = tmp_path / "door" / "password"
    make = {"link": password.symlink_to, "hard link": password.hardlink_to}.get(how)
    if make is not None:
        make(other)
    elif how == "pipe":
        os.mkfifo(password)
    else:
        password.mkdir()
    with pytest.raises(MeasureError, match="was replaced"):
        JmxEndpoint("", NO_CREDENTIALS, True, password).revoke_password()
    assert other.read_text() == "of great value"


def test_a_door_is_shut_by_emptying_its_password_file_and_that_it_is_gone_does_no_harm(
    tmp_path: Path,
) -> None:
    password = tmp_path / "password"
    password.write_text("buto 1234")
    JmxEndpoint("", NO_CREDENTIALS, True, password).revoke_password()
    assert password.read_bytes() == b""
    password.unlink()
    JmxEndpoint("", NO_CREDENTIALS, True, password).revoke_password()
    JmxEndpoint("", NO_CREDENTIALS, False).revoke_password()
