"""Two equal parts of the processors, and the load on some of them."""

from __future__ import annotations

import os
import time

import pytest

from buto.errors import MeasureError
from buto.measure import host
from buto.measure.host import LoadMeter, describe, halves, two_halves
from buto.measure.target import Target


def sets(*listed: tuple[int, ...]) -> list[frozenset[int]]:
    return [frozenset(one) for one in listed]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (sets((0,), (1,)), ((0,), (1,))),
        (sets((0,), (1,), (2,), (3,)), ((0, 2), (1, 3))),
        (sets((0,), (1,), (2,)), ((0,), (1,))),
        (sets((0, 4), (1, 5), (2, 6), (3, 7)), ((0, 2, 4, 6), (1, 3, 5, 7))),
        (sets((0, 1), (2, 3)), ((0, 1), (2, 3))),
        (sets((0, 1), (2,), (3,)), ((2,), (3,))),
        (sets((0, 1)), ((0,), (1,))),
    ],
)
def test_both_parts_have_whole_cores_of_equal_size(
    found: list[frozenset[int]], expected: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    assert halves(found) == expected


@pytest.mark.parametrize(
    ("cpus", "limit", "got"), [({3}, None, "1"), ({0, 1}, 0.5, "0.5"), ({0, 1}, 1.5, "1.5")]
)
def test_less_than_two_cores_are_an_error_that_names_the_way_without(
    monkeypatch: pytest.MonkeyPatch, cpus: set[int], limit: float | None, got: str
) -> None:
    monkeypatch.setattr(host, "visible_cpus", lambda: frozenset(cpus))
    monkeypatch.setattr(host, "cores_limit", lambda: limit)
    with pytest.raises(MeasureError, match=f"need at least 2 cores, got {got}\n") as caught:
        two_halves()
    assert caught.value.advice == "compare without --duet, which launches them in turns"


def test_the_threads_of_one_core_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    siblings = {0: "0-1", 1: "0-1", 2: "2,3", 3: "2,3"}
    monkeypatch.setattr(host, "visible_cpus", lambda: frozenset(siblings))
    monkeypatch.setattr(host, "cores_limit", lambda: None)
    monkeypatch.setattr(host, "read", lambda path: siblings[int(path.split("/")[5].removeprefix("cpu"))])
    assert two_halves() == ((0, 1), (2, 3))


def test_a_pinned_program_has_only_its_cores_and_its_run_says_which() -> None:
    known = describe(Target(("java",), cores=(1, 3)))
    assert (known["host.cores"], known["process.cores"]) == (2, "1,3")
    assert "process.cores" not in describe(Target(("java",)))


def test_the_load_of_some_cores_counts_this_process_as_another_one() -> None:
    """This process keeps one core busy, and knows of it only if it is told."""
    cpus = sorted(os.sched_getaffinity(0))
    here = LoadMeter(cpus[:1])
    os.sched_setaffinity(0, cpus[:1])
    try:
        end_s = time.process_time() + 0.3
        while time.process_time() < end_s:
            pass
    finally:
        os.sched_setaffinity(0, cpus)
    before, seen, after = 1.0 - here.idle_share(), here.foreign_load(), 1.0 - here.idle_share()
    assert min(before, after) - 0.05 <= seen <= max(before, after) + 0.05
    assert here.foreign_load(known_s=0.3) < here.foreign_load()
