"""How the agent's messages become rows beside those columns that are read from outside."""

from __future__ import annotations

import numpy as np

from buto.measure import messages as channel
from buto.measure.channel import AgentRecorder
from buto.measure.recording import Recording
from buto.run.properties import Property

OUTSIDE, A, B = Property("outside"), Property("a"), Property("b")


def begun() -> tuple[Recording, AgentRecorder]:
    """A recording with a column of its own, whose agent has announced two."""
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns([OUTSIDE])
    recorder = AgentRecorder(recording)
    recorder.receive(channel.Columns(0, (A, B)))
    return recording, recorder


def samples(*rows: tuple[int, float, float]) -> channel.SamplesMessage:
    times = np.array([row[0] for row in rows], dtype=np.int64)
    return channel.SamplesMessage(times, np.array([row[1:] for row in rows]).reshape(-1, 2))


def test_a_row_that_the_agent_completes_keeps_what_was_read_from_outside() -> None:
    recording, recorder = begun()
    recorder.receive(samples((1, 1.0, np.nan), (2, 2.0, np.nan)))
    recording.add_to_last_row({"outside": 7.0})
    recorder.receive(samples((2, 2.0, 5.0), (3, 3.0, 6.0)))
    table = recording.table()
    assert table.times_ns.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(table.values, [[np.nan, 1.0, np.nan], [7.0, 2.0, 5.0], [np.nan, 3.0, 6.0]])


def test_a_message_without_rows_adds_none() -> None:
    recording, recorder = begun()
    assert recorder.receive(samples()) is None
    assert recording.n_samples == 0
    assert recorder.receive(samples((1, 1.0, 2.0))) == channel.go()
    recorder.receive(samples())
    assert recording.n_samples == 1
