"""Levels of runs, and the history that is read back from kept results."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from buto.errors import UsageError
from buto.judging.verdict import Effect, Status
from buto.report.formats.json_result import result_document, result_text
from buto.report.formats.trackers import otava_text
from buto.report.history import HistoryEntry, entry_of, in_order, series, usual_properties
from buto.report.levels import levels, median_levels, select
from buto.report.plots.charts import PNG, SVG, drawing
from buto.report.plots.pictures import history_plot
from buto.report.result import Result
from buto.report.terminal.history import history_lines
from buto.run.model import Outcome, Run
from buto.run.properties import Kind, Property, Role
from tests.support.report import golden, made

MONDAY = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
HEAP = "jvm.memory.heap.used"


def entry(day: int, **changes: Any) -> HistoryEntry:
    fields: dict[str, Any] = {
        "at": MONDAY + timedelta(days=day),
        "status": "pass",
        "commit": f"{day:040d}",
        "levels": {HEAP: (8 + day) * 2.0**20, "jvm.thread.count": 10.0},
        "subjects": (),
        "run_ids": (str(day),),
    }
    return HistoryEntry(**{**fields, **changes})


WEEK = [
    entry(0, status="trained", is_accepted=True),
    entry(1),
    entry(2, status="regression", subjects=(HEAP, "other"), commit=f"{2:040d}+dirty", p_value=0.01),
    entry(3, status="inconclusive", commit=None),
]


def test_a_counter_counts_as_a_whole_and_anything_else_by_its_mean() -> None:
    properties = (
        Property("counter", kind=Kind.COUNTER),
        Property("gauge"),
        Property("never read"),
        Property("of the tool", role=Role.COST),
    )
    values = np.array([[1.0, 1.0, np.nan, 1.0], [5.0, 4.0, np.nan, 1.0]])
    run = Run("1", "t", properties, np.array([0.0, 1.0]), values, Outcome(0, duration_s=1.5))
    assert levels(run) == {"run.duration": 1.5, "counter": 5.0, "gauge": 2.5}


def test_the_median_is_of_those_runs_that_have_the_property() -> None:
    assert median_levels([{"a": 1.0, "b": 7.0}, {"a": 3.0}, {"a": 9.0}]) == {"a": 3.0, "b": 7.0}


def kept(result: Result, command: str = "check") -> bytes:
    return result_text(result_document(command, [result], 0, made.FINISHED)).encode()


def test_what_is_kept_of_a_check_is_read_back() -> None:
    found = entry_of(kept(made.regression()))
    assert (found.status, found.commit, found.run_ids) == (
        "regression",
        made.METADATA["buto.commit"],
        (made.RUN_ID,),
    )
    assert found.at == datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
    assert found.short_commit == "012345678+"
    assert found.subjects == (made.OLD_GENERATION, "com.acme.full")
    assert found.levels[made.THREADS] == 10.0


def test_a_result_of_the_version_before_headlines_is_read() -> None:
    found = entry_of((golden.PLACE / "result-5.json").read_bytes())
    assert found.subjects == ("com.acme.full", made.OLD_GENERATION)


def test_what_is_only_noted_is_not_remembered_as_found() -> None:
    judged = made.verdict(Status.PASS, noted=(made.leak(),))
    assert entry_of(kept(Result("leaker", made.ORACLE, [made.run()], judged))).subjects == ()


def test_only_what_was_accepted_is_reported_as_accepted() -> None:
    learned = Result("leaker", made.ORACLE, [made.run()])
    results = [entry_of(kept(learned, command)).result for command in ("train", "accept")]
    assert results == ["ORACLE TRAINED", "ORACLE ACCEPTED"]


def test_a_check_is_remembered_by_what_leads_its_findings() -> None:
    names = ("jvm.memory.committed[G1 Old Gen]", "jvm.memory.heap.used", "jvm.cpu.time")
    judged = made.verdict(findings=tuple(made.leak(subject=name) for name in names))
    found = entry_of(kept(Result("leaker", made.ORACLE, [made.run()], judged)))
    assert found.subjects == ("jvm.cpu.time", "jvm.memory.heap.used")


@pytest.mark.parametrize("status", [Status.PASS, Status.INCONCLUSIVE])
def test_a_check_that_does_not_fail_is_not_called_changed(status: Status) -> None:
    better = replace(made.leak(), effect=Effect.BETTER)
    content = kept(Result("leaker", made.ORACLE, [made.run()], made.verdict(status, findings=(better,))))
    # As results of before said it.
    for stored in (content, content.replace(b'"welcome": false', b'"welcome": true')):
        assert entry_of(stored).result == status.value


@pytest.mark.parametrize(
    ("effects", "result"),
    [
        ((Effect.BETTER,), "changed"),
        ((Effect.BETTER, Effect.WORSE), "regression"),
        ((Effect.WORSE,), "regression"),
    ],
)
def test_a_check_that_fails_only_for_the_better_is_called_changed(
    effects: tuple[Effect, ...], result: str
) -> None:
    names = ("jvm.cpu.time", "jvm.thread.count")
    findings = [
        replace(made.leak(subject=name), effect=effect) for name, effect in zip(names, effects, strict=False)
    ]
    found = entry_of(
        kept(Result("leaker", made.ORACLE, [made.run()], made.verdict(findings=tuple(findings))))
    )
    assert (found.result, found.status) == (result, "regression")


def test_a_training_stands_where_it_ended() -> None:
    found = entry_of(kept(Result("leaker", made.ORACLE, [made.run("20250101T000000.000Z-0000")]), "train"))
    assert found.is_training
    assert found.at == made.FINISHED.replace(microsecond=678_000)


@pytest.mark.parametrize(
    ("content", "results"),
    [
        (b"{", "Expecting"),
        (b"[]", "is not marked as a buto-result"),
        (
            kept(made.regression()).replace(b'"version": 6', b'"version": 4'),
            "of version 4; this buto reads 5 and 6",
        ),
        (kept(made.regression()).replace(b'"levels"', b'"level"'), "levels' is missing"),
        (b"\xff", "decode"),
    ],
)
def test_what_is_not_a_result_is_refused(content: bytes, results: str) -> None:
    with pytest.raises(ValueError, match=re.escape(results)):
        entry_of(content)


def changed(place: str, value: Any) -> bytes:
    """The result of a regression with another value at a place."""
    document = json.loads(kept(made.regression()))
    *parents, last = [int(key) if key.isdecimal() else key for key in place.split("/")]
    part: Any = document
    for key in parents:
        part = part[key]
    part[last] = value
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ("finished", "2026-01-05T12:00:00", "finished"),
        ("finished", "0001-01-01T00:00:00+00:00", "finished"),
        ("finished", 7, "finished"),
        ("command", ["check"], "command"),
        ("tests", [], "tests"),
        ("tests/0", [5], "tests[0]"),
        ("tests/0/status", None, "tests[0].status"),
        ("tests/0/runs", {}, "tests[0].runs"),
        ("tests/0/runs/0/levels", [["a", 1.0]], "tests[0].runs[0].levels"),
        ("tests/0/runs/0/levels/run.duration", "nan", "tests[0].runs[0].levels"),
        ("tests/0/runs/0/levels/run.duration", 10**400, "tests[0].runs[0].levels"),
        ("tests/0/verdict", [5], "tests[0].verdict"),
        ("tests/0/verdict/p_value", "nan", "tests[0].verdict.p_value"),
        ("tests/0/verdict/p_value", -0.5, "tests[0].verdict.p_value"),
        ("tests/0/verdict/findings", [5], "tests[0].verdict.findings[0]"),
        ("tests/0/verdict/findings/0/effect", "splendid", "tests[0].verdict.findings[0].effect"),
        ("tests/0/verdict/headlines", [[]], "tests[0].verdict.headlines[0]"),
        ("tests/0/verdict/headlines/0/finding", -1, "tests[0].verdict.headlines[0].finding"),
        ("tests/0/verdict/headlines/0/finding", 99, "tests[0].verdict.headlines"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_field(place: str, value: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        entry_of(changed(place, value))


def test_runs_that_were_judged_again_count_once_and_as_they_were_judged_last() -> None:
    again = replace(WEEK[2], status="pass")
    assert in_order([WEEK[2], WEEK[1], again, WEEK[0]]) == [WEEK[0], WEEK[1], again]


def test_what_was_found_most_often_is_shown_unless_something_is_named() -> None:
    assert usual_properties(WEEK, 3) == [HEAP]
    assert usual_properties(WEEK[:2], 3) == [HEAP]
    assert usual_properties([], 3) == []


def test_a_history_is_a_curve_for_each_property_and_a_row_for_each_check() -> None:
    assert history_lines("leaker", WEEK, [HEAP]) == [
        "leaker: 3 checks, 1 training",
        "",
        "jvm.memory.heap.used  ▁▃▆█  8 MiB to 11 MiB",
        "",
        "WHEN (UTC)        COMMIT      RESULT           P     jvm.memory.heap.used  FOUND",
        "2026-01-05 12:00  000000000   ORACLE ACCEPTED        8 MiB",
        "2026-01-06 12:00  000000000   pass                   9 MiB",
        f"2026-01-07 12:00  000000000+  regression       0.01  10 MiB                {HEAP} and 1 more",
        "2026-01-08 12:00              inconclusive           11 MiB",
    ]


def test_a_property_that_a_check_lacks_leaves_a_gap() -> None:
    entries = [entry(0), entry(1, levels={})]
    assert np.isnan(series(entries, HEAP)[1])
    assert history_lines("leaker", entries, [HEAP])[-1].endswith("pass")
    assert "no data" in history_lines("leaker", entries, ["x"])[2]


@pytest.mark.parametrize("text", made.EVIL)
def test_text_from_outside_is_only_text(text: str) -> None:
    strange = [entry(0, status=text, commit=text, levels={text: 1.0}, subjects=(text, text))]
    assert all(line.isprintable() for line in history_lines(text, strange, [text]))
    rows = list(csv.reader(io.StringIO(otava_text(strange))))
    assert [len(row) for row in rows] == [3, 3]
    assert all(cell.isprintable() for row in rows for cell in row)


def test_names_from_outside_are_drawn_and_nothing_else() -> None:
    text = "$x^$ \x1b[2J \u202e 😀"
    figure = history_plot(text, [entry(0, commit=text, levels={text: 1.0})], [text])
    assert drawing(figure, PNG).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({}, "pass"),
        ({"status": "regression"}, "regression"),
        ({"status": "regression", "is_welcome": True}, "changed for the better"),
        ({"status": "inconclusive"}, "inconclusive"),
        ({"status": "trained"}, "oracle trained"),
        ({"status": "trained", "is_accepted": True}, "oracle accepted"),
    ],
)
def test_every_result_has_a_mark_in_the_picture(changes: dict[str, Any], label: str) -> None:
    figure = history_plot("leaker", [entry(0, **changes)], [HEAP])
    assert label in [text.get_text() for text in figure.legends[0].get_texts()]


def test_otava_gets_a_row_for_each_check_and_no_empty_cell() -> None:
    rows = list(csv.reader(io.StringIO(otava_text([*WEEK, entry(4, levels={HEAP: 1.0})]))))
    assert rows[0] == ["time", "commit", HEAP]
    assert rows[1] == ["2026-01-06T12:00:00+00:00", f"{1:040d}", repr(9.0 * 2**20)]
    assert len(rows) == 5
    assert all(datetime.fromisoformat(time).tzinfo and float(level) for time, _, level in rows[1:])
    assert otava_text(WEEK, ["jvm.thread.count"]).startswith("time,commit,jvm.thread.count\n")
    assert otava_text([]) == "time,commit\n"
    golden.same("otava.csv", otava_text(WEEK))


def test_every_result_has_its_mark_in_the_picture() -> None:
    text = drawing(history_plot("leaker", WEEK, [HEAP, "jvm.thread.count"]), SVG).decode()
    assert text.count("<!-- oracle accepted -->") == 1
    for status in Status:
        assert text.count(f"<!-- {status.value} -->") == 1


def test_a_name_means_itself_a_metric_its_instances_and_a_star_anything() -> None:
    names = ["jvm.gc.count[G1 Old]", "jvm.gc.count[G1 Young]", "jvm.gc.time[G1 Old]", HEAP]
    assert select(names, ["jvm.gc.count[G1 Old]"], "x") == names[:1]
    assert select(names, ["jvm.gc.count"], "x") == names[:2]
    assert select(names, [HEAP, "jvm.gc.*"], "x") == [HEAP, *names[:3]]
    with pytest.raises(UsageError, match=r"x has no property 'jvm.gc.cuont'; did you mean 'jvm.gc"):
        select(names, ["jvm.gc.cuont"], "x")
