"""Runs as text: figures in their units, reasons for what could not be read, nothing that moves a cursor."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np

from buto.report.terminal.runs import MAX_NOTIFICATIONS, list_lines, run_lines
from buto.run.format import encode, head_data, head_of
from buto.run.model import Notification, Outcome, Run, SourceState
from buto.run.properties import Property, property_for
from buto.run.store import RunSummary

NOW = datetime(2026, 11, 20, 23, 43, 41, tzinfo=UTC)


def a_run(**changes: Any) -> Run:
    fields: dict[str, Any] = {
        "id": "20261120T234041.000Z-1f2e",
        "test": "leaker",
        "properties": (
            property_for("jvm.memory.heap.used"),
            property_for("buto.snapshot.time"),
            Property("broken"),
        ),
        "times_s": np.array([0.0, 0.1, 0.2]),
        "values": np.array(
            [[math.nan, 1e-4, math.nan], [2**20, 2e-4, math.nan], [4 * 2**20, 1e-4, math.nan]]
        ),
        "outcome": Outcome(None, 9, duration_s=0.25),
        "nan_reasons": {"broken": "no such attribute", "jvm.memory.heap.used": "too early"},
    }
    return Run(**(fields | changes))


def line_of(lines: list[str], word: str) -> str:
    (line,) = [line for line in lines if line.strip().startswith(word)]
    return line


def test_a_property_has_its_first_last_least_and_largest_readable_value() -> None:
    line = line_of(run_lines(a_run(), NOW), "jvm.memory.heap.used")
    assert line.split()[1:9] == ["1", "MiB", "4", "MiB", "1", "MiB", "4", "MiB"]
    assert line.endswith("▁█  too early")


def test_what_was_never_readable_says_why() -> None:
    line = line_of(run_lines(a_run(), NOW, whole=True), "broken")
    assert line.split()[1:5] == ["unreadable"] * 4
    assert line.endswith("no such attribute")


def test_each_source_says_how_it_ended() -> None:
    states = (SourceState("db", "sql", "it refuses\nthe connection"), SourceState("machine", "host"))
    lines = run_lines(a_run(sources=states), NOW)
    assert line_of(lines, "db").split(maxsplit=2)[1:] == [
        "sql",
        "gave nothing at the end: it refuses\\nthe connection",
    ]
    assert line_of(lines, "machine").split(maxsplit=2)[1:] == ["host", "was read to the end"]


def test_the_cost_of_measuring_is_separate() -> None:
    lines = run_lines(a_run(), NOW, whole=True)
    names = [line.split()[0] for line in lines[lines.index("properties") + 2 :] if line]
    assert names == ["jvm.memory.heap.used", "broken", "cost", "first", "buto.snapshot.time"]


def test_how_a_run_ended_is_reported_in_words() -> None:
    lines = run_lines(a_run(), NOW)
    assert line_of(lines, "run:").endswith("(3 min ago)")
    assert line_of(lines, "outcome:").endswith("was ended by signal 9; ran for 250 ms")


def test_long_lists_are_cut_and_counted_unless_all_is_asked_for() -> None:
    notifications = tuple(Notification(0.1, "t", "s", n, "m" * 500) for n in range(MAX_NOTIFICATIONS + 5))
    run = a_run(notifications=notifications, metadata={"system.property[a]": "1", "jvm.name": None})
    short, whole = (run_lines(run, NOW, whole=whole) for whole in (False, True))
    assert "5 more" in short[-1]
    assert not any("system.property[a]" in line or "m" * 500 in line for line in short)
    assert any("1 system property, shown by --whole" in line for line in short)
    assert sum("m" * 500 in line for line in whole) == len(notifications)
    assert line_of(whole, "system.property[a]").split()[1] == "1"


def test_a_run_without_anything_has_no_empty_sections() -> None:
    lines = run_lines(a_run(properties=(), values=np.empty((3, 0)), nan_reasons={}), NOW)
    assert not {"properties", "cost of measuring", "notifications", "metadata"} & set(lines)


def test_ids_of_other_makers_have_no_age() -> None:
    (_, line) = list_lines([("leaker", RunSummary("mine", None, "it is missing"))], NOW)
    assert line.split(maxsplit=2) == ["leaker", "mine", "damaged: it is missing"]
    assert line_of(run_lines(a_run(id="mine"), NOW), "run:").split() == ["run:", "mine"]


def test_no_text_of_a_run_reaches_the_terminal_raw() -> None:
    evil = "\x1b[31m\r\n\x9b\u202e"
    run = a_run(
        test=evil,
        properties=(Property(evil),),
        values=np.full((3, 1), math.nan),
        nan_reasons={evil: evil},
        metadata={evil: evil},
        notifications=(Notification(0.1, evil, evil, 1, evil),),
    )
    for line in (*run_lines(run, NOW, whole=True), *list_lines([(evil, RunSummary("1", None, evil))], NOW)):
        assert line.isprintable()


def test_what_is_always_zero_or_unreadable_is_only_counted() -> None:
    lines = run_lines(a_run(), NOW)
    assert not [line for line in lines if line.strip().startswith("broken")]
    assert line_of(lines, "... 1 always zero or unreadable, shown by --whole")


def test_known_metadata_is_read_in_its_unit_and_whole_as_recorded() -> None:
    run = a_run(metadata={"host.memory.total": 3 * 2**30, "jvm.start.time": 1795225258186, "jvm.uptime": 321})
    short, whole = (run_lines(run, NOW, whole=whole) for whole in (False, True))
    assert line_of(short, "host.memory.total").split()[1:] == ["3", "GiB"]
    assert line_of(short, "jvm.start.time").split()[1:] == ["2026-11-21", "01:40:58", "UTC"]
    assert line_of(short, "jvm.uptime").split()[1:] == ["321", "ms"]
    assert line_of(whole, "host.memory.total").split()[1:] == [str(3 * 2**30)]


def test_a_jvm_that_was_left_running_is_listed_so() -> None:
    head = head_of(head_data(encode(a_run(outcome=Outcome(None)), {})))
    assert "left running" in list_lines([("leaker", RunSummary("1", head))], NOW)[1]
