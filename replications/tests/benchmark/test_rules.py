"""Rules of the benchmark on runs of known truth, and shares of what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from beds.artefacts import BedError
from benchmark import judged, records, rules, tables
from benchmark.halves import KNOWN, N_TUNING, draw
from benchmark.judged import BUTO, Judgement
from benchmark.pairs import read_all
from benchmark.rules import MEMORY, RULES, Named, Use
from buto.judging.procedure import N_CHECKED, N_TURNS
from buto.run.model import run_set
from tests.support.runs.signals import Program, program_run

BY_NAME = {rule.name: rule for rule in RULES if rule.name != "Apache Otava"}
N_OLD, N_NEW = 10, 9


def uses(n: int, seed: int, factor: float = 1.0, spread: float = 0.01) -> list[Use]:
    """Runs whose counters are all about 100 times a factor."""
    random = np.random.default_rng(seed)
    values = 100 * factor * (1 + spread * random.standard_normal((n, len(MEMORY) + 1)))
    names = ("seconds", *MEMORY)
    return [Use(dict(zip(names, row, strict=True)), np.zeros(1), {}, program_run(1, 0)) for row in values]


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "thesis"])
def test_twice_as_much_of_everything_is_found_by_each_rule(name):
    assert BY_NAME[name].fails(uses(N_OLD, 1), uses(N_NEW, 2, factor=2.0))


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "thesis"])
def test_less_of_everything_is_no_regression(name):
    assert not BY_NAME[name].fails(uses(N_OLD, 1), uses(N_NEW, 2, factor=0.5))


@pytest.mark.parametrize("name", ["Peass", "JMH"])
def test_who_looks_at_time_alone_does_not_see_memory(name):
    new = [
        Use({**use.counts, "seconds": same.counts["seconds"]}, use.times, {}, use.run)
        for use, same in zip(uses(N_NEW, 2, factor=2.0), uses(N_NEW, 3), strict=True)
    ]
    assert not BY_NAME[name].fails(uses(N_OLD, 1), new)


@pytest.mark.parametrize("name", ["Mann-Whitney, Bonferroni", "Welch, Bonferroni"])
def test_a_rule_with_a_correction_keeps_its_level(name):
    """Of 300 unchanged checks, .01 fail on average; 12 or more have a chance of 1 in 10,000."""
    failed = sum(BY_NAME[name].fails(uses(N_OLD, seed), uses(N_NEW, 10_000 + seed)) for seed in range(300))
    assert failed < 12


def test_corrections_are_those_of_the_textbook():
    p_values = np.array([0.01, 0.02, math.nan, 0.5])
    assert rules.smallest(p_values, correction="bonferroni") == pytest.approx(0.03)
    assert rules.smallest(p_values, correction="bh") == pytest.approx(0.03)
    assert rules.smallest(np.array([0.02, 0.021, 0.5]), correction="bh") == pytest.approx(0.0315)
    assert rules.smallest(np.array([math.nan]), correction="bh") == 1.0


def test_a_rule_that_says_nothing_is_an_error():
    with pytest.raises(BedError, match="mine must return"):
        Named("mine", "mi", lambda old, new: math.nan, 1, "").fails(uses(N_OLD, 1), uses(1, 2))


def test_runs_without_the_counters_of_a_rule_are_an_error():
    with pytest.raises(BedError, match="no counter was read in all runs: jvm.none"):
        rules.shared(uses(2, 1), uses(2, 2), ("jvm.none",))


def test_a_rule_of_a_file_is_its_function(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def rule(old, new):\n    return len(old) / 1000\n")
    mine = rules.of_file(path)
    assert (mine.name, mine.fails(uses(10, 1), uses(9, 2)), mine.fails(uses(11, 1), uses(9, 2))) == (
        "mine",
        True,
        False,
    )
    path.write_text("x = 1\n")
    with pytest.raises(BedError, match="must define rule"):
        rules.of_file(path)


def test_known_pairs_are_never_set_apart_and_the_draw_is_that_of_its_seed():
    pairs = read_all().values()
    drawn = draw(pairs)
    assert drawn == draw(pairs)
    assert set(KNOWN) <= set(drawn["tuning"])
    assert len(drawn["tuning"]) == N_TUNING
    assert not set(drawn["tuning"]) & set(drawn["apart"])


def test_buto_and_a_rule_judge_the_same_draws_of_recorded_runs():
    pair = read_all()["jsoup-errors"]
    old = run_set([program_run(1, number) for number in range(33)])
    new = run_set([program_run(1, 100 + number, Program(threads=30)) for number in range(13)])
    always = Named("always", "al", lambda old, new: True, 9, "")
    task = judged.Task(pair, "17-quiet", old, new, (always,), draws=2)
    found = judged.judgements(task)
    assert [judgement.rule for judgement in found] == [BUTO, "always"] * 2
    assert all(judgement.fails for judgement in found)
    # Three runs, and as many in turns as the bets need.
    assert all(
        N_CHECKED < judgement.launches <= N_CHECKED + 2 * N_TURNS
        for judgement in found
        if judgement.rule == BUTO
    )


def test_the_table_has_a_row_for_each_rule_with_what_it_finds_and_fails_wrongly():
    names = ("jsoup-errors", "lucene-vectors", "good-jsoup-1.18.3")
    pairs = {name: pair for name, pair in read_all().items() if name in names}
    half = {"jsoup-errors": "tuning", "lucene-vectors": "apart", "good-jsoup-1.18.3": "good"}
    found = [
        Judgement(name, "17-quiet", BUTO, pair.regression is not None, 15) for name, pair in pairs.items()
    ]
    (row,) = tables.rules_table(found, pairs, half).rows
    assert row[0] == BUTO
    assert row[1:6] == ("100", "", "", "100", "100")
    assert row[6].split()[0] == "0"
    (by_cell,) = tables.cells_table(found, pairs, half).rows
    assert by_cell == (BUTO, "100", "0")
    assert [line[0] for line in tables.pairs_table(found, pairs, half, {"always": "al"}).rows] == [*names[:2]]


def test_judgements_are_kept_and_read_again(tmp_path):
    path = tmp_path / "judged.csv"
    first, second = (
        Judgement("jsoup-errors", cell, BUTO, cell == "17-quiet", 15) for cell in ("17-quiet", "25-load")
    )
    records.add(path, [first])
    records.add(path, [second])
    assert records.read(path, Judgement) == [first, second]
    assert records.read(tmp_path / "none.csv", Judgement) == []
