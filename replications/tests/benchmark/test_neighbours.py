"""Rules of other projects on numbers whose answer is known, and bursts of known size."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmark import bursts, judged, neighbours
from benchmark.bursts import STRENGTH, WITH, WITHOUT, factors, launched
from benchmark.judged import BUTO, Judgement
from benchmark.neighbours import ALL, FOUR, N_EACH, NEIGHBOURS, NEW, OLD, OWN, RULES, Neighbour
from benchmark.pairs import read_all
from benchmark.rules import Use
from buto.run.model import FloatArray, run_set
from buto.run.properties import property_for
from tests.support.runs.signals import make_run, program_run

BY_SHORT = {neighbour.short: neighbour for neighbour in NEIGHBOURS}
TIME = np.array([True])


def values(n: int, seed: int, mean: float = 1.0, spread: float = 0.01) -> FloatArray:
    """Runs of one counter, evenly about their mean."""
    scores = np.linspace(-1.5, 1.5, n)
    return (mean * (1 + spread * np.random.default_rng(seed).permutation(scores)))[:, None]


def fails(neighbour: Neighbour, factor: float, spread: float = 0.01) -> bool:
    before = values(neighbour.number(OLD), 1, spread=spread)
    return neighbour.says(before, values(neighbour.number(NEW), 2, factor, spread), TIME).fails


@pytest.mark.parametrize(
    "neighbour",
    [neighbour for neighbour in NEIGHBOURS if not neighbour.allowed],
    ids=lambda neighbour: neighbour.short,
)
def test_twice_as_much_fails_and_equal_numbers_pass(neighbour):
    assert fails(neighbour, 2.0)
    assert not fails(neighbour, 1.0, spread=0.0)


@pytest.mark.parametrize("neighbour", NEIGHBOURS, ids=lambda neighbour: neighbour.short)
def test_half_as_much_fails_bounds_on_both_sides_alone(neighbour):
    assert fails(neighbour, 0.5) == neighbour.name.startswith("bounds")


@pytest.mark.parametrize(
    ("short", "passing", "failing"),
    [
        ("ch10", 1.08, 1.12),
        ("ch15", 1.13, 1.17),
        ("gr", 1.13, 1.17),
        ("gs", 1.08, 1.12),
        ("dd", 1.01, 1.05),
        ("gd", 1.04, 1.07),
    ],
)
def test_the_threshold_is_the_published_one(short, passing, failing):
    neighbour = BY_SHORT[short]
    assert (fails(neighbour, passing, 0.005), fails(neighbour, failing, 0.005)) == (False, True)


@pytest.mark.parametrize(
    ("short", "passing", "failing"),
    [("cs5", 1.049, 1.051), ("cs10", 1.099, 1.101), ("b2", 0.981, 0.979), ("b10", 1.099, 1.101)],
)
def test_one_value_is_compared_with_one_value(short, passing, failing):
    neighbour = BY_SHORT[short]
    assert (fails(neighbour, passing, 0.0), fails(neighbour, failing, 0.0)) == (False, True)


@pytest.mark.parametrize(
    ("short", "factor", "spread"), [("ch15", 1.3, 0.5), ("gr", 1.3, 0.3), ("gs", 1.3, 0.5), ("dd", 1.1, 0.5)]
)
def test_a_large_difference_that_is_not_certain_passes(short, factor, spread):
    assert not fails(BY_SHORT[short], factor, spread)


def test_gradle_is_not_asked_for_certainty_beyond_a_fifth():
    assert fails(BY_SHORT["gd"], 1.25, 0.5)
    assert not fails(BY_SHORT["gd"], 1.15, 0.5)


def test_a_time_of_a_few_milliseconds_is_nothing_to_gradle():
    neighbour = BY_SHORT["gd"]
    before, after = values(N_EACH, 1, 0.002), values(N_EACH, 2, 0.004)
    assert not neighbour.says(before, after, TIME).fails
    assert neighbour.says(before, after, np.array([False])).fails


@pytest.mark.parametrize(("n", "accused"), [(7, False), (10, True)])
def test_separate_runs_have_the_smallest_p_value_of_their_number(n, accused):
    """Of 3,432 divisions of 7 and 7, 40 have the largest difference; of 184,756 of 10 and 10, 140: .0008."""
    assert neighbours.randomised(0.1)(values(n, 1), values(n, 2, 2.0)).tolist() == [accused]


def test_random_labels_keep_their_level():
    """Of 2,000 unchanged counters that scatter widely, less than one is accused of more on average."""
    random = np.random.default_rng(5)
    before, after = random.lognormal(0, 0.5, (2, N_EACH, 2_000))
    assert neighbours.randomised(0.1)(before, after).sum() < 6


def test_ten_accused_counters_pass_where_ten_are_allowed():
    neighbour = BY_SHORT["ch15+"]
    before = np.repeat(values(N_EACH, 1), 11, axis=1)
    after = np.repeat(values(N_EACH, 2, 2.0), 11, axis=1)
    is_time = np.zeros(11, np.bool_)
    assert neighbour.says(before, after, is_time).fails
    after[:, 0] = before[:, 0]
    assert not neighbour.says(before, after, is_time).fails


def test_graphite_confirms_the_same_counter_and_launches_no_more_if_nothing_is_accused():
    neighbour = BY_SHORT["gr"]
    still, more = values(10, 1), values(10, 2, 2.0)
    first = np.vstack([more[:5], still[5:]])
    second = np.vstack([still[:5], more[5:]])
    both = np.array([False, False])
    old = np.hstack([still, still])
    assert not neighbour.says(old, np.hstack([first, second]), both).fails
    assert neighbour.says(old, np.hstack([first, second]), both).launches == 20
    assert neighbour.says(old, np.hstack([more, second]), both).fails
    assert neighbour.says(old, np.hstack([still, still]), both).launches == 10


def test_what_follows_zero_is_infinitely_more():
    assert list(neighbours.relative(np.array([0.0, 0.0, 2.0]), np.array([1.0, 0.0, 3.0]))) == [np.inf, 0, 0.5]


def test_four_counters_do_not_see_threads_and_all_counters_do():
    """The rule of two names: the same runs, judged by what a project watches and by all that buto judges."""
    by_name = {rule.name: rule for rule in RULES}
    old = [Use.of(program_run(1, number)) for number in range(N_EACH)]
    more = [Use.of(_with_threads(number)) for number in range(N_EACH)]
    assert not by_name[f"Grails: {FOUR}"].fails(_watched(old), _watched(more))
    assert by_name[f"Grails: {ALL}"].fails(_watched(old), _watched(more))


def _with_threads(number: int):
    run = program_run(1, number)
    columns = {prop.name: run.series(prop.name) for prop in run.properties}
    columns["jvm.thread.count"] = columns["jvm.thread.count"] + 30
    return make_run(number, run.times_s, columns)


def _watched(runs: list[Use]) -> list[Use]:
    return [
        Use({**run.counts, **dict.fromkeys(OWN[2:], 1e8)}, run.times, run.series, run.run) for run in runs
    ]


def test_counters_that_fail_no_check_are_not_judged():
    names = neighbours.judged_counters(Use.of(program_run(1, 0)))
    assert "seconds" in names
    assert "jvm.thread.count" in names
    assert "jvm.memory.heap.committed" not in names


def test_the_launches_of_a_check_are_those_of_its_occasions_with_the_new_program():
    launches = {short: neighbour.most_launches for short, neighbour in BY_SHORT.items()}
    assert {launches[short] for short in ("cs5", "cs10", "b2", "b10")} == {1}
    assert {n for short, n in launches.items() if short[:2] not in ("cs", "b2", "b1")} == {20}


def test_the_table_has_both_choices_of_counters_beside_buto():
    pairs = {name: read_all()[name] for name in ("lucene-vectors", "good-jsoup-1.18.3", "jsoup-errors")}
    half = {"lucene-vectors": "apart", "jsoup-errors": "tuning"}
    said = [
        Judgement(name, "17-quiet", rule, pair.regression is not None, 20)
        for name, pair in pairs.items()
        for rule in (BUTO, f"Grails: {ALL}", f"Grails: {FOUR}")
    ]
    drawn = neighbours.table(said, pairs, half)
    rows = {row[0]: row for row in drawn.rows}
    assert len(rows) == len(NEIGHBOURS) + 1
    assert all(len(row) == len(drawn.heads) for row in drawn.rows)
    assert rows["Grails"].count("20.0, 20.0") == 2
    assert rows[BUTO].count("20.0, 20.0") == 1


def test_bursts_come_and_go_and_have_their_strengths():
    random = np.random.default_rng(1)
    drawn = np.array([factors(random, 40) for _ in range(2_000)])
    within = drawn > 1
    assert within.mean() == pytest.approx(bursts.BURST_S / (bursts.BURST_S + bursts.CALM_S), abs=0.03)
    assert drawn.max() <= 1 + STRENGTH[1]
    assert drawn[within].min() >= 1 + STRENGTH[0]
    assert drawn[within].mean() == pytest.approx(1 + sum(STRENGTH) / 2, abs=0.01)


def test_launches_are_dealt_to_sides_in_the_order_of_a_rule():
    before, after = launched(BY_SHORT["gr"], np.arange(20.0), None)
    assert list(before[:, 0]) == [*range(5), *range(15, 20)]
    assert list(after[:, 0]) == list(range(5, 15))


def test_unchanged_programs_are_judged_without_and_with_bursts():
    runs = [program_run(1, number) for number in range(33)]
    old, new = (
        run_set([dataclasses.replace(run, test=f"same-h2-{side}") for run in some])
        for side, some in (("old", runs[:20]), ("new", runs[20:]))
    )
    task = judged.Task(read_all()["same-h2"], "17-quiet", old, new, (), draws=1)
    found = bursts.judgements(task)
    assert [judgement.cell for judgement in found] == [WITHOUT] * (len(NEIGHBOURS) + 1) + [WITH] * (
        len(NEIGHBOURS) + 1
    )
    assert not any(judgement.fails for judgement in found if judgement.rule == BUTO)
    drawn = bursts.table(found)
    assert [row[0] for row in drawn.rows] == [BUTO, *(neighbour.name for neighbour in NEIGHBOURS)]
    assert all(len(row) == len(drawn.heads) for row in drawn.rows)
    assert drawn.rows[0][1] == "0"


def test_names_of_own_counters_are_known_properties():
    assert {property_for(name).unit for name in OWN if name != "seconds"} == {"s", "By"}
