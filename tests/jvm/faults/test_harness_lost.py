"""A buto that is lost or stopped in the middle of a long run: what it had recorded is not."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from buto.run.store import RunStore
from tests.support.jvm.harness import harness, until
from tests.support.processes.command import called

pytestmark = pytest.mark.all

LOST_AT_MOST_S = 10.0


def test_a_long_run_that_loses_its_buto_keeps_all_but_the_last_ten_seconds(
    tmp_path: Path, classes: Path
) -> None:
    java = ["java", "-cp", str(classes), "Phases", str(tmp_path), "hangs"]
    runs = tmp_path / ".buto" / "runs" / "t"
    with harness(tmp_path, "-m", "buto", "record", "t", "--", *java) as measuring:
        measuring.reached("begun")
        until(lambda: list(runs.glob(".*.journal")), "there is no journal")
        (journal,) = runs.glob(".*.journal")
        assert called(tmp_path, "runs", "list").stderr.startswith(".buto holds no runs")
        assert "still being recorded" in called(tmp_path, "runs", "recover").stderr
        size = journal.stat().st_size
        until(lambda: journal.stat().st_size > size, "the journal does not grow")
        measuring.kill()
        ran_s = time.time() - (tmp_path / "begun").stat().st_mtime
        measuring.assert_alone()
    assert RunStore(tmp_path / ".buto").tests() == []
    assert "1 recording interrupted: 't'" in called(tmp_path, "runs", "list").stderr
    assert called(tmp_path, "runs", "recover").returncode == 0
    (run,) = RunStore(tmp_path / ".buto").load_set("t")
    assert run.times_s[-1] > ran_s - LOST_AT_MOST_S
    assert run.outcome.harness_lost
    assert not run.quality.valid
    assert np.nanmin(run.series("jvm.thread.count")) > 0
    assert run.metadata["buto.purpose"] == "record"
    assert not list(runs.glob(".*"))


def test_a_buto_that_is_stopped_for_two_seconds_loses_no_sample(tmp_path: Path, classes: Path) -> None:
    java = ["java", "-cp", str(classes), "Phases", str(tmp_path), "ends", "3000"]
    often = ("--interval", "20ms")
    with harness(tmp_path, "-m", "buto", "record", "t", *often, "--", *java) as measuring:
        measuring.reached("middle")
        measuring.process.send_signal(signal.SIGSTOP)
        # The fault.
        time.sleep(2)
        measuring.process.send_signal(signal.SIGCONT)
        assert measuring.ended() == 0, measuring.printed()
        measuring.assert_alone()
    (run,) = RunStore(tmp_path / ".buto").load_set("t").valid()
    assert run.outcome.exit_code == 0
    assert run.times_s[-1] > 3.5
    assert run.quality.largest_gap_s < 1.5


def test_a_buto_that_is_stopped_while_the_program_ends_holds_it_up_only_for_a_bound(
    tmp_path: Path, classes: Path
) -> None:
    java = ["java", "-cp", str(classes), "Phases", str(tmp_path), "ends", "1500"]
    with harness(tmp_path, "-m", "buto", "record", "t", "--", *java) as measuring:
        measuring.reached("middle")
        jvm = measuring.begun("Phases\0/")
        measuring.process.send_signal(signal.SIGSTOP)
        until(lambda: jvm not in measuring.descendants(), "the JVM is held for ever")
        measuring.process.send_signal(signal.SIGCONT)
        assert measuring.ended() == 0, measuring.printed()
        assert "Traceback" not in measuring.printed()
        measuring.assert_alone()
    assert os.listdir(tmp_path / "tmp") == []
