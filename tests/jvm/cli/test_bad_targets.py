"""Programs and machines that cannot be measured: one clear message, the right code, nothing left behind.

That no process and no session directory is left is looked at after every test (see conftest).
"""

from __future__ import annotations

import resource
import time
from functools import partial
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.processes.command import buto, called

CLASSES = "CLASSES"


@pytest.mark.parametrize(
    ("command", "messages"),
    [
        (
            ("java", "-cp", CLASSES, "Nowhere"),
            ("Could not find or load main class Nowhere", "check the main class"),
        ),
        (
            ("java", "-jar", "gone.jar"),
            ("the program did not start: ", "gone.jar\n", "that the program was built"),
        ),
        (
            ("java", "-version"),
            ("no JVM with a main class or jar", "name the program's main class or jar in the command"),
        ),
        (("no-such-program",), ("command not found: no-such-program",)),
        (
            ("sh", "-c", "echo I am a shell"),
            ("started no JVM", "I am a shell", "the command must start a JVM"),
        ),
        (
            ("java", "-cp", CLASSES, "Does", "exit", "3"),
            ("exited with code 3", "about to leave", "for a reason", "--expect-exit 3"),
        ),
    ],
    ids=["main class", "no jar", "no program", "command", "no JVM", "exit 3"],
)
def test_a_program_that_cannot_be_measured(
    tmp_path: Path, classes: Path, command: tuple[str, ...], messages: tuple[str, ...]
) -> None:
    words = [str(classes) if word == CLASSES else word for word in command]
    done = called(tmp_path, "train", "bad", "--runs", "5", "--", *words)
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("buto: ") == 1
    for text in messages:
        assert text in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "oracles").exists()


@pytest.mark.all
def test_a_program_that_hangs_is_stopped_at_its_time_limit(tmp_path: Path, classes: Path) -> None:
    begun = time.monotonic()
    command = ("java", "-cp", str(classes), "Does", "hang")
    done = called(tmp_path, "record", "hanging", "--timeout", "5s", "--", *command)
    assert done.returncode == 3
    assert done.stderr.count("was stopped at its time limit of 5 s") == 2
    assert "try:  allow more time: --timeout" in done.stderr
    assert time.monotonic() - begun < 100
    (summary,) = RunStore(tmp_path / ".buto").summaries("hanging")
    assert summary.head is not None
    assert not summary.head.quality.valid


def test_a_full_disk_keeps_the_runs_before_and_leaves_no_half_written_file(
    tmp_path: Path, classes: Path
) -> None:
    """The disk of buto alone is full: files may have 100 KiB, but not for the program, which prints more."""
    java = f"java -cp {classes} Does"
    assert called(tmp_path, "record", "printer", "--", *f"{java} sleep 0".split()).returncode == 0
    before = sorted(tmp_path.rglob("*"))
    command = ("sh", "-c", f"ulimit -S -f unlimited; exec {java} print 200")
    few = (100 * 1024, resource.RLIM_INFINITY)
    limited = partial(resource.setrlimit, resource.RLIMIT_FSIZE, few)
    done = buto(tmp_path, "record", "printer", "--", *command, before=limited)
    assert done.returncode == 3
    assert "store the run" in done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
