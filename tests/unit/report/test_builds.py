"""The builds of a test from its history: order, marks, levels, steps, and the page with them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.report.builds import HEADLINES, BuildHistory, Event, Release, arrange, past_of
from buto.report.history import HistoryEntry
from buto.report.html.history import render_history
from buto.report.result import Commit

MONDAY = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
ALLOCATED, THREADS, DURATION = "jvm.memory.allocated", "jvm.thread.count", "run.duration"
COMMITS = [
    Commit(f"{n:040x}", f"Ann {n % 3} <ann@acme.com>", f"2026-01-{n % 28 + 1:02}", f"Change {n}")
    for n in range(60)
]


def entry(number: int, **changes: Any) -> HistoryEntry:
    scatter = 1 + 0.001 * np.sin(7.0 * number)
    fields: dict[str, Any] = {
        "at": MONDAY + timedelta(hours=number),
        "status": "pass",
        "commit": COMMITS[number % 60].name,
        "levels": {ALLOCATED: 100e6 * scatter, THREADS: 10.0, DURATION: 2.0 + 0.1 * np.cos(3.0 * number)},
        "subjects": (),
        "run_ids": (str(number),),
    }
    return HistoryEntry(**{**fields, **changes})


def with_more(given_entry: HistoryEntry, name: str, factor: float) -> HistoryEntry:
    return replace(given_entry, levels={**given_entry.levels, name: given_entry.levels[name] * factor})


TRAINED = entry(0, status="trained", at=MONDAY - timedelta(hours=1), run_ids=("training",))
ENTRIES = [
    TRAINED,
    *(with_more(entry(n), ALLOCATED, 1.02 if n >= 20 else 1.0) for n in range(40)),
]


def curve_of(past: BuildHistory, name: str) -> Any:
    return next(curve for curve in past.curves if curve.quantity.name == name)


def test_a_small_step_of_an_exact_total_is_shown_with_its_commit() -> None:
    past = past_of("shop", ENTRIES, COMMITS)
    curve = curve_of(past, ALLOCATED)
    assert [segment.start for segment in curve.segments] == [0, 21]
    build = past.builds[21]
    assert build.commit is not None
    assert (build.commit.subject, build.commit.author) == ("Change 20", "Ann 2 <ann@acme.com>")
    assert curve.moved == pytest.approx(0.4, rel=0.2)
    assert past.most_moved is curve


def test_a_step_of_time_is_shown_only_from_its_size_on() -> None:
    slower = [
        with_more(command_entry, DURATION, 1.08 if number > 20 else 1.0)
        for number, command_entry in enumerate(ENTRIES)
    ]
    assert len(curve_of(past_of("shop", slower, COMMITS), DURATION).segments) == 1
    slower = [
        with_more(command_entry, DURATION, 1.3 if number > 20 else 1.0)
        for number, command_entry in enumerate(ENTRIES)
    ]
    curve = curve_of(past_of("shop", slower, COMMITS), DURATION)
    assert [segment.start for segment in curve.segments] == [0, 21]
    assert not curve.is_exact


@pytest.mark.parametrize("n_after", [1, 2])
def test_a_failed_check_is_a_step_at_once(n_after: int) -> None:
    """The level of now is that of the builds since then, and not between theirs and the one before."""
    entries = [TRAINED, entry(0), entry(1)]
    entries += [
        with_more(entry(2 + n, status="regression", subjects=(ALLOCATED,)), ALLOCATED, 2.0)
        for n in range(n_after)
    ]
    curve = curve_of(past_of("shop", entries, COMMITS, [Release("v1", COMMITS[1].name)]), ALLOCATED)
    assert [segment.start for segment in curve.segments] == [0, 3]
    assert curve.now == pytest.approx(200e6, rel=0.01)
    assert curve.anchor == pytest.approx(100e6, rel=0.01)


def test_a_release_between_two_steps_that_checks_decided_has_its_own_level() -> None:
    """Accepted, released and taken back, a commit each: too few builds to see it in values alone."""
    kept = with_more(entry(3, status="regression", subjects=(ALLOCATED,)), ALLOCATED, 7.0)
    accepted = with_more(entry(4, status="trained", is_accepted=True), ALLOCATED, 7.0)
    back = entry(6, status="regression", subjects=(ALLOCATED,), is_welcome=True)
    entries = [TRAINED, *map(entry, range(3)), kept, accepted]
    entries += [with_more(entry(5), ALLOCATED, 7.0), back, *map(entry, range(7, 10))]
    curve = curve_of(past_of("shop", entries, COMMITS, [Release("v1", COMMITS[5].name)]), ALLOCATED)
    assert (curve.anchor, curve.now) == (pytest.approx(700e6, rel=0.01), pytest.approx(100e6, rel=0.01))
    assert [segment.start for segment in curve.segments] == [0, 4, 7]


def test_what_scatters_without_a_step_has_not_moved_since_a_release() -> None:
    """Resident memory of one build may be far from that of another."""
    random = np.random.default_rng(1)
    scattered = [
        with_more(command_entry, DURATION, 1 + 0.2 * random.standard_normal()) if number else command_entry
        for number, command_entry in enumerate(ENTRIES)
    ]
    releases = [Release(f"v{n}", COMMITS[n].name) for n in (7, 15, 38)]
    curve = curve_of(past_of("shop", scattered, COMMITS, releases), DURATION)
    assert len(curve.segments) == 1
    assert curve.moved == 0


def test_without_a_release_the_last_training_is_the_anchor() -> None:
    past = past_of("shop", ENTRIES, COMMITS)
    assert past.anchor == 0
    assert [(mark.event, mark.place) for mark in past.marks] == [(Event.TRAINED, 0)]
    assert curve_of(past, THREADS).anchor == 10.0


def test_the_newest_release_is_the_anchor_at_the_level_of_its_builds() -> None:
    releases = [Release("v1.0", COMMITS[5].name), Release("v1.1", COMMITS[30].name), Release("v9", "f" * 40)]
    past = past_of("shop", ENTRIES, COMMITS, releases)
    names = [(mark.name, mark.place) for mark in past.marks if mark.event is Event.RELEASED]
    assert names == [("v1.0", 6), ("v1.1", 31)]
    curve = curve_of(past, ALLOCATED)
    assert past.marks[past.anchor or 0].name == "v1.1"
    assert curve.levels[1] == pytest.approx(100e6, rel=0.002)
    assert curve.anchor == pytest.approx(102e6, rel=0.002)


def test_a_release_of_the_newest_build_is_compared_with_the_one_before() -> None:
    releases = [Release("v1", COMMITS[10].name), Release("v2", COMMITS[39].name)]
    past = past_of("shop", ENTRIES, COMMITS[:40], releases)
    assert past.anchor is not None
    assert past.marks[past.anchor].name == "v1"


def test_a_release_before_the_first_build_is_no_mark() -> None:
    later = [
        replace(command_entry, commit=COMMITS[20 + number % 20].name)
        for number, command_entry in enumerate(ENTRIES)
    ]
    past = past_of("shop", later, COMMITS, [Release("v0", COMMITS[3].name)])
    assert all(mark.event is not Event.RELEASED for mark in past.marks)


def test_a_trailer_is_a_mark_where_it_first_counts_and_again_after_a_training() -> None:
    waived = [
        replace(command_entry, waived=(ALLOCATED,)) if n >= 21 else command_entry
        for n, command_entry in enumerate(ENTRIES)
    ]
    later = entry(30, status="trained", is_accepted=True, run_ids=("again",))
    past = past_of("shop", [*waived[:31], later, *waived[31:]], COMMITS)
    places = [mark.place for mark in past.marks if mark.event is Event.WAIVED]
    assert [past.builds[place].entry for place in places] == [waived[21], waived[31]]
    assert past.anchor is not None
    assert past.marks[past.anchor].event is Event.ACCEPTED


def test_checks_of_other_branches_are_left_out_and_counted() -> None:
    other = entry(12, commit="a" * 40, at=MONDAY + timedelta(hours=12, minutes=5))
    past = past_of("shop", [*ENTRIES[:14], other, *ENTRIES[14:]], COMMITS)
    assert past.n_left_out == 1
    assert len(past.builds) == len(ENTRIES)


def test_after_a_rebase_the_order_is_that_of_time_and_that_is_said() -> None:
    past = past_of("shop", [replace(command_entry, commit="b" * 40) for command_entry in ENTRIES], COMMITS)
    assert past.is_by_time
    assert past.n_left_out == 0
    assert len(past.builds) == len(ENTRIES)


def test_a_check_of_changed_files_stands_behind_the_check_before_it() -> None:
    changed = entry(3, commit=f"{COMMITS[3].name}+dirty", at=MONDAY + timedelta(hours=3, minutes=1))
    builds, _ = arrange([*ENTRIES[:5], changed, *ENTRIES[5:]], COMMITS)
    assert builds[5].entry is changed
    assert builds[5].commit is None


@given(st.permutations(range(12)))
def test_the_clock_does_not_order_builds(hours: list[int]) -> None:
    entries = sorted(
        (replace(entry(n), at=MONDAY + timedelta(hours=hour)) for n, hour in enumerate(hours)),
        key=lambda command_entry: command_entry.at,
    )
    builds, is_by_time = arrange(entries, COMMITS)
    assert not is_by_time
    assert [build.entry.commit for build in builds] == [commit.name for commit in COMMITS[:12]]


def test_a_slow_drift_is_a_trend_and_no_step() -> None:
    drift = [
        with_more(command_entry, ALLOCATED, 1.0 + 0.0006 * max(0, number - 25))
        for number, command_entry in enumerate(ENTRIES[:41])
    ]
    flat = [
        with_more(values, ALLOCATED, 1 / 1.02 if number > 20 else 1.0) for number, values in enumerate(drift)
    ]
    curve = curve_of(past_of("shop", flat, COMMITS), ALLOCATED)
    assert len(curve.segments) == 1
    assert curve.trend is not None
    assert curve.trend.per_build > 0
    assert curve_of(past_of("shop", ENTRIES, COMMITS), THREADS).trend is None


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_page_has_the_test_that_moved_most_first_and_each_commit_once() -> None:
    still = past_of("still", ENTRIES[:15], COMMITS)
    moved = past_of(
        "moved",
        [
            with_more(command_entry, THREADS, 1.5 if command_entry is not TRAINED else 1)
            for command_entry in ENTRIES
        ],
        COMMITS,
    )
    page = render_history([still, moved], MONDAY)
    data = data_of(page)
    assert [test["name"] for test in data["tests"]] == ["moved", "still"]
    assert len(data["commits"]) == 40
    assert "ann@acme.com" not in page
    assert set(re.findall(r"https?://[^\"]*", page)) == {"http://www.w3.org/2000/svg"}


@pytest.mark.slow
def test_a_thousand_builds_of_twenty_tests_are_a_small_page() -> None:
    random = np.random.default_rng(1)
    names = [*HEADLINES, "jvm.gc.count[G1 Young Generation]", "process.io.bytes[read]"]
    commits = [
        replace(COMMITS[0], name=f"{n:040x}", subject=f"Change {n} of the catalogue") for n in range(1000)
    ]
    pasts = []
    for number in range(20):
        entries = [
            entry(
                n, commit=commit.name, levels=dict(zip(names, 1e6 * random.random(len(names)), strict=True))
            )
            for n, commit in enumerate(commits)
        ]
        pasts.append(past_of(f"test {number}", entries, commits))
    assert len(render_history(pasts, MONDAY).encode()) < 3_000_000


def test_text_of_commits_cannot_leave_the_data() -> None:
    hostile = [replace(commit, subject="</script><script>alert(1)</script>\u202e") for commit in COMMITS]
    page = render_history([past_of("<b>shop", ENTRIES, hostile)], MONDAY)
    assert "<script>alert" not in page
    assert "<b>shop" not in page
    assert "\u202e" not in page


def test_a_test_without_checks_or_levels_has_a_page() -> None:
    nothing = [replace(command_entry, levels={}) for command_entry in ENTRIES[:3]]
    for entries in ([TRAINED], nothing, []):
        data = data_of(render_history([past_of("shop", entries, [])], MONDAY))
        assert data["tests"][0]["n"] == len(entries)
