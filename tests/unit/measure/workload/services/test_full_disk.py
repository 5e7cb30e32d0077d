"""A real database whose disk is full while a program runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support import postgresql
from tests.support.checkout import ROOT
from tests.support.processes.mounts import with_own_mounts

DEADLINE_S = 300


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may mount a disk and start the database as another user"
)
def test_a_database_that_fills_its_disk_stops_the_program_and_is_quoted() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        Path(place).chmod(0o755)
        disk, template = Path(place, "disk"), Path(place, "template")
        disk.mkdir()
        postgresql.new_database(postgresql.postgresql(), template)
        script = 'mount -t tmpfs -o size=80m,mode=755 tmpfs "$1"; disk=$1; shift; TMPDIR=$disk "$@"'
        filled = [sys.executable, "-m", "tests.support.full_database", template]
        done = subprocess.run(
            [*with_own_mounts(script), disk, *filled],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    heard, problems = json.loads(done.stdout)
    assert heard == ["stop"]
    [problem] = problems
    assert problem.startswith(
        "its service 'database' ended with exit code 1 before the program; it printed: "
    )
    assert "No space left on device" in problem
