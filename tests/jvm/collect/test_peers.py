"""The collector's side of the channel against processes that speak it well, badly, or not at all."""

from __future__ import annotations

import math
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure import channel as agent_listener
from buto.run.model import Run
from tests.support.jvm.recorder import Recorder, problems

pytestmark = pytest.mark.all

PEER = Path(__file__).parent / "programs" / "peer.py"


def measured(record: Recorder, behaviour: str) -> Run:
    return record.run(sys.executable, str(PEER), behaviour)


def failure(record: Recorder, behaviour: str) -> str:
    start = time.monotonic()
    with pytest.raises(MeasureError) as raised:
        measured(record, behaviour)
    assert time.monotonic() - start < 25, "the peer would have slept for 30 s"
    return raised.value.message


def test_a_good_conversation_gives_a_whole_run(record: Recorder) -> None:
    run = measured(record, "well")
    assert problems(run) == []
    assert run.outcome.last_sample == "agent"
    np.testing.assert_array_equal(run.series("jvm.class.loaded"), np.arange(10, 16))
    assert run.times_s[0] < 0
    assert 0.25 <= run.times_s[-1] < 60
    assert run.metadata["jvm.vm.version"] == "0"


def test_columns_reasons_and_notifications_may_come_while_the_program_runs(record: Recorder) -> None:
    run = measured(record, "grows")
    assert "mbean[a:b=c]/Size" in [prop.name for prop in run.properties]
    size = run.series("mbean[a:b=c]/Size")
    assert np.nanmax(size) == 5.0
    assert np.isnan(size[0])
    assert run.nan_reasons["jvm.thread.count"] == "why not"
    (note,) = run.notifications
    assert (note.type, note.source, note.sequence, note.message) == ("t", "a:b=c", 1, "said")
    assert math.isclose(note.time_s, 1e-6, rel_tol=1e-6)


@pytest.mark.parametrize("behaviour", ["no words", "crowd", "other version"])
def test_strangers_are_sent_away(record: Recorder, behaviour: str) -> None:
    assert failure(record, behaviour).startswith("the command started no JVM that could be measured")


def test_somebody_who_says_half_a_hello_is_dropped_after_a_while(
    record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_listener, "HELLO_S", 0.2)
    assert failure(record, "half a hello").startswith("the command started no JVM that could be measured")


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("no sample", "the JVM ended before its first sample"),
        ("no start", "the program's start was not seen"),
        ("nonsense", "a message of the unknown type 77"),
        ("too many columns", "3 columns, 2 announced"),
    ],
)
def test_a_conversation_that_goes_wrong_is_an_error(record: Recorder, behaviour: str, message: str) -> None:
    assert message in failure(record, behaviour)


def test_an_agent_that_falls_silent_spoils_the_run(record: Recorder) -> None:
    run = measured(record, "silent")
    assert run.outcome.last_sample == "push"
    (problem,) = problems(run)
    assert re.match(r"the agent fell silent [0-9.]+ s before the JVM's end", problem), problem
    assert "hsperfdata" in str(run.metadata["buto.hsperfdata.missing"])


def test_a_run_with_a_hole_is_starved(record: Recorder) -> None:
    run = measured(record, "gap")
    assert not run.quality.valid
    assert run.quality.largest_gap_s > 1.3
    assert re.search(r"it was starved: no sample for [0-9.]+ s ", run.quality.describe())


def test_lost_notifications_spoil_the_run(record: Recorder) -> None:
    assert problems(measured(record, "loses notifications")) == [
        "17 notifications were lost, because there were too many"
    ]
