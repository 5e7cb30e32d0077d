"""What a check judges is of the work: neither the phase of a collector nor the speed of the machine accuses.

The runs are of a program that allocates at an even rate into a young generation of a fixed size. When that is
full, a collection leaves what is alive. Everything that a change brings about follows from this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from buto.judging.accusing import TABLE, accusing_features, is_level, may_accuse
from buto.judging.detector import FittedCalibrated
from buto.judging.features import COUNTER_FEATURES, GAUGE_FEATURES, Series
from buto.judging.profile import steps_of
from buto.judging.verdict import Status, Verdict
from buto.oracle import Oracle, check, train
from buto.run.model import ClassCount, ClassHistogram, Run, RunSet, run_set
from buto.run.properties import LIVE_CLASSES, METRICS, Kind, Nature, Property, nature_of, property_for
from tests.support.judging import needs_turns
from tests.support.runs.signals import make_run

MIB = 2.0**20
N_SAMPLES = 50
YOUNG = 73.0
"""The young generation, in MiB."""


@dataclass(frozen=True)
class Batch:
    """A program that ends when its work is done; sizes in MiB.

    Attributes:
        alive: what it keeps at the end; it grows evenly from half of that.
        late_threads: threads that start in the last tenth of the run.
        passing_threads: threads that are there in the middle third only.
        touched: memory of the process that is not of the heap.
        per_class: bytes of live objects by class.
        speeds_up: the share of the work that the first third of the time does.
    """

    allocated: float = 441.0
    alive: float = 8.0
    seconds: float = 5.0
    classes: int = 5199
    late_threads: int = 0
    passing_threads: int = 0
    descriptors: int = 10
    written: float = 2.0
    touched: float = 60.0
    queue: float = 40.0
    first_third: float = 1 / 3
    per_class: Mapping[str, float] | None = None


def run_of(number: int, program: Batch) -> Run:
    random = np.random.default_rng(number)
    seconds = program.seconds * (1 + 0.01 * random.normal())
    times_s = np.linspace(0.0, seconds, N_SAMPLES)
    share = times_s / seconds
    work = np.interp(share, [0.0, 1 / 3, 1.0], [0.0, program.first_third, 1.0])
    allocated = program.allocated * work * (1 + 1e-5 * random.normal())
    alive = program.alive * (0.5 + 0.5 * work)
    collections = np.floor(allocated / YOUNG)
    used = alive + allocated - YOUNG * collections
    after = np.where(
        collections > 0, program.alive * (0.5 + 0.5 * YOUNG * collections / program.allocated), np.nan
    )
    threads = (
        7.0 + program.late_threads * (share > 0.9) + program.passing_threads * (np.abs(share - 0.5) < 1 / 6)
    )
    # Classes are loaded in the first two seconds, however long the run is.
    classes = program.classes * (0.6 + 0.4 * np.minimum(times_s / 2.0, 1.0))
    live = np.full(N_SAMPLES, np.nan)
    live[-1] = program.alive * MIB * (1 + 1e-4 * random.normal())
    columns = {
        "jvm.memory.allocated": allocated * MIB,
        "jvm.memory.heap.used": used * MIB,
        "jvm.memory.used[G1 Old Gen]": alive * MIB,
        "jvm.memory.heap.used_after_last_gc": after * MIB,
        "jvm.memory.heap.live": live,
        "jvm.gc.count[G1 Young Generation]": collections,
        "jvm.class.count": np.rint(classes),
        "jvm.class.loaded": np.rint(classes),
        "jvm.thread.count": threads,
        "process.thread.count": threads + 12,
        "process.unix.file_descriptor.count": np.where(share > 0.2, program.descriptors, 4.0),
        "process.memory.usage": (program.touched + np.maximum.accumulate(used)) * MIB,
        "process.disk.io[write]": program.written * MIB * work,
        "jvm.cpu.time": 3.0 * work * (1 + 0.01 * random.normal()),
        "mbean[shop:type=Queue]/Length": program.queue + random.normal(size=N_SAMPLES),
    }
    run = make_run(number, times_s, columns, duration_s=seconds)
    if program.per_class is None:
        return run
    found = sorted(program.per_class.items(), key=lambda pair: -pair[1])
    classes_of = tuple(ClassCount(name, int(size // 16), int(size)) for name, size in found)
    total = int(sum(size for _, size in found))
    return replace(run, histograms=(ClassHistogram(seconds, "end", total // 16, total, classes_of),))


def runs_of(program: Batch, first: int = 100, n: int = 3) -> RunSet:
    return run_set([run_of(first + number, program) for number in range(n)])


def known(program: Batch = Batch()) -> Oracle:
    return train(runs_of(program, 0, 10))


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return known()


def subjects(verdict: Verdict) -> set[str]:
    return {finding.subject for finding in verdict.findings}


def test_the_programs_are_as_the_table_of_their_truth_says() -> None:
    """Used heap at the exit, 11 and 76 MiB, says only when the last collection was."""
    old, new = run_of(0, Batch()), run_of(0, Batch(allocated=433.0))

    def last(run: Run, name: str) -> float:
        return float(run.values[-1, run.column_of[name]])

    assert last(old, "jvm.gc.count[G1 Young Generation]") == 6
    assert last(new, "jvm.gc.count[G1 Young Generation]") == 5
    assert last(new, "jvm.memory.heap.used") > 5 * last(old, "jvm.memory.heap.used")


def test_a_collection_less_by_a_little_less_allocation_accuses_nobody(oracle: Oracle) -> None:
    verdict = check(oracle, runs_of(Batch(allocated=433.0)))
    assert verdict.status is Status.PASS
    assert subjects(verdict) == set()


def test_neither_does_one_more_by_a_little_more_allocation() -> None:
    verdict = check(known(Batch(allocated=433.0)), runs_of(Batch(allocated=441.0)))
    assert verdict.status is Status.PASS


def test_more_allocation_is_named_and_not_the_garbage_that_it_leaves(oracle: Oracle) -> None:
    verdict = check(oracle, runs_of(Batch(allocated=480.0)))
    assert verdict.status is Status.REGRESSION
    assert subjects(verdict) == {"jvm.memory.allocated"}


def test_without_turns_a_time_says_nothing_beside_what_is_counted(oracle: Oracle) -> None:
    """On another day the machine alone made an unchanged program a quarter faster."""
    verdict = check(oracle, runs_of(Batch(allocated=500.0, seconds=3.0)))
    assert verdict.status is Status.REGRESSION
    assert "jvm.memory.allocated" in subjects(verdict)
    assert "run.duration" not in subjects(verdict) | {finding.subject for finding in verdict.noted}
    assert needs_turns(check(oracle, runs_of(Batch(seconds=3.0))))
    assert any("duration" in text for text in verdict.warnings)


def test_a_faster_program_has_no_more_classes_or_descriptors(oracle: Oracle) -> None:
    """In half the time, the mean number of classes is 10 % less, and their growth is another one."""
    verdict = check(oracle, runs_of(Batch(seconds=2.5)))
    assert subjects(verdict) == {"run.duration"}


def test_equal_work_in_another_rhythm_is_equal(oracle: Oracle) -> None:
    """The machine speeds up meanwhile: the first third of the time does half of the work."""
    verdict = check(oracle, runs_of(Batch(first_third=0.5)))
    assert verdict.status is Status.PASS
    assert verdict.noted == ()


@pytest.mark.parametrize("change", [{"late_threads": 1}, {"passing_threads": 1}])
def test_a_thread_more_is_found_whenever_it_runs(oracle: Oracle, change: dict[str, int]) -> None:
    verdict = check(oracle, runs_of(Batch(**change)))
    assert needs_turns(verdict)
    assert subjects(verdict) == {"jvm.thread.count"}
    found = next(finding for finding in verdict.findings if finding.subject == "jvm.thread.count")
    assert (found.expected, found.observed) == (7, 8)


def test_a_descriptor_more_at_the_exit_is_found(oracle: Oracle) -> None:
    verdict = check(oracle, runs_of(Batch(descriptors=11)))
    assert subjects(verdict) == {"process.unix.file_descriptor.count"}


def test_more_that_is_kept_is_found(oracle: Oracle) -> None:
    verdict = check(oracle, runs_of(Batch(alive=10.0)))
    assert verdict.status is Status.REGRESSION
    assert "jvm.memory.heap.live" in subjects(verdict)
    assert "jvm.memory.heap.used" not in subjects(verdict)


def test_a_short_peak_that_one_phase_sees_and_another_misses_is_no_size_that_matters() -> None:
    kept = property_for("jvm.memory.heap.used_after_last_gc")
    small = np.array([2.0, 2.1, 2.0, 2.1, 2.0, 2.1, 2.0]) * MIB
    peak = small.copy()
    peak[3] = 2.8 * MIB
    times = np.arange(7.0)
    flat, seen = (Series(times, values[:, None]) for values in (small, peak))
    assert steps_of((kept,), [seen, seen])[0] == pytest.approx(0.8 * MIB)
    assert steps_of((kept,), [flat, seen])[0] == pytest.approx(0.45 * MIB)
    assert steps_of((property_for("jvm.memory.heap.used"),), [seen])[0] == 0.0


def test_memory_that_is_touched_is_found_by_its_largest_value(oracle: Oracle) -> None:
    verdict = check(oracle, runs_of(Batch(touched=75.0)))
    assert subjects(verdict) == {"process.memory.usage"}
    assert verdict.findings[0].measure == "largest value"


def test_twice_as_much_that_is_written_to_the_disk_is_found(oracle: Oracle) -> None:
    assert subjects(check(oracle, runs_of(Batch(written=4.0)))) == {"process.disk.io[write]"}


def test_a_gauge_of_the_program_is_judged_by_its_mean(oracle: Oracle) -> None:
    verdict = check(oracle, runs_of(Batch(queue=50.0)))
    assert subjects(verdict) == {"mbean[shop:type=Queue]/Length"}
    assert verdict.findings[0].measure == "mean over the run"


def test_used_heap_is_judged_where_allocation_was_not_read_or_a_user_asks_for_it() -> None:
    def without(runs: RunSet) -> RunSet:
        names = [prop.name for prop in runs.properties if prop.name != "jvm.memory.allocated"]
        return run_set(
            [
                replace(
                    run,
                    properties=tuple(property_for(name) for name in names),
                    values=run.values[:, [run.column_of[name] for name in names]],
                )
                for run in runs
            ]
        )

    grown = runs_of(Batch(alive=40.0))
    verdict = check(train(without(runs_of(Batch(), 0, 10))), without(grown))
    assert "jvm.memory.heap.used" in subjects(verdict)
    assert "jvm.memory.heap.used" not in subjects(check(known(), grown))
    asked = train(runs_of(Batch(), 0, 10))
    fitted = asked.fitted
    assert isinstance(fitted, FittedCalibrated)
    settings = fitted.settings.with_value("minimum-effect", {"jvm.memory.heap.used": "5MiB"})
    assert "jvm.memory.heap.used" in subjects(replace(fitted, settings=settings).check(grown))


CLASSES = {
    "char[]": 2.29 * MIB,
    "byte[]": 9.0 * MIB,
    "com.acme.Tree$Node": 6.0 * MIB,
    "com.acme.map.Entry": 0.2 * MIB,
    "com.acme.map.Entry$Linked": 0.002 * MIB,
    "com.acme.Row": 0.6 * MIB,
    "com.acme.App$$Lambda": 0.1 * MIB,
    "java.lang.String": 3.0 * MIB,
}
ALIVE = sum(CLASSES.values()) / MIB


def with_classes(**changes: float) -> Batch:
    """The program with other bytes of some classes, in MiB, by the last part of their names."""
    sizes = dict(CLASSES)
    for name, more in changes.items():
        (full,) = [class_count for class_count in CLASSES if class_count.endswith(name)]
        sizes[full] += more * MIB
    return Batch(alive=sum(sizes.values()) / MIB, per_class=sizes)


@pytest.fixture(scope="module")
def by_class() -> Oracle:
    return known(with_classes())


def test_objects_that_become_of_a_subclass_accuse_nobody(by_class: Oracle) -> None:
    """The subclass has sixtyfold the bytes, and its superclass has as many less."""
    changed = {"Linked": 0.12, "Entry": -0.18}
    sizes = dict(CLASSES)
    sizes["com.acme.map.Entry$Linked"] += 0.12 * MIB
    sizes["com.acme.map.Entry"] -= 0.18 * MIB
    assert sum(changed.values()) < 0
    verdict = check(by_class, runs_of(Batch(alive=sum(sizes.values()) / MIB, per_class=sizes)))
    assert verdict.status is Status.PASS


def test_a_class_that_takes_the_place_of_another_accuses_nobody(by_class: Oracle) -> None:
    sizes = dict(CLASSES)
    sizes["com.acme.Record"] = sizes.pop("com.acme.Row")
    verdict = check(by_class, runs_of(Batch(alive=ALIVE, per_class=sizes)))
    assert verdict.status is Status.PASS


def test_four_percent_of_a_class_is_nothing_of_all_that_is_alive(by_class: Oracle) -> None:
    sizes = {**CLASSES, "char[]": CLASSES["char[]"] * 1.04}
    verdict = check(by_class, runs_of(Batch(alive=sum(sizes.values()) / MIB, per_class=sizes)))
    assert verdict.status is Status.PASS
    assert LIVE_CLASSES.name in {finding.subject for finding in verdict.noted}


def test_a_class_that_keeps_more_is_named_though_all_that_is_alive_hardly_grows(by_class: Oracle) -> None:
    """1.5 % of all, less than the 2 % from which all of it matters."""
    sizes = {**CLASSES, "com.acme.Row": CLASSES["com.acme.Row"] + 0.015 * ALIVE * MIB}
    verdict = check(by_class, runs_of(Batch(alive=sum(sizes.values()) / MIB, per_class=sizes)))
    assert verdict.status is Status.REGRESSION
    assert subjects(verdict) == {LIVE_CLASSES.name}
    assert verdict.findings[0].measure == "live objects of com.acme.Row at the end"


def test_the_table_has_one_row_for_each_feature_of_each_nature() -> None:
    gauges = {prop.nature for prop in METRICS.values() if prop.kind is Kind.GAUGE} | {Nature.OWN}
    for nature in Nature:
        names = [name for row in TABLE if row.nature is nature for name in row.features]
        expected = GAUGE_FEATURES if nature in gauges else COUNTER_FEATURES
        assert sorted(names) == sorted(expected), nature


def test_nothing_accuses_that_follows_the_speed_or_the_phase() -> None:
    """But for times, for collections, whose size is beyond one, and for gauges of the program."""
    for row in TABLE:
        assert row.why
        if row.accuses and row.nature not in (Nature.TIME, Nature.COLLECTIONS, Nature.OWN):
            assert not row.phase and not row.speed, row
        if not row.accuses:
            assert row.phase or row.speed or row.collections, row


def test_every_property_has_a_number_by_which_it_can_be_judged() -> None:
    for metric in METRICS.values():
        prop = metric.property()
        names = accusing_features(prop)
        assert names
        assert is_level(prop, names[0])
        assert may_accuse(prop, names[0])


@pytest.mark.parametrize(
    ("name", "nature"),
    [
        ("jvm.memory.used[Metaspace]", Nature.HELD),
        ("jvm.memory.used[G1 Old Gen]", Nature.GARBAGE),
        ("jvm.memory.used[G1 Eden Space]", Nature.RESERVED),
        ("mbean[a:type=B]/C", Nature.OWN),
        ("run.duration", Nature.TIME),
    ],
)
def test_the_nature_of_a_pool_is_that_of_what_it_has(name: str, nature: Nature) -> None:
    prop = property_for(name) if name != "run.duration" else METRICS["jvm.cpu.time"].property()
    assert nature_of(prop) is nature


def test_a_counter_of_the_program_counts_work() -> None:
    assert nature_of(Property("mbean[a:type=B]/Orders", "{order}", Kind.COUNTER)) is Nature.WORK
