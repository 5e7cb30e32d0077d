"""What a test may ask of the program that it drives, without any JVM."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from buto.errors import UsageError
from buto.pytest_plugin.driven import LiveTarget


def test_a_mark_has_no_name_of_butos_own() -> None:
    program = Mock(pid=4711)
    target = LiveTarget(program, Mock(), None)
    target.mark("load.start", "now")
    with pytest.raises(UsageError, match=r"a mark must not be called main or .* or window.end, got 'end'"):
        target.mark("end")
    program.mark.assert_called_once_with("load.start", "now")
