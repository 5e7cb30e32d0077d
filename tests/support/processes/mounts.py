"""File systems that only the processes of one command see."""

from __future__ import annotations

import subprocess

import pytest


def with_own_mounts(script: str) -> tuple[str, ...]:
    """A shell command that may mount what no other process sees; skips where that is forbidden."""
    for prefix in (("unshare", "--mount"), ("unshare", "--mount", "--map-root-user")):
        if subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode == 0:
            return (*prefix, "sh", "-ec", script, "sh")
    pytest.skip("mounting is not permitted")
