"""Virtual threads that were pinned or rejected: what the reader prints, and what a run gets of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure.recording import Recording
from buto.measure.virtual_threads import ThreadEvents, add_counts, count_at, describe_places, parse, prepare
from buto.run.model import ProblemKind

PRINTED = """\
buto-threads\t1
at\tpinned\t1000\t2
at\tpinned\t1500\t1
at\trejected\t1200\t4
in\tpinned\tShop.pay:41\t3
end
"""


def recorded() -> Recording:
    recording = Recording("shop")
    recording.zero_ns = 0
    recording.add_rows(np.array([0, 1_000_000_000], dtype=np.int64), np.empty((2, 0)))
    return recording


def test_events_are_read_by_kind() -> None:
    found = parse(PRINTED)
    assert found["pinned"] == ThreadEvents({1000: 2, 1500: 1}, {"Shop.pay:41": 3})
    assert found["rejected"] == ThreadEvents({1200: 4}, {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "buto-threads\t1\n",
        PRINTED.replace("end\n", ""),
        PRINTED.replace("\t1\n", "\t2\n", 1),
        PRINTED.replace("rejected", "parked"),
        PRINTED.replace("at\trejected", "on\trejected"),
        PRINTED.replace("1500", "soon"),
        PRINTED.replace("\t4\n", "\n"),
    ],
)
def test_what_no_reader_prints_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="output|printed|unpack|invalid literal"):
        parse(text)


def test_an_event_counts_from_its_own_time_on() -> None:
    since_ns = 900_000_000
    times_ns = np.array([99, 100, 599, 600, 700], dtype=np.int64) * 1_000_000
    counts = count_at(ThreadEvents({1000: 2, 1500: 1}), times_ns, since_ns)
    assert counts.tolist() == [0, 2, 2, 3, 3]


def test_the_last_sample_has_all_events_even_if_the_clocks_differ() -> None:
    counts = count_at(ThreadEvents({1000: 2, 1500: 1}), np.array([0, 1], dtype=np.int64), 0)
    assert counts.tolist() == [0, 3]


def test_without_events_every_sample_has_none() -> None:
    assert count_at(ThreadEvents(), np.array([5, 6], dtype=np.int64), 0).tolist() == [0, 0]


def test_the_places_with_most_events_are_named() -> None:
    events = ThreadEvents({}, {"A.a:1": 1, "": 2, "C.c:3": 5, "D.d:4": 2})
    assert describe_places(events) == "C.c:3 (5), outside of the program (2), D.d:4 (2), …"


def test_a_jvm_that_left_no_recording_makes_the_run_invalid(tmp_path: Path) -> None:
    recording = recorded()
    (problem,) = add_counts(recording, prepare(tmp_path), 0.1)
    assert problem.kind is ProblemKind.EARLY_LOSS


def test_a_jvm_that_cannot_count_is_no_run(tmp_path: Path) -> None:
    recording = recorded()
    recording.metadata["buto.recording.missing"] = "this Java has no virtual threads"
    with pytest.raises(MeasureError, match="this Java has no virtual threads") as caught:
        add_counts(recording, prepare(tmp_path), 0.1)
    assert "virtual-threads" in str(caught.value.advice)
