"""How much memory a program needs: bounds on peaks of known truth, and the search for the smallest heap."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging.need import (
    LIMIT,
    MIB,
    MOST_LAUNCHES,
    MOST_PAIRS,
    PEAK,
    RESIDENT,
    RISE,
    HeapTrial,
    Need,
    Search,
    container_limit,
    footprint_of,
    heap_limit,
    initial_heap,
    limit_finding,
    need_of,
    outside_of,
    peak_of,
    search_below,
    tolerance_factor,
    upper_bound,
)
from buto.run.model import Outcome, Run
from buto.run.properties import property_for

GIB = 1024 * MIB


def run_with(metadata: dict[str, str] | None = None, number: int = 0, **columns: list[float]) -> Run:
    """A run with one sample each 100 ms; in MiB, but for the columns that are no sizes."""
    names = {
        "resident": RESIDENT,
        "peak": PEAK,
        "used": "jvm.memory.heap.used",
        "committed": "jvm.memory.heap.committed",
        "survivor": "jvm.memory.committed[PS Survivor Space]",
        "live": "jvm.memory.heap.live",
        "metaspace": "jvm.memory.used[Metaspace]",
        "code": "jvm.memory.used[CodeHeap 'non-nmethods']",
        "more_code": "jvm.memory.used[CodeHeap 'profiled nmethods']",
        "direct": "jvm.buffer.memory.used[direct]",
        "cpu": "jvm.cpu.time",
    }
    values = np.column_stack(
        [np.array(column, dtype=float) * (1 if name == "cpu" else MIB) for name, column in columns.items()]
    )
    return Run(
        f"20261120T234041.{number:03d}Z-1f2e",
        "shop",
        tuple(property_for(names[name]) for name in columns),
        np.arange(len(values)) / 10,
        values,
        Outcome(0),
        metadata=metadata or {},
    )


def runs_with_peaks(*peaks: float) -> list[Run]:
    return [
        run_with(
            {"jvm.input.arguments": "-Xmx256m"},
            number,
            resident=[50.0, peak],
            used=[10.0, 60.0],
            committed=[100.0, 120.0],
            metaspace=[5.0, 8.0],
            code=[1.0, 2.0],
            more_code=[0.0, 4.0],
            direct=[0.0, 16.0],
            live=[math.nan, 20.0],
            cpu=[0.1, 2.0],
        )
        for number, peak in enumerate(peaks)
    ]


@pytest.mark.parametrize(("n", "factor"), [(5, 5.741), (10, 3.981), (20, 3.295), (30, 3.064), (50, 2.862)])
def test_the_factor_is_that_of_the_tables(n: int, factor: float) -> None:
    """Of one-sided tolerance limits for 99 % of a normal population with confidence 95 %."""
    assert tolerance_factor(n) == pytest.approx(factor, abs=2e-3)


def test_of_normal_peaks_the_bound_holds_as_often_as_it_says() -> None:
    drawn = np.random.default_rng(1).normal(0.0, 0.03, (2000, 10))
    quantile = 0.03 * 2.3263479
    reached = np.mean([math.log(upper_bound(list(np.exp(row)))) >= quantile for row in drawn])
    # 95 % with a standard error of half a percent.
    assert 0.935 < reached < 0.965


def test_of_peaks_that_never_differed_the_next_one_may() -> None:
    assert upper_bound([100.0] * 10) == pytest.approx(100.0 * math.exp(3.981 * 0.01), rel=1e-4)


def test_the_kernel_knows_a_peak_between_two_samples() -> None:
    assert peak_of(run_with(resident=[50, 90], peak=[math.nan, 140])) == 140 * MIB
    assert peak_of(run_with(resident=[50, 90])) == 90 * MIB
    assert math.isnan(peak_of(run_with(used=[1, 2])))


def test_what_the_heap_has_held_is_not_outside() -> None:
    """Memory that the heap has used once stays resident, also while it is free."""
    used = [10.0] * 5 + [60.0] + [10.0] * 15
    assert footprint_of(run_with(resident=[80.0] * 21, used=used)).outside == 20 * MIB


def test_what_is_outside_and_gone_before_the_heap_grows_counts() -> None:
    resident = [150.0] * 10 + [60.0] * 20 + [150.0] * 10
    used = [10.0] * 30 + [110.0] * 10
    assert footprint_of(run_with(resident=resident, used=used)).outside == 140 * MIB


def test_a_heap_that_was_touched_in_advance_is_not_outside() -> None:
    options = {"jvm.input.arguments": "-Xmx100m -Xms100m -XX:+AlwaysPreTouch"}
    run = run_with(options, resident=[130, 140], used=[5, 10], committed=[100, 100])
    assert (footprint_of(run).outside, footprint_of(run).heap) == (40 * MIB, 10 * MIB)


def test_the_heap_has_two_survivor_spaces_and_the_jvm_counts_one() -> None:
    run = run_with(resident=[50], used=[5], committed=[90], survivor=[10])
    assert footprint_of(run).committed == 100 * MIB


def test_the_parts_are_the_whole() -> None:
    need = need_of(runs_with_peaks(120, 121, 119, 120, 122))
    parts = need.heap + need.metaspace + need.code + need.direct + need.rest + need.reserve
    assert parts == pytest.approx(need.most)
    assert [round(part / MIB, 1) for part in (need.heap, need.metaspace, need.code, need.direct)] == [
        60,
        8,
        6,
        16,
    ]
    assert need.allowed == 256 * MIB
    assert need.live == 20 * MIB
    assert need.outside == pytest.approx(60.4 * MIB + need.reserve, rel=1e-3)


def test_a_container_holds_the_whole_heap_and_what_is_outside() -> None:
    need = need_of(runs_with_peaks(*[120.0] * 10))
    assert outside_of(need) == pytest.approx((60 + 4.87) * MIB, rel=1e-3)
    assert container_limit(100 * MIB, outside_of(need)) == 165 * MIB


def test_with_another_heap_its_launches_tell_what_is_outside() -> None:
    """The largest of them, and as large a share more as runs differ by: 4.06 % of 70 MiB."""
    need = need_of(runs_with_peaks(*[120.0] * 10))
    launched = [footprint_of(run_with(resident=[peak], used=[40])) for peak in (68.0, 70.0)]
    assert outside_of(need, launched) == pytest.approx((30 + 0.0406 * 70) * MIB, rel=1e-3)


def test_few_runs_tell_nothing() -> None:
    with pytest.raises(JudgeError):
        need_of(runs_with_peaks(120, 121, 119, 120))


def test_memory_that_could_not_be_read_is_not_none() -> None:
    blind = run_with(used=[5, 10], committed=[90, 90])
    with pytest.raises(JudgeError):
        need_of([*runs_with_peaks(120, 121, 119, 120), blind])


@pytest.mark.parametrize(
    ("options", "allowed", "initial"),
    [
        ("-Xmx512m", 512 * MIB, math.nan),
        ("-Xms64m -Xmx1g", GIB, 64 * MIB),
        ("-Xmx512m -Xmx100m", 100 * MIB, math.nan),
        ("-XX:MaxHeapSize=104857600 -XX:InitialHeapSize=8m", 100 * MIB, 8 * MIB),
        ("-Dshop.opts=-Xmx9g", 6 * GIB, math.nan),
    ],
)
def test_the_last_option_says_how_large_the_heap_may_be(options: str, allowed: float, initial: float) -> None:
    run = run_with({"jvm.input.arguments": options, "jvm.memory.heap.max": str(6 * GIB)}, used=[1])
    assert heap_limit(run) == allowed
    assert initial_heap(run) == pytest.approx(initial, nan_ok=True)


@pytest.mark.parametrize(
    ("rises", "enough"),
    [
        ((), None),
        ((0.4,), False),
        ((-0.1,), True),
        ((0.02,), None),
        ((0.04, 0.05), None),
        ((0.04, 0.05, 0.04), True),
        ((0.06, 0.05, 0.06), False),
    ],
)
def test_pairs_follow_until_the_rise_is_known(rises: tuple[float, ...], enough: bool | None) -> None:
    assert HeapTrial(64 * MIB, rises).is_enough(0.02) is enough


def test_an_error_for_lack_of_memory_decides_at_once() -> None:
    assert HeapTrial(64 * MIB, failure="ends in OutOfMemoryError").is_enough(0.02) is False


def found(search: Search, cost: Callable[[float], float], noise: float, seed: int) -> tuple[Search, int]:
    """The search over a program of known cost, 1 with the heap as it is, and how many launches it took."""
    random = np.random.default_rng(seed)
    launches = 1
    while (heap := search.next_heap()) is not None:
        trial = HeapTrial(heap)
        while trial.is_enough(search.noise) is None:
            launches += 2
            if not math.isfinite(cost(heap)):
                trial = HeapTrial(heap, trial.rises, "ends in OutOfMemoryError")
            else:
                rise = math.log(cost(heap)) + random.normal(0, noise * math.sqrt(2))
                trial = HeapTrial(heap, (*trial.rises, rise))
        search = search.after(trial)
    return search, launches


def collected(heap: float) -> float:
    """Collections cost 4 MiB over the room that they have beside 40 MiB: 5 % more at 120 MiB."""
    return 1 + 4 * MIB / (heap - 40 * MIB) if heap > 40 * MIB else math.inf


@pytest.mark.parametrize(("noise", "smallest", "largest"), [(0.005, 100, 145), (0.02, 90, 220)])
def test_the_smallest_heap_is_found_within_its_launches(
    noise: float, smallest: float, largest: float
) -> None:
    searches = [found(Search(GIB, 30 * MIB, noise), collected, noise, seed) for seed in range(200)]
    assert max(launches for _, launches in searches) <= MOST_LAUNCHES
    near = [smallest * MIB <= search.enough <= largest * MIB for search, _ in searches]
    assert np.mean(near) > 0.9
    assert np.mean([collected(search.enough) - 1 < 0.07 for search, _ in searches]) > 0.95
    assert all(search.chosen is None or search.chosen.rise < RISE for search, _ in searches)


def test_where_no_smaller_heap_is_enough_it_stays_as_it_is() -> None:
    search, launches = found(Search(128 * MIB, 30 * MIB, 0.01), lambda heap: 2.0, 0.01, 1)
    assert (search.enough, search.chosen) == (128 * MIB, None)
    assert launches < MOST_LAUNCHES
    assert all(len(trial.rises) < MOST_PAIRS for trial in search.trials)


def test_the_search_begins_between_the_live_objects_and_the_heap_that_was_taken() -> None:
    need: Need = need_of(runs_with_peaks(*[120.0] * 10))
    search = search_below(need)
    assert search.too_small == 20 * MIB
    assert search.enough == 125 * MIB
    assert search.next_heap() == 50 * MIB


def test_a_limit_is_of_the_run_that_needs_most() -> None:
    runs = runs_with_peaks(500, 547, 530)
    finding = limit_finding(runs, 512 * MIB)
    assert finding is not None
    assert (finding.source, finding.subject, finding.run_id) == (LIMIT, PEAK, runs[1].id)
    assert (finding.observed, finding.upper) == (547 * MIB, 512 * MIB)
    assert finding.text == "needs 547 MiB, limit 512 MiB"
    assert limit_finding(runs, 547 * MIB) is None


def test_what_exceeds_a_limit_by_little_is_told_in_bytes() -> None:
    finding = limit_finding(runs_with_peaks(512 + 1 / 1024), 512 * MIB)
    assert finding is not None
    assert finding.text == "needs 536871936 B, limit 536870912 B"
