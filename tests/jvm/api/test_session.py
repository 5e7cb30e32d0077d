"""A session in plain Python: train and check the demo program, be interrupted, go on, meet errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import buto
from buto import jars
from buto.errors import EXIT_NOT_JUDGED
from tests.support.checkout import ROOT

LEAKER = "buto.testprograms.leaker.Leaker"
DEADLINE_S = 300.0

INTERRUPTED = """\
import json, sys
import buto

def on_event(event):
    if isinstance(event, buto.events.RunStored):
        print("stored", flush=True)

try:
    buto.train("leaker", command=json.loads(sys.argv[1]), runs=5, interval="1s", on_event=on_event)
except buto.Interrupted as stop:
    first = stop.first_id
    print(json.dumps([first, [[one.test, one.runs, one.planned] for one in stop.complete]]))
trained = buto.train("leaker", command=json.loads(sys.argv[1]), runs=5, interval="1s", resume=first)
print(len(trained.runs))
"""


def leaker(leaks: int, duration: str = "1s") -> list[str]:
    """The command of the demo, but shorter."""
    options = ["-Xms128m", "-Xmx128m", "-XX:+UseSerialGC", "-cp", str(jars.path(jars.TESTPROGRAMS))]
    sizes = ["--pieces", "20", "--piece-size", "2000", "--leaks", str(leaks)]
    return ["java", *options, LEAKER, "--duration", duration, *sizes]


@pytest.mark.jvm
def test_ctrl_c_keeps_what_is_complete_and_training_goes_on_from_there(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, json.dumps(leaker(10, "300ms"))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stored\n"
        os.killpg(process.pid, signal.SIGINT)
        printed, _ = process.communicate(timeout=DEADLINE_S)
    *stored, interrupted, trained = printed.splitlines()
    first, complete = json.loads(interrupted)
    store = buto.open_store(tmp_path / ".buto")
    assert store.ids("leaker")[0] == first
    assert complete == [["leaker", 1 + stored.count("stored"), 5]]
    assert process.returncode == 0
    assert int(trained) == 5
    assert (tmp_path / "oracles" / "leaker.json").exists()


@pytest.mark.jvm
def test_a_program_that_fails_is_an_error_with_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["java", "-cp", str(jars.path(jars.TESTPROGRAMS)), LEAKER, "--leaks", "many"]
    failed: list[object] = []
    for call in (buto.record, buto.train):
        with pytest.raises(buto.MeasureError, match="exit") as error:
            call("leaker", command=command, on_event=failed.append)
        assert error.value.exit_code == EXIT_NOT_JUDGED
    assert not (tmp_path / "oracles").exists()
    assert any(isinstance(event, buto.events.GivenUp) for event in failed)
