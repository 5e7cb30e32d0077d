"""Standard streams that are closed, full or gone: the command's exit code stands, and files are written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, EXIT_REGRESSION, EXIT_USAGE
from tests.support.checkout import ROOT
from tests.support.processes.command import called
from tests.support.rarely import mark_all_but
from tests.support.runs.stored import leaking_run, store

COMMAND = ("--", "java", "Main")
STREAMS = (
    *(">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-"),
    *(">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full", ">/dev/full 2>&-", "| true", "2>&1 | true"),
)

USUAL = (">&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", "| true")
"""One of each kind; five calls of buto take more than a second."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("project")
    store(directory, *(leaking_run(number) for number in range(10)))
    called(directory, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
    store(directory, leaking_run(20, purpose="check"))
    store(directory, *(leaking_run(number, leak=3.0, purpose="check") for number in (70, 71, 72)))
    return directory


def code_of(directory: Path, arguments: str, streams: str) -> int:
    """Return the exit code of buto, called by a shell that redirects its streams."""
    done = subprocess.run(
        ["bash", "-c", f"exec 3>code; {{ {sys.executable} -m buto {arguments}; echo $? >&3; }} {streams}"],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    assert done.returncode is not None
    return int((directory / "code").read_text())


PASSES = f"check leaker --from-runs {leaking_run(20).id} --json r.json -v"
FAILS = (
    f"check leaker --from-runs {','.join(leaking_run(number).id for number in (70, 71, 72))} --json r.json"
)


@pytest.mark.slow
@pytest.mark.parametrize("streams", mark_all_but(USUAL, STREAMS))
def test_the_exit_code_is_that_of_the_command(trained: Path, streams: str) -> None:
    for arguments, code in ((PASSES, EXIT_PASS), (FAILS, EXIT_REGRESSION)):
        (trained / "r.json").unlink(missing_ok=True)
        assert code_of(trained, arguments, streams) == code
        assert json.loads((trained / "r.json").read_text())["exit_code"] == code
    assert code_of(trained, "runs list", streams) == EXIT_PASS
    assert code_of(trained, "--help", streams) == EXIT_PASS
    assert code_of(trained, "nonsense", streams) == EXIT_USAGE


@pytest.mark.slow
def test_data_that_cannot_be_written_are_no_success(trained: Path) -> None:
    assert code_of(trained, "runs export leaker", ">/dev/full") == EXIT_NOT_JUDGED
    assert code_of(trained, "runs export leaker", "| true") == EXIT_PASS


@pytest.mark.slow
def test_a_file_does_not_become_a_closed_stream(trained: Path) -> None:
    """What is printed must not get into the next file that is opened."""
    assert code_of(trained, "runs export leaker -o runs.csv", "<&- >&- 2>&-") == EXIT_PASS
    assert "time_s" in (trained / "runs.csv").read_text().splitlines()[0]
