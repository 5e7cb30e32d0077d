"""Small changes over builds and large ones, counted on runs of known truth."""

from __future__ import annotations

import numpy as np
import pytest

from buto.run.model import RunSet, run_set
from buto_replications.judging import creep
from buto_replications.judging.creep import CountedBuild, CreepTask, observed, tables
from tests.support.runs.signals import INTERVAL_S, Program, make_run, program_run

pytestmark = pytest.mark.slow


USUAL = Program()


def runs(seed: int, count: int, program: Program = USUAL, allocated: float = 4e7) -> RunSet:
    """Runs of a program with allocated bytes that repeat themselves to some thousandths."""
    made = []
    for number in range(count):
        run = program_run(seed, number, program)
        random = np.random.default_rng((seed, number, 7))
        share = (run.times_s.clip(0) + INTERVAL_S) / (run.times_s[-1] + INTERVAL_S)
        columns = {prop.name: run.values[:, place] for place, prop in enumerate(run.properties)}
        columns["jvm.memory.allocated"] = share * allocated * (1 + random.normal(0, 0.001))
        made.append(make_run(number, run.times_s, columns))
    return run_set(made)


@pytest.fixture(scope="module")
def found() -> list[CountedBuild]:
    old = runs(1, creep.FEWEST_OLD)
    return observed(CreepTask("JDK 17", "threads", old, runs(2, 13, Program(threads=3)), 1, draws=1))


def values(found: list[CountedBuild], case: str) -> list[float]:
    return [one.value for one in found if one.case == case]


def test_a_release_fails_for_ten_builds_of_one_percent_and_not_for_nothing(found: list[CountedBuild]) -> None:
    assert values(found, creep.RELEASE) == [1.0]
    assert values(found, creep.SAME_RELEASE) == [0.0]


def test_no_change_fails_for_what_was_before_it(found: list[CountedBuild]) -> None:
    assert values(found, creep.CHANGE) == values(found, creep.INNOCENT) == [0.0] * creep.N_DRIFT


def test_the_main_branch_fails_once_the_sum_matters(found: list[CountedBuild]) -> None:
    (number,) = values(found, creep.ON_MAIN)
    assert 5 <= number <= creep.N_DRIFT


def test_a_regression_is_found_and_its_launches_are_counted(found: list[CountedBuild]) -> None:
    assert values(found, creep.FOUND) == [1.0]
    (launches,) = [one for one in found if one.case == creep.LAUNCHES]
    assert launches.builds == creep.N_BUILDS < launches.value
    assert 0 <= launches.regressed < creep.N_BUILDS


def test_tables_state_numbers_and_limits(found: list[CountedBuild]) -> None:
    small, soon, launches = tables(found)
    assert {row[0] for row in small.rows} == {
        creep.CHANGE,
        creep.INNOCENT,
        creep.RELEASE,
        creep.SAME_RELEASE,
    }
    assert all(float(row[-1]) > 0 for row in small.rows)
    assert len(soon.rows) == 2
    assert launches.rows[0][:2] == ("JDK 17", str(creep.N_BUILDS))
