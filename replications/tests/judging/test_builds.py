"""The monitor over builds, counted on runs of known truth."""

from __future__ import annotations

import numpy as np
import pytest

from buto.run.model import RunSet
from buto_replications.judging.builds import FOUND, GOOD, STARTS, BuildsTask, Counted, counted, tables
from tests.support.runs.signals import Program, program_runs

OLD, NEW = program_runs(1, 20), program_runs(2, 6, Program(threads=2))


@pytest.fixture(scope="module")
def found() -> list[Counted]:
    pair = BuildsTask("apart", "threads", OLD, 1, NEW, draws=2)
    same = BuildsTask("good", "same", OLD, 1, program_runs(3, 6), draws=2)
    stream = BuildsTask("row", "same@host", program_runs(4, 30), 1)
    return [entry for task in (pair, same, stream) for entry in counted(task)]


def values(found: list[Counted], case: str, name: str) -> list[float]:
    return [
        counted_check.value
        for counted_check in found
        if (counted_check.case, counted_check.name) == (case, name)
    ]


def test_two_threads_more_are_found_at_the_fourth_build(found: list[Counted]) -> None:
    assert values(found, FOUND, "threads") == [4.0, 4.0]
    assert values(found, FOUND, "same") == [np.inf, np.inf]


def test_unchanged_builds_are_counted_and_start_nothing(found: list[Counted]) -> None:
    assert values(found, GOOD, "same") == [0.0] * 20
    assert values(found, STARTS, "same@host") == [0.0] * 20


def test_tables_state_the_upper_limit_of_what_never_happened(found: list[Counted]) -> None:
    starts, alone, *_ = tables(found)
    assert starts.rows[0][:4] == ("row, in the order of time", "1", "20", "0")
    assert float(starts.rows[0][4]) > 0
    assert alone.rows[0][:2] == ("apart", "1")


def test_a_stream_without_allocated_bytes_has_no_shares() -> None:
    task = BuildsTask("row", "same@host", RunSet(program_runs(4, 31).runs), 1)
    assert {counted_check.case for counted_check in counted(task)} == {STARTS}
