"""Gates and numbers of confirming runs, on checks and runs with a known answer."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan

import pytest

from buto.experiments.gates.checks import NO_GATE, Check, judged
from buto.experiments.gates.tables import GATES, found, gate_table, launches
from buto.experiments.gates.trials import IN_ORDER, LARGE, RowTask, Size, Trial, carried_out, tasks
from buto.experiments.next_method.checks import METHODS, N_TRAINING, NEXT, NOW
from buto.experiments.next_method.recordings import Recordings
from buto.experiments.next_method.variants import UNCHANGED
from buto.runs import Run, RunSet
from tests.support.runs.variants import variant_run
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile


def a_trial(case: str, first: str, check: Check) -> Trial:
    return Trial(NEXT, "shop@g1", case, first, check)


def test_a_check_needs_the_gate_and_a_small_p_value_of_as_many_runs() -> None:
    check = Check(rank=3 / 11, far=False, p_values=(0.02, 0.01, 0.001, nan, nan))
    assert [check.follows(gate) for gate in (0.2, 3 / 11, 0.3, NO_GATE)] == [False, True, True, True]
    assert [check.fails(0.3, more, 0.01) for more in (1, 2, 3, 4)] == [False, True, True, False]
    assert not check.fails(0.2, 2, 0.01)
    assert replace(check, far=True).fails(0.1, 2, 0.01)


def test_more_confirming_runs_allow_a_smaller_p_value() -> None:
    profile = a_profile(N_TRAINING + 5, 3, (HEAP, CPU, THREADS))
    training, rows = profile.values[:N_TRAINING], 3.0 * profile.values[N_TRAINING:]
    check = judged(profile, training, rows, METHODS[NEXT])
    assert check.rank == pytest.approx(1 / 11) and check.far
    assert check.p_values[:3] == pytest.approx((1 / 66, 1 / 286, 1 / 1001))
    assert isnan(check.p_values[4])
    assert not judged(profile, training, rows[:2], METHODS[NOW]).far


def test_the_table_says_what_a_gate_costs_and_finds() -> None:
    passes, fails = (0.5,) * 5, (0.02, *(0.004,) * 4)
    trials = [
        *(a_trial(UNCHANGED, f"u{n}", Check((n + 1) / 11, False, passes)) for n in range(10)),
        *(a_trial(LARGE, f"l{n}", Check((1 if n < 6 else 3) / 11, False, fails)) for n in range(8)),
    ]
    assert launches(trials, 0.1, 2) == pytest.approx(1.2)
    assert launches(trials, NO_GATE, 4) == 5
    assert [found(trials, LARGE, gate, 2).value for gate in (0.1, 0.3)] == [0.75, 1.0]
    table = gate_table(trials, NEXT)
    assert len(table.rows) == 5 * len(GATES)
    assert table.rows[0][:2] == ("0.1", "1") and table.rows[-1][:3] == ("none", "5", "6.00")
    assert "the errors are too small" in table.notes[1]
    # One confirming run cannot show alpha; nothing was measured in the order of time.
    assert table.rows[0][4].startswith("0.0") and table.rows[0][-1] == ""


def recorded(variant: str, n_runs: int, **options: float) -> RunSet:
    return RunSet(
        tuple(later(variant_run(variant, number, n_samples=20, **options)) for number in range(n_runs))
    )


def later(run: Run) -> Run:
    return replace(run, id=f"2027{run.id[4:]}")


def test_versions_and_runs_in_a_row_are_judged_with_up_to_five_confirming_runs() -> None:
    nothing: dict[str, dict[str, RunSet]] = {}
    base = recorded("leaker-string", 16)
    servers = {
        "parallel": {"shop-base": base, "shop-large": recorded("leaker-string-builder", 6, shift=60.0)}
    }
    rows = {"in-row-17": {"parallel": {"till": recorded("leaker-string", 17)}}}
    work = tasks(Recordings(nothing, rows, nothing, servers, nothing, nothing), 1, Size(1, 1, 1))
    assert isinstance(work[1], RowTask) and len(work) == 2
    versions, in_row = map(carried_out, work)
    assert {(one.method, one.case) for one in versions} == {
        (m, c) for m in METHODS for c in (UNCHANGED, LARGE)
    }
    large = [one.check for one in versions if one.case == LARGE]
    assert all(one.fails(0.1, more, 0.01) for one in large for more in range(2, 6))
    # The first runs 10 and 11 have ten runs before them and five after them.
    assert [one.case for one in in_row] == [IN_ORDER] * 2 * len(METHODS)
    assert carried_out(work[1]) == in_row
