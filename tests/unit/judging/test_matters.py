"""What fails a check is certain and large enough; what is only certain is noted; no run decides alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.detector import CalibratedDetector, FittedCalibrated
from buto.judging.evidence import Distances, distances, weigh
from buto.judging.judge_settings import CALIBRATED
from buto.judging.profile import TrainingProfile
from buto.judging.verdict import Finding, Status, Verdict
from buto.oracle import check, settings_from, train
from buto.run.model import Run, RunSet, run_set
from buto.run.properties import Property, property_for
from tests.support.judging import needs_turns
from tests.support.runs.signals import INTERVAL_S, Program, make_run, program_run, program_runs
from tests.support.runs.stored import leaking_run
from tests.support.training.profiles import CPU, HEAP, MIB, THREADS, a_profile

FEW = (HEAP, CPU, THREADS)
SIZES = {"*": "never", "jvm.memory.heap.used": "8MiB"}
N_SAMPLES = 60


CACHE = "mbean[shop:type=Cache]/Bytes"


def heap_run(
    number: int, level: float = 40.0, growth: float = 0.0, name: str = "jvm.memory.heap.used"
) -> Run:
    """A run whose used heap is level, in MiB, and grows by so much from its start to its end."""
    noise = np.random.default_rng(number)
    line = level + 0.05 * noise.normal() + np.linspace(0.0, growth, N_SAMPLES)
    values = {
        name: (line + 0.02 * noise.normal(size=N_SAMPLES)) * MIB,
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
    return {finding.subject for finding in found}


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
def test_the_same_change_counts_where_every_certain_change_does(everything: object) -> None:
    verdict = judged(everything, level=43.0)
    assert needs_turns(verdict)
    assert "jvm.memory.heap.used" in subjects(verdict.findings)
    assert not subjects(verdict.findings) & subjects(verdict.noted)
    assert judged(everything).status is Status.PASS


def test_a_change_of_the_size_counts_and_is_not_noted() -> None:
    verdict = judged(SIZES, level=50.0)
    assert needs_turns(verdict)
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
    assert needs_turns(verdict)
    assert subjects(verdict.findings) == {"jvm.thread.count"}
    assert "jvm.memory.heap.used" in subjects(verdict.noted)


def test_what_grows_matters_from_a_quarter_of_the_size_of_a_level_on() -> None:
    """Growth by 4 MiB moves the mean by 2, and the last third by 2.7 above the first: more than 8MiB / 4."""
    sizes = {"minimum-effect": {"*": "never", CACHE: str(8 * MIB)}}
    oracle = train(run_set([heap_run(number, name=CACHE) for number in range(10)]), settings_from(sizes))

    def grown_by(growth: float) -> Verdict:
        return check(oracle, run_set([heap_run(number, 40.0, growth, CACHE) for number in (100, 101, 102)]))

    grows = grown_by(4.0)
    assert needs_turns(grows)
    (found,) = grows.findings
    assert found.measure == "growth from the first to the last third"
    assert grown_by(2.4).status is Status.PASS
    assert subjects(grown_by(2.4).noted) == {CACHE}


@pytest.mark.parametrize(
    ("size", "counts"),
    [
        ("5% and 1MiB", True),
        ("5% and 8MiB", False),
        ("20% and 1MiB", False),
        ("20% and 8MiB", False),
        ("5%", True),
        ("1MiB", True),
        ("20%", False),
        ("8MiB", False),
    ],
)
def test_a_share_and_an_amount_are_both_needed(size: str, counts: bool) -> None:
    """The heap is 4 of 40 MiB larger."""
    verdict = judged({"*": "never", "jvm.memory.heap.used": size}, level=44.0)
    assert needs_turns(verdict) is counts
    assert (verdict.status is Status.PASS) is not counts


def test_the_usual_sizes_let_a_small_certain_change_pass_and_no_large_one() -> None:
    oracle = train(KNOWN)
    small = check(oracle, run_set([heap_run(100 + number, level=40.3) for number in range(3)]))
    assert (small.status, subjects(small.noted)) == (Status.PASS, {"jvm.memory.heap.used"})
    large = check(oracle, run_set([heap_run(100 + number, level=80.0) for number in range(3)]))
    assert (needs_turns(large), subjects(large.findings)) == (True, {"jvm.memory.heap.used"})


def test_an_unchanged_program_has_nothing_noted() -> None:
    oracle = train(program_runs(4, 10))
    verdicts = [
        check(oracle, run_set([program_run(4, 100 + 3 * place + number) for number in range(3)]))
        for place in range(20)
    ]
    # One in a hundred is expected.
    assert sum(bool(verdict.noted) for verdict in verdicts) <= 2


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
        if verdict.needs_more:
            assert verdict.reasons == (
                f"{verdict.needs_more}, and one run never fails alone: three decide together",
            )
        assert bool(verdict.needs_more) or program == Program()
    together = check(oracle, runs_of(program, 3))
    assert together.needs_more == ""
    if program != Program():
        assert needs_turns(together)


def test_not_even_by_so_many_training_runs_that_its_rank_could() -> None:
    oracle = train(run_set([leaking_run(number) for number in range(40)]), settings_from({"alpha": 0.05}))
    alone = check(oracle, run_set([leaking_run(50, leak=9.0)]))
    assert alone.p_value is not None and alone.p_value <= 0.05
    assert (alone.status, alone.runs_needed) == (Status.INCONCLUSIVE, None)


def test_a_run_that_differs_from_all_others_by_little_passes() -> None:
    alone = judged(SIZES, 1, level=43.0)
    assert alone.status is Status.PASS
    assert alone.needs_more == ""
    assert (alone.findings, alone.noted) == ((), ())


def test_the_distance_of_a_run_is_student_s_t_of_one_more() -> None:
    """By hand, of one counter without scatter: 1 of 5 s more, by the smallest deviation that counts."""
    profile = a_profile(11, 4, FEW)
    values = cpu_changed(profile, 1.5)
    found = distances(weigh(profile, values, 1, CALIBRATED))
    assert found.quantity == CPU.name
    assert found.growth < found.level
    assert distances(weigh(profile, profile.values, 1, CALIBRATED)) == Distances(0.0, 0.0, "")
    place = next(
        column
        for column, feature in enumerate(profile.catalogue)
        if profile.quantities[feature.column] == CPU and feature.name == "total"
    )
    scale = np.arcsinh(values[:, place] / 0.015)
    known, mean = scale[:-1], scale[:-1].mean()
    level = profile.levels(values)[place_of(profile, CPU)]
    floor = np.hypot(0.015, 0.003 * level) / np.hypot(values[:, place].mean(), 0.015)
    deviation = (known.var(ddof=1) + floor**2) ** 0.5
    assert found.level == pytest.approx((scale[-1] - mean) / (deviation * (1 + 1 / 10) ** 0.5), rel=1e-9)


def test_what_does_not_matter_is_at_no_distance() -> None:
    profile = a_profile(11, 4, FEW)
    never = CALIBRATED.with_value("minimum-effect", "never")
    assert distances(weigh(profile, cpu_changed(profile, 1.5), 1, never)) == Distances(0.0, 0.0, "")


def place_of(profile: TrainingProfile, prop: Property) -> int:
    return next(place for place, quantity in enumerate(profile.quantities) if quantity == prop)


def cpu_changed(profile: TrainingProfile, seconds: float) -> np.ndarray:
    """Features of which the last run has used so much more processor time."""
    values = profile.values.copy()
    columns = [
        place for place, feature in enumerate(profile.catalogue) if profile.quantities[feature.column] == CPU
    ]
    values[-1, columns] += seconds
    return values


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
