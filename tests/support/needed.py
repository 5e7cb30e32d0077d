"""What some tests need of the machine: where it is missing they are skipped, but in CI they fail."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def skip_without(what: str) -> NoReturn:
    """Skip a test that needs what is not installed. In CI it fails: it would never run there.

    Args:
        what: What is missing, and how to install it.
    """
    if os.environ.get("CI"):
        pytest.fail(f"not installed, and continuous integration must have it: {what}")
    pytest.skip(what)
