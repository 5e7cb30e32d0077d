"""What fails a check is certain and large enough; what is only certain is noted; no run decides alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.calibrated.detector import CalibratedDetector, FittedCalibrated
from buto.judging.calibrated.evidence import obvious, weigh
from buto.judging.calibrated.profile import Profile
from buto.judging.calibrated.settings import CALIBRATED, GATE
from buto.judging.calibrated.verdict import passes_gate
from buto.judging.verdict import Finding, Status, Verdict
from buto.oracle import check, settings_from, train, why_confirm
from buto.run.model import Run, RunSet, run_set
from buto.run.properties import property_for
from tests.support.runs.signals import INTERVAL_S, Program, make_run, program_run, program_runs
from tests.support.runs.stored import leaking_run
from tests.support.training.profiles import CPU, HEAP, MIB, THREADS, a_profile

FEW = (HEAP, CPU, THREADS)
SIZES = {"*": "never", "jvm.memory.heap.used": "8MiB"}
N_SAMPLES = 60


def heap_run(number: int, level: float = 40.0, growth: float = 0.0) -> Run:
    """A run whose used heap is level, in MiB, and grows by so much from its start to its end."""
    noise = np.random.default_rng(number)
    line = level + 0.05 * noise.normal() + np.linspace(0.0, growth, N_SAMPLES)
    values = {
        "jvm.memory.heap.used": (line + 0.02 * noise.normal(size=N_SAMPLES)) * MIB,
        "jvm.thread.count": np.full(N_SAMPLES, 12.0),
    }
    times_s = np.arange(N_SAMPLES) * INTERVAL_S
    return make_run(number, times_s, values, duration_s=6.0 + 0.01 * noise.normal())


KNOWN = run_set([heap_run(number) for number in range(10)])


def judged(judge: object, n_runs: int = 3, **change: float) -> Verdict:
    """The verdict on runs with a change, by the sizes of ``minimum-effect``."""
    oracle = train(KNOWN, settings_from({"minimum-effect": judge}))
    return check(oracle, run_set([heap_run(100 + number, **change) for number in range(n_runs)]))


def subjects(found: tuple[Finding, ...]) -> set[str]:
    return {one.subject for one in found}


def test_a_change_that_is_certain_and_small_is_noted_and_passes() -> None:
    verdict = judged(SIZES, level=43.0)
    assert verdict.status is Status.PASS
    assert subjects(verdict.findings) == set()
    (noted,) = verdict.noted
    assert (noted.subject, noted.unit) == ("jvm.memory.heap.used", "By")
    assert noted.observed is not None and noted.expected is not None
    assert noted.observed - noted.expected == pytest.approx(3 * MIB, rel=0.05)
    assert verdict.p_value == 1.0


@pytest.mark.parametrize("everything", ["0", 0, {"*": "0"}, {"jvm.memory.heap.*": "0"}])
def test_the_same_change_fails_where_every_certain_change_does(everything: object) -> None:
    verdict = judged(everything, level=43.0)
    assert verdict.status is Status.REGRESSION
    assert "jvm.memory.heap.used" in subjects(verdict.findings)
    assert not subjects(verdict.findings) & subjects(verdict.noted)
    assert judged(everything).status is Status.PASS


def test_a_change_of_the_size_fails_and_is_not_noted() -> None:
    verdict = judged(SIZES, level=50.0)
    assert verdict.status is Status.REGRESSION
    assert subjects(verdict.findings) == {"jvm.memory.heap.used"}
    assert verdict.noted == ()


def test_beside_a_change_that_fails_a_small_one_is_noted() -> None:
    sizes = {**SIZES, "jvm.thread.count": "1"}
    oracle = train(KNOWN, settings_from({"minimum-effect": sizes}))
    runs = []
    for number in range(3):
        run = heap_run(100 + number, level=43.0)
        values = run.values.copy()
        values[:, run.column_of["jvm.thread.count"]] += 2
        runs.append(replace(run, values=values))
    verdict = check(oracle, run_set(runs))
    assert verdict.status is Status.REGRESSION
    assert subjects(verdict.findings) == {"jvm.thread.count"}
    assert "jvm.memory.heap.used" in subjects(verdict.noted)


def test_what_grows_matters_from_a_quarter_of_the_size_of_a_level_on() -> None:
    """Growth by 3 MiB moves the mean by 1.5 and the last third by 2 above the first: 8MiB / 4."""
    grows = judged(SIZES, growth=4.0)
    assert grows.status is Status.REGRESSION
    (found,) = grows.findings
    assert found.measure == "growth from the first to the last third"
    assert judged(SIZES, growth=2.4).status is Status.PASS
    assert subjects(judged(SIZES, growth=2.4).noted) == {"jvm.memory.heap.used"}


@pytest.mark.parametrize(
    ("size", "status"),
    [
        ("5% and 1MiB", Status.REGRESSION),
        ("5% and 8MiB", Status.PASS),
        ("20% and 1MiB", Status.PASS),
        ("20% and 8MiB", Status.PASS),
        ("5%", Status.REGRESSION),
        ("1MiB", Status.REGRESSION),
        ("20%", Status.PASS),
        ("8MiB", Status.PASS),
    ],
)
def test_a_share_and_an_amount_are_both_needed(size: str, status: Status) -> None:
    """The heap is 4 of 40 MiB larger."""
    assert judged({"*": "never", "jvm.memory.heap.used": size}, level=44.0).status is status


def test_the_usual_sizes_let_a_small_certain_change_pass_and_a_large_one_fail() -> None:
    oracle = train(KNOWN)
    small = check(oracle, run_set([heap_run(100 + number, level=40.3) for number in range(3)]))
    assert (small.status, subjects(small.noted)) == (Status.PASS, {"jvm.memory.heap.used"})
    large = check(oracle, run_set([heap_run(100 + number, level=80.0) for number in range(3)]))
    assert (large.status, subjects(large.findings)) == (Status.REGRESSION, {"jvm.memory.heap.used"})


def test_an_unchanged_program_has_nothing_noted() -> None:
    oracle = train(program_runs(4, 10))
    verdicts = [
        check(oracle, run_set([program_run(4, 100 + 3 * place + number) for number in range(3)]))
        for place in range(20)
    ]
    # One in a hundred is expected.
    assert sum(bool(one.noted) for one in verdicts) <= 2


def runs_of(program: Program, n_runs: int, first: int = 100) -> RunSet:
    return run_set([program_run(4, first + number, program) for number in range(n_runs)])


@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.3, 0.5])
@pytest.mark.parametrize(
    "program", [Program(), Program(heap=3.0), Program(work=9.0, threads=300), Program(threads=-8)]
)
def test_one_run_passes_or_says_why_two_more_follow_and_never_fails(program: Program, alpha: float) -> None:
    oracle = train(program_runs(4, 12), settings_from({"alpha": alpha}))
    for first in range(100, 110):
        verdict = check(oracle, runs_of(program, 1, first))
        assert verdict.status is (Status.INCONCLUSIVE if verdict.needs_more else Status.PASS)
        assert why_confirm(oracle, verdict) == (verdict.needs_more or None)
        if verdict.needs_more:
            assert verdict.reasons == (
                f"{verdict.needs_more}, and one run never fails alone: three decide together",
            )
        if program != Program():
            assert verdict.needs_more == (
                "the run is not ordinary enough to decide alone (p = 0.0769, gate 0.3)"
            )
    together = check(oracle, runs_of(program, 3))
    assert together.needs_more == ""
    if program != Program():
        assert together.status is Status.REGRESSION


def test_not_even_by_so_many_training_runs_that_its_rank_could() -> None:
    oracle = train(run_set([leaking_run(number) for number in range(40)]), settings_from({"alpha": 0.05}))
    alone = check(oracle, run_set([leaking_run(50, leak=9.0)]))
    assert alone.p_value is not None and alone.p_value <= 0.05
    assert (alone.status, alone.runs_needed) == (Status.INCONCLUSIVE, None)


def test_a_run_that_differs_from_all_others_by_little_asks_for_two_more_which_note_it() -> None:
    alone = judged(SIZES, 1, level=43.0)
    assert alone.status is Status.INCONCLUSIVE
    assert alone.needs_more == "the run differs from all training runs, by little (p = 0.0909)"
    assert (alone.findings, alone.noted) == ((), ())


def test_a_gate_lets_as_many_first_runs_go_on_as_it_says() -> None:
    """Each of twenty unchanged runs in turn; ranks are exact, so the share is at most the gate, and one more
    may differ from all others by little."""
    settings = CALIBRATED.with_value("minimum-effect", "0")
    profile = a_profile(20, 5, FEW)
    found = [weigh(profile, np.roll(profile.values, -run - 1, axis=0), 1, settings) for run in range(20)]
    assert sum(one.mattering.significance.p_value <= GATE + 1e-9 for one in found) == int(GATE * 20)
    assert sum(map(passes_gate, found)) == int(GATE * 20)
    small = CALIBRATED.with_value("minimum-effect", "never")
    follows = [
        passes_gate(weigh(profile, np.roll(profile.values, -run - 1, axis=0), 1, small)) for run in range(20)
    ]
    assert sum(follows) == 1


def cpu_changed(profile: Profile, seconds: float) -> np.ndarray:
    values = profile.values.copy()
    columns = [place for place, one in enumerate(profile.catalogue) if profile.quantities[one.column] == CPU]
    values[-1, columns] += seconds
    return values


def test_an_obvious_difference_is_reported_beside_a_pass_and_two_more_confirm_it() -> None:
    profile = a_profile(11, 4, FEW)
    (far,) = obvious(weigh(profile, cpu_changed(profile, 1.5), 1, CALIBRATED), 1)
    assert far.quantity == CPU
    assert "far beyond all training runs" in str(far)
    assert obvious(weigh(profile, profile.values, 1, CALIBRATED), 1) == ()


def test_what_does_not_matter_is_not_obvious() -> None:
    profile = a_profile(11, 4, FEW)
    never = CALIBRATED.with_value("minimum-effect", "never")
    assert obvious(weigh(profile, cpu_changed(profile, 1.5), 1, never), 1) == ()


def fitted_of(runs: RunSet) -> FittedCalibrated:
    fitted = CalibratedDetector(CALIBRATED).fit(runs)
    assert isinstance(fitted, FittedCalibrated)
    return fitted


def test_recorded_counters_are_judged_though_they_are_read_seldom() -> None:
    """Allocated bytes, read in every fifth sample."""

    def run(number: int, factor: float = 1.0) -> Run:
        known = leaking_run(number)
        allocated = known.times_s * 1e8 * factor
        allocated[np.arange(len(allocated)) % 5 != number % 5] = np.nan
        properties = (*known.properties, property_for("jvm.memory.allocated"))
        values = np.column_stack([known.values, allocated])
        return replace(known, properties=properties, values=values, nan_reasons={})

    fitted = fitted_of(run_set([run(number) for number in range(10)]))
    found = fitted.check(run_set([run(number, 2.0) for number in (20, 21, 22)]))
    assert found.status is Status.REGRESSION
    assert "jvm.memory.allocated" in subjects(found.findings)
    without = replace(run(30), values=run(30).values * [*[1.0] * (len(run(30).properties) - 1), np.nan])
    lacking = fitted.check(run_set([without, run(31), run(32)]))
    assert lacking.status is Status.PASS
    assert lacking.warnings == ("jvm.memory.allocated could not be read",)
