"""The series of a run that was counted in rounds, and how what grows is listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging.rounds import (
    BY_MALLOC,
    CLASS_LOADERS,
    LEAST_NATIVE_BYTES,
    LIVE_HEAP,
    NATIVE_MEMORY,
    SeriesSubject,
    is_own,
    judge_rounds,
    judge_shares,
    series_of,
)
from buto.run.model import AFTER_ROUND, AT_END, ClassCount, ClassHistogram, FloatArray, Outcome, Run
from buto.run.properties import property_for

KIB = 1024
ROUNDS = 12
STEADY = {"java.lang.String": (1000, 24), "byte[]": (1000, 100)}

Sizes = Mapping[str, tuple[int, int]]
"""By class, the number of objects and the bytes of one."""


def histogram(time_s: float, sizes: Sizes, unlisted: int = 0) -> ClassHistogram:
    classes = [ClassCount(name, n, n * each) for name, (n, each) in sizes.items()]
    classes.sort(key=lambda class_count: -class_count.size_bytes)
    whole = sum(class_count.size_bytes for class_count in classes) + unlisted
    return ClassHistogram(
        time_s, AFTER_ROUND, sum(class_count.instances for class_count in classes), whole, tuple(classes)
    )


def counted(rounds: Sequence[Sizes], unlisted: int = 0, **counters: Sequence[float]) -> Run:
    """A run with a row for each round; counters by their names without dots."""
    names = {name.replace("__", "."): values for name, values in counters.items()}
    times = np.arange(1.0, len(rounds) + 1)
    return Run(
        "20260101T000000.000Z-0000",
        "shop@grow",
        tuple(map(property_for, names)),
        times,
        np.array([list(row) for row in zip(*names.values(), strict=True)] or [[]] * len(rounds), dtype=float),
        Outcome(0),
        histograms=tuple(
            histogram(float(time), counts, unlisted) for time, counts in zip(times, rounds, strict=True)
        ),
    )


def leaking(class_name: str, n: int, each: int) -> list[dict[str, tuple[int, int]]]:
    return [{**STEADY, class_name: (n * number, each)} for number in range(1, ROUNDS + 1)]


def test_a_class_that_is_kept_grows_with_the_heap() -> None:
    judged = judge_rounds(counted(leaking("com.acme.Order", 100, 64)))
    assert [(grown_series.what, grown_series.name) for grown_series in judged.grown] == [
        (SeriesSubject.HEAP, LIVE_HEAP),
        (SeriesSubject.CLASS, "com.acme.Order"),
    ]
    assert judged.grown[1].objects == 100
    assert judged.grown[1].rate == 6400
    assert (judged.n_rounds, judged.n_warm_up) == (ROUNDS, 4)


def test_classes_of_the_program_come_before_the_larger_ones_of_the_jdk() -> None:
    rounds = [
        {**counts, "char[]": (200 * number, 100)}
        for number, counts in enumerate(leaking("com.acme.Order", 100, 64), 1)
    ]
    assert [grown_series.name for grown_series in judge_rounds(counted(rounds)).grown] == [
        LIVE_HEAP,
        "com.acme.Order",
        "char[]",
    ]


def test_an_own_class_that_is_small_is_named_beside_what_grows_with_it() -> None:
    rounds = [
        {**counts, "com.acme.Cache": (number, 16)}
        for number, counts in enumerate(leaking("byte[]", 100, 640), 1)
    ]
    grown = {grown_series.name: grown_series for grown_series in judge_rounds(counted(rounds)).grown}
    assert grown["com.acme.Cache"].p_value == 1
    assert grown["byte[]"].p_value < 0.01


def test_an_own_class_that_is_small_and_alone_is_not_named() -> None:
    rounds = [{**STEADY, "com.acme.Cache": (number, 16)} for number in range(1, ROUNDS + 1)]
    assert judge_rounds(counted(rounds)).grown == ()


def test_a_class_below_the_list_counts_as_large_as_it_can_be() -> None:
    rounds = [*[dict(STEADY)] * 6, *[{**STEADY, "com.acme.Late": (1, 25_000)}] * 6]
    series = series_of(counted(rounds, unlisted=20_000))
    late = series.values[:, series.names.index("com.acme.Late")]
    assert late.tolist() == [20_000] * 6 + [25_000] * 6


def test_a_class_that_no_list_can_leave_out_is_missing_because_it_has_no_objects() -> None:
    series = series_of(counted([*[dict(STEADY)] * 6, *[{**STEADY, "com.acme.Late": (1, 25_000)}] * 6]))
    assert series.values[0, series.names.index("com.acme.Late")] == 0


def test_threads_and_descriptors_grow_by_one() -> None:
    threads = [10.0 + number for number in range(ROUNDS)]
    flat = [7.0] * ROUNDS
    run = counted([dict(STEADY)] * ROUNDS, jvm__thread__count=threads, jvm__class__count=flat)
    (grown,) = judge_rounds(run).grown
    assert (grown.name, grown.what, grown.rate, grown.unit) == (
        "jvm.thread.count",
        SeriesSubject.COUNTER,
        1,
        "{thread}",
    )
    assert grown.objects is None


def test_objects_of_class_loaders_are_counted_as_loaders() -> None:
    (grown,) = judge_rounds(counted(leaking("com.acme.PluginClassLoader", 1, 80))).grown
    assert (grown.name, grown.rate) == (CLASS_LOADERS, 1)


def test_objects_that_a_counter_tells_of_are_looked_for() -> None:
    threads = [10.0 + number for number in range(ROUNDS)]
    rounds = [{**STEADY, "java.lang.ThreadLocal": (number, 16)} for number in range(1, ROUNDS + 1)]
    assert judge_rounds(counted(rounds, jvm__thread__count=threads)).suspects == (
        "java.lang.Thread",
        "java.lang.ThreadLocal",
    )


DIRECT = "jvm.buffer.memory.used[direct]"


def allocating(
    native: Sequence[float], direct: Sequence[float] = (0.0,) * ROUNDS, rounds: Sequence[Sizes] = ()
) -> Run:
    """A run with what malloc had allocated after each round, direct buffers included."""
    return counted(rounds or [dict(STEADY)] * ROUNDS, **{BY_MALLOC: native, DIRECT: direct})


BY_ROUND = LEAST_NATIVE_BYTES * np.arange(ROUNDS)


def test_native_memory_grows_by_64_kib_a_round() -> None:
    (grown,) = judge_rounds(allocating(13 * 2**20 + BY_ROUND)).grown
    assert (grown.name, grown.what, grown.rate, grown.unit) == (
        NATIVE_MEMORY,
        SeriesSubject.COUNTER,
        LEAST_NATIVE_BYTES,
        "By",
    )


@pytest.mark.parametrize(
    "native",
    [
        pytest.param(0.9 * BY_ROUND, id="less than matters"),
        pytest.param(2**22 * (1 - 0.8 ** np.arange(ROUNDS)), id="levels off"),
        pytest.param(BY_ROUND + 2**20 * (np.arange(ROUNDS) == 8), id="goes down again"),
        pytest.param(BY_ROUND + np.where(np.arange(ROUNDS) == 8, np.nan, 0), id="not known once"),
    ],
)
def test_other_native_memory_passes(native: FloatArray) -> None:
    assert judge_rounds(allocating(native)).grown == ()


def test_direct_buffers_are_no_second_finding() -> None:
    run = allocating(13 * 2**20 + BY_ROUND, BY_ROUND)
    assert [grown.name for grown in judge_rounds(run).grown] == [DIRECT]


def test_objects_that_may_have_native_memory_are_looked_for() -> None:
    rounds = [
        {
            **STEADY,
            "java.util.zip.Deflater": (number, 64),
            "java.util.zip.Inflater": (3, 64),
            "A": (number, 16),
        }
        for number in range(1, ROUNDS + 1)
    ]
    assert judge_rounds(allocating(BY_ROUND, rounds=rounds)).suspects == ("A", "java.util.zip.Deflater")


def test_what_levels_off_is_listed_apart() -> None:
    rounds = [
        {**STEADY, "com.acme.Memo": (int(1000 * (1 - 0.8**number)), 640)} for number in range(1, ROUNDS + 1)
    ]
    judged = judge_rounds(counted(rounds))
    assert judged.grown == ()
    assert "com.acme.Memo" in judged.levelling


def test_a_run_without_rounds_is_not_judged() -> None:
    run = counted([dict(STEADY)] * ROUNDS)
    with pytest.raises(JudgeError):
        judge_rounds(replace(run, histograms=()))


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("com.acme.Order", True),
        ("Order", True),
        ("com.acme.Order[]", True),
        ("byte[][]", False),
        ("java.lang.Object[]", False),
        ("jdk.internal.Ref", False),
    ],
)
def test_own_classes_are_those_outside_the_jdk(name: str, own: bool) -> None:
    assert is_own(name) is own


def sampled(
    *,
    used: Sequence[float],
    live: float,
    work: Sequence[float],
    threads: Sequence[float] | None = None,
    files: Sequence[float] | None = None,
    live_files: int = 5,
    gaps: int = 0,
    named_gaps: int = 0,
) -> Run:
    """An ordinary run: what collections left, threads, open files, allocated bytes, and its last objects.

    Args:
        gaps, named_gaps: live bytes that are garbage, which the classes have as arrays, or do not have.
    """
    columns = {
        "jvm.memory.heap.used_after_last_gc": used,
        "jvm.thread.count": np.full(len(used), 9.0) if threads is None else threads,
        "process.unix.file_descriptor.count": np.full(len(used), 9.0) if files is None else files,
        "jvm.memory.allocated": work,
        LIVE_HEAP: [np.nan] * (len(used) - 1) + [live],
    }
    is_uncounted = bool(np.isnan(live))
    at_end = ClassHistogram(
        float(len(used)),
        AT_END,
        live_files,
        0 if is_uncounted else int(live) - named_gaps,
        (ClassCount("int[]", 1, gaps), ClassCount("java.io.FileDescriptor", live_files, 1000)),
    )
    return Run(
        "20260101T000000.000Z-0000",
        "shop",
        tuple(map(property_for, columns)),
        np.arange(1.0, len(used) + 1),
        np.column_stack(list(columns.values())),
        Outcome(0),
        histograms=() if is_uncounted else (at_end,),
    )


N_SAMPLES = 48
LINE = np.arange(1.0, N_SAMPLES + 1)
MIB = 2.0**20
SCATTER = np.random.default_rng(3).normal(size=N_SAMPLES)


def grown_in(run: Run) -> list[str] | None:
    judged = judge_shares(run)
    return None if judged is None else [grown_series.name for grown_series in judged.grown]


def ordinary(used: Sequence[float], live: float, threads: Sequence[float] | None = None) -> Run:
    return sampled(used=used, live=live, threads=threads, work=LINE * 10 * MIB)


def test_a_heap_that_rises_to_what_is_alive_at_the_end_grows_in_shares_of_the_work() -> None:
    assert grown_in(ordinary(LINE * MIB, N_SAMPLES * MIB)) == [LIVE_HEAP]


def test_garbage_that_piles_up_and_is_gone_after_a_forced_collection_is_no_growth() -> None:
    assert grown_in(ordinary(LINE * MIB, 2 * MIB)) == []


@pytest.mark.parametrize("kind", ["gaps", "named_gaps"])
def test_garbage_that_a_forced_collection_leaves_in_its_place_is_no_growth(kind: str) -> None:
    run = sampled(used=LINE * MIB, live=N_SAMPLES * MIB, work=LINE * 10 * MIB, **{kind: int(40 * MIB)})
    assert grown_in(run) == []


def test_threads_grow_in_shares_of_the_work() -> None:
    assert grown_in(ordinary(20 * MIB + SCATTER * MIB, 20 * MIB, LINE)) == ["jvm.thread.count"]


@pytest.mark.parametrize(
    ("live_files", "grows"), [(10 * N_SAMPLES, ["process.unix.file_descriptor.count"]), (50, [])]
)
def test_files_grow_if_they_are_held_at_the_end(live_files: int, grows: list[str]) -> None:
    run = sampled(
        used=20 * MIB + SCATTER * MIB,
        live=20 * MIB,
        work=LINE * 10 * MIB,
        files=10 * LINE,
        live_files=live_files,
    )
    assert grown_in(run) == grows


def test_what_fills_and_levels_off_does_not_grow_in_shares() -> None:
    filled = 40 * MIB * (1 - np.exp(-LINE / 10))
    assert grown_in(ordinary(filled, 40 * MIB)) == []


def test_one_collection_that_leaves_garbage_hides_no_growth() -> None:
    used = LINE * MIB
    used[30] += 20 * MIB
    assert grown_in(ordinary(used, N_SAMPLES * MIB)) == [LIVE_HEAP]


def test_a_short_run_does_not_tell_what_grows() -> None:
    few = LINE[:9]
    assert grown_in(sampled(used=few * MIB, live=9 * MIB, threads=few, work=few * MIB)) is None


def test_a_run_whose_live_heap_was_not_counted_does_not_tell_what_grows() -> None:
    assert grown_in(ordinary(LINE * MIB, np.nan)) is None


@pytest.mark.all
def test_runs_that_only_scatter_show_growth_in_at_most_one_of_a_hundred() -> None:
    rng = np.random.default_rng(7)
    noise = rng.normal(size=(300, 2, N_SAMPLES))
    runs = [ordinary(20 * MIB + 2 * MIB * a, 20 * MIB, 20 + np.rint(3 * b)) for a, b in noise]
    assert sum(grown_in(run) != [] for run in runs) <= 3


def test_files_that_are_read_more_seldom_grow_between_their_readings() -> None:
    files = np.where(np.arange(N_SAMPLES) % 3 == 1, 10 * LINE, np.nan)
    files[-1] = 10 * N_SAMPLES
    run = sampled(
        used=20 * MIB + SCATTER * MIB,
        live=20 * MIB,
        work=LINE * 10 * MIB,
        files=files,
        live_files=10 * N_SAMPLES,
    )
    assert grown_in(run) == ["process.unix.file_descriptor.count"]
