"""Evidence over builds on series of known truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from buto.judging import monitor
from buto.judging.detector import CalibratedDetector
from buto.judging.judge_settings import CALIBRATED
from buto.judging.monitor import Build, BuildSeries, in_order, look, trend_of
from buto.run.properties import property_for
from tests.support.runs.signals import program_runs

QUANTITIES = tuple(map(property_for, ("jvm.memory.allocated", "jvm.thread.count", "jvm.class.loaded")))
LEVELS = np.array([400e6, 12.0, 3000.0])
GRAIN = np.array([4096.0, 0.1, 0.1])


def series(n_builds: int, seed: int = 0, n_training: int = 20, scatter: float = 0.002) -> BuildSeries:
    """An unchanged program: allocation scatters by a share, threads and classes are nearly the same."""
    random = np.random.default_rng(seed)
    values = np.tile(LEVELS, (n_training + n_builds, 1))
    values[:, 0] *= 1 + scatter * random.standard_normal(len(values))
    values[:, 2] += random.integers(0, 3, len(values))
    builds = [Build(f"run{n:04}", f"c{n:04}", row) for n, row in enumerate(values[n_training:])]
    return BuildSeries(QUANTITIES, np.ones(3), GRAIN, values[:n_training], tuple(builds))


def raised(given: BuildSeries, first: int, column: int, amount: float) -> BuildSeries:
    """The same with so much more of a quantity from a build on."""
    more = np.zeros(3)
    more[column] = amount
    builds = [
        structs.replace(build, values=build.values + more) if number >= first else build
        for number, build in enumerate(given.builds)
    ]
    return structs.replace(given, builds=tuple(builds))


def test_one_thread_more_is_found_at_the_fourth_build_and_dated() -> None:
    given = series(9)
    assert look(raised(structs.replace(given, builds=given.builds[:8]), 5, 1, 1.0)) is None
    alarm = look(raised(given, 5, 1, 1.0))
    assert alarm is not None
    assert alarm.quantity.name == "jvm.thread.count"
    assert (alarm.window, alarm.since.commit) == (4, "c0005")
    assert alarm.before is not None
    assert alarm.before.commit == "c0004"
    assert (alarm.old, alarm.new) == (pytest.approx(12.0), pytest.approx(13.0))


def test_a_change_at_the_first_build_has_only_the_training_before_it() -> None:
    alarm = look(raised(series(4), 0, 1, 1.0))
    assert alarm is not None
    assert alarm.since.commit == "c0000"
    assert alarm.before is None


def test_what_is_certain_but_below_its_size_is_no_alarm() -> None:
    assert look(raised(series(12), 4, 0, 0.04 * LEVELS[0])) is None
    assert look(raised(series(12), 4, 0, 0.06 * LEVELS[0])) is not None


def test_a_size_of_the_user_replaces_the_usual_one() -> None:
    given = raised(series(12), 4, 0, 0.04 * LEVELS[0])
    assert look(structs.replace(given, minimum={"jvm.memory.allocated": "3%"})) is not None


def test_ten_training_runs_and_three_builds_cannot_be_rare_enough() -> None:
    assert look(raised(series(3, n_training=10), 0, 1, 5.0)) is None
    assert look(raised(series(4, n_training=10), 0, 1, 5.0)) is None
    assert look(raised(series(8, n_training=10), 0, 1, 5.0)) is not None


def test_a_quantity_that_one_run_lacks_says_nothing_and_hides_nothing() -> None:
    given = raised(series(9), 5, 1, 1.0)
    holed = given.builds[2].values.copy()
    holed[0] = np.nan
    builds = (*given.builds[:2], structs.replace(given.builds[2], values=holed), *given.builds[3:])
    alarm = look(structs.replace(given, builds=builds))
    assert alarm is not None
    assert alarm.quantity.name == "jvm.thread.count"
    nothing = tuple(structs.replace(build, values=np.full(3, np.nan)) for build in given.builds)
    assert look(structs.replace(given, builds=nothing)) is None
    assert trend_of(structs.replace(given, builds=nothing)) is None


def test_a_run_long_ago_that_lacks_the_quantity_does_not_move_the_date() -> None:
    """The rank looks at the newest sixty runs before the window, and the date at all of them."""
    given = raised(series(9, n_training=80), 5, 1, 1.0)
    known = given.known.copy()
    known[3, 1] = np.nan
    alarm = look(structs.replace(given, known=known))
    assert alarm is not None
    assert alarm.before is not None
    assert (alarm.since.commit, alarm.before.commit) == ("c0005", "c0004")
    assert (alarm.old, alarm.new) == (pytest.approx(12.0), pytest.approx(13.0))


def test_unchanged_programs_alarm_as_rarely_as_promised() -> None:
    looks = []
    for seed in range(40):
        # Scatter beyond the size, so that only the rank holds the rate.
        whole = series(12, seed, scatter=0.2)
        looks += [look(structs.replace(whole, builds=whole.builds[: n + 1])) for n in range(3, 12)]
    alarms = [monitor_look for monitor_look in looks if monitor_look is not None]
    # 360 looks at .001 at most: more than three has a chance below 1 in 10,000.
    assert len(alarms) <= 3


def test_builds_after_turns_are_compared_with_what_these_have_cleared() -> None:
    changed = raised(series(12), 4, 1, 1.0)
    at = structs.replace(changed, builds=changed.builds[:8])
    alarm = look(at)
    assert alarm is not None
    turns = np.tile(LEVELS + np.array([0, 1, 1]), (10, 1))
    cleared = changed.clear(alarm.first, at.builds[-1].key, turns)
    assert [build.commit for build in cleared.builds] == ["c0008", "c0009", "c0010", "c0011"]
    assert len(cleared.known) == 14
    assert look(cleared) is None
    again = look(raised(cleared, 0, 1, 1.0))
    # 14 known runs and 4 builds: 3060 ways.
    assert again is not None
    assert again.since.commit == "c0008"


def test_builds_that_turns_have_confirmed_are_no_reference_for_later_ones() -> None:
    changed = raised(series(16), 4, 1, 1.0)
    at = structs.replace(changed, builds=changed.builds[:8])
    alarm = look(at)
    assert alarm is not None
    later = changed.without(alarm.since.key, alarm.last)
    assert [build.commit for build in later.builds] == [f"c{n:04}" for n in (*range(4), *range(8, 16))]
    assert look(structs.replace(later, builds=later.builds[:7])) is None
    again = look(structs.replace(later, builds=later.builds[:8]))
    assert again is not None
    assert again.since.commit == "c0008"
    assert changed.without("run0009", "run0001") is changed


def test_a_clearance_of_builds_that_are_gone_changes_nothing() -> None:
    given = series(6)
    assert given.clear("run9999", "run0003", np.empty((0, 3))) is given
    assert given.clear("run0004", "run0003", np.empty((0, 3))) is given


def test_order_is_that_of_commits_and_a_build_counts_once() -> None:
    row = np.zeros(3)
    builds = [Build(*text.split(), row) for text in ("r5 a", "r1 b", "r2 c", "r4 b", "r3 other")]
    assert [(build.key, build.commit) for build in in_order(builds, ["a", "b", "c"])] == [
        ("r5", "a"),
        ("r1", "b"),
        ("r2", "c"),
    ]


def test_a_slow_drift_is_a_trend_before_it_is_an_alarm() -> None:
    given = series(7)
    rising = [
        structs.replace(build, values=build.values + np.array([0.006 * LEVELS[0] * (number + 1), 0, 0]))
        for number, build in enumerate(given.builds)
    ]
    drift = structs.replace(given, builds=tuple(rising))
    assert look(drift) is None
    trend = trend_of(drift)
    assert trend is not None
    assert trend.quantity.name == "jvm.memory.allocated"
    assert trend.n_builds == 7
    assert trend.share == pytest.approx(0.006, rel=0.15)


def test_unchanged_programs_have_no_trend() -> None:
    trends = [trend_of(series(10, seed)) for seed in range(60)]
    # At .001 each, more than one of 60 has a chance below 1 in 500.
    assert sum(trend is not None for trend in trends) <= 1


@given(st.integers(0, 1000), st.integers(4, 14), st.floats(1.5, 100.0))
def test_units_change_no_answer(seed: int, n_builds: int, scale: float) -> None:
    given = raised(series(n_builds, seed), 2, 2, 600.0)
    factors = np.array([1.0, 1.0, scale])
    other = structs.replace(
        given,
        grain=given.grain * factors,
        known=given.known * factors,
        builds=tuple(structs.replace(build, values=build.values * factors) for build in given.builds),
        minimum={"jvm.class.*": "15%"},
    )
    given = structs.replace(given, minimum={"jvm.class.*": "15%"})
    mine, theirs = look(given), look(other)
    assert (mine is None) == (theirs is None)
    if mine is not None and theirs is not None:
        assert (mine.since.key, mine.p_value) == (theirs.since.key, theirs.p_value)


@given(st.permutations(range(8)))
def test_the_clock_decides_no_order(order: list[int]) -> None:
    given = raised(series(8), 4, 1, 1.0)
    history = [build.commit for build in given.builds]
    renamed = [
        structs.replace(build, key=f"run{when:04}") for build, when in zip(given.builds, order, strict=True)
    ]
    assert [build.commit for build in in_order(renamed, history)] == history


@pytest.mark.parametrize(
    "name", ["jvm.memory.allocated", "jvm.buffer.memory.used[direct]", "process.io.bytes[read]"]
)
def test_exact_totals_are_compared(name: str) -> None:
    assert monitor.is_exact_total(name)


@pytest.mark.parametrize(
    "name", ["jvm.cpu.time", "run.duration", "process.memory.usage", "process.io.calls[write]"]
)
def test_what_follows_the_machine_is_not_compared(name: str) -> None:
    assert not monitor.is_exact_total(name)


def test_an_oracle_compares_exact_totals_of_its_runs_over_builds() -> None:
    runs = program_runs(3, 10)
    fitted = CalibratedDetector(CALIBRATED).fit(runs)
    over = fitted.over_builds()
    assert over is not None
    names = [prop.name for prop in over.series.quantities]
    assert names
    assert all(map(monitor.is_exact_total, names))
    assert over.series.known.shape == (10, len(names))
    build = over.build(runs.runs[4], "c4")
    assert build.key == runs.runs[4].id
    np.testing.assert_allclose(build.values, over.series.known[4], rtol=1e-5)
