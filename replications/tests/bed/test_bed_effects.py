"""What faults of the bed change: levels of known runs, tables and pictures, ``buto experiments bed``."""

import csv
import math
from dataclasses import replace

import numpy as np
import pytest

from buto.run.model import Problem, ProblemKind, Quality
from buto.run.properties import Kind, Property
from buto_replications.bed import archive
from buto_replications.bed.effects import (
    COUNTERS,
    answered,
    curve,
    effect_tables,
    effects,
    effects_csv,
    faults,
    level,
    pictures,
    run_table,
)
from buto_replications.bed.labels import BedRun, labels_of, published
from replications.tests.support.bed import bed_run, bed_store
from tests.support.processes.command import called

CPU, ALLOCATED, HEAP = COUNTERS[:3]
SEARCH = next(counter for counter in COUNTERS if counter.head == "search")


def ours(*runs):
    return tuple(BedRun(published(run), labels_of(run)) for run in runs)


@pytest.fixture(scope="module")
def runs():
    return ours(
        *(bed_run(number) for number in range(4)),
        bed_run(10, role="fault", fault="busy-high", more=1.5),
        bed_run(11, role="fault", fault="busy-low", more=1.1),
        bed_run(12, role="environment", environment="serial"),
        bed_run(13, role="environment-fault", environment="serial", fault="busy-high", more=1.3),
        bed_run(14, role="environment-fault", environment="lonely", fault="busy-high"),
    )


def test_a_counter_is_divided_by_the_answers_and_a_gauge_is_its_median():
    run = ours(bed_run(1))[0].run
    # Each answer takes .1 s of processor time and allocates 600 MB.
    assert level(run, CPU) == pytest.approx(0.1, rel=0.01)
    assert level(run, ALLOCATED) == pytest.approx(6e8)
    assert level(run, HEAP) == 4096e3
    assert level(run, SEARCH) == np.nanmedian(run.series(SEARCH.property))


def test_what_a_run_lacks_or_could_not_read_has_no_level():
    run = ours(bed_run(1))[0].run
    lacking = next(counter for counter in COUNTERS if counter.property not in run.column_of)
    assert math.isnan(level(run, lacking))
    unread = replace(
        run,
        properties=(Property(CPU.property, "s", Kind.COUNTER),),
        values=np.where(np.arange(run.n_samples) == 2, 1.0, np.nan)[:, None],
    )
    assert math.isnan(level(unread, CPU))
    idle = replace(unread, values=np.arange(float(run.n_samples))[:, None])
    assert answered(idle).tolist() == [0.0] * run.n_samples
    assert math.isnan(level(idle, CPU))


def test_a_curve_has_the_level_of_each_span():
    run = ours(bed_run(1))[0].run
    middles_s, levels = curve(run, CPU, span_s=1.0)
    np.testing.assert_allclose(middles_s, run.times_s[0] + np.array([0.5, 1.5, 2.5]))
    np.testing.assert_allclose(levels, 0.1, rtol=0.02)


def test_each_fault_is_compared_with_runs_of_its_environment(runs):
    found = [
        (fault.role, fault.environment, fault.fault, len(fault.base), len(fault.changed))
        for fault in faults(runs)
    ]
    assert found == [
        ("fault", "base", "busy-low", 4, 1),
        ("fault", "base", "busy-high", 4, 1),
        ("environment-fault", "lonely", "busy-high", 0, 1),
        ("environment-fault", "serial", "busy-high", 1, 1),
    ]


def test_an_effect_is_the_change_of_the_median_and_stands_out_of_all_runs(runs):
    (_, of_low), (_, of_high), (_, of_serial) = effects(runs).items()
    assert [effect.counter for effect in of_high] == list(COUNTERS)
    for of, change in ((of_low, 0.1), (of_high, 0.5), (of_serial, 0.3)):
        assert of[1].change == pytest.approx(change, rel=0.01)
    assert of_high[0].stands_out
    assert of_low[1].stands_out
    # A single run has no scatter to stand out of.
    assert math.isnan(of_serial[1].scatter)
    assert not of_serial[1].stands_out
    unread = of_high[3]
    assert (math.isnan(unread.change), unread.stands_out) == (True, False)


def test_tables_and_pictures_show_each_fault(runs):
    found = effects(runs)
    faulty, environments = effect_tables(found)
    assert faulty.heads[:4] == ("fault", "environment", "runs", "CPU")
    assert [row[:3] for row in faulty.rows] == [
        ("without", "base", "4"),
        ("busy-low", "base", "1"),
        ("busy-high", "base", "1"),
    ]
    assert [row[4] for row in faulty.rows] == ["572 MiB", "+10 %*", "+50 %*"]
    assert [row[4] for row in environments.rows] == ["572 MiB", "+30 %"]
    lines = list(csv.DictReader(effects_csv(found).splitlines()))
    assert len(lines) == 3 * len(COUNTERS)
    assert (lines[1]["fault"], lines[1]["counter"]) == ("busy-low", "jvm.memory.allocated")
    assert float(lines[1]["with_fault"]) == pytest.approx(6.6e8)
    [(name, picture)] = pictures(found)
    assert (name, picture[:4]) == ("busy", b"\x89PNG")


def test_runs_are_listed_by_environment_and_role(runs):
    table = run_table(runs, "9 runs:")
    assert table.rows[0] == ("b1-base-fault-10", "base", "fault", "busy-high", "20-40", "8", "8")
    assert [row[2] for row in table.rows] == [
        *("fault", "fault", "good", "good", "good", "good"),
        *("environment-fault", "environment", "environment-fault"),
    ]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    made = tmp_path_factory.mktemp("bed")
    busy = Quality((Problem(ProblemKind.BUSY_HOST, "the machine was busy"),))
    bed_store(
        made / "runs",
        *(bed_run(number) for number in range(3)),
        bed_run(4, role="fault", fault="busy-high", more=1.5),
        replace(bed_run(5), quality=busy),
        bed_run(1, block=2),
    )
    return made


def test_runs_are_packed_listed_and_shown(directory):
    packed = called(directory, "experiments", "bed", "pack", "runs", "set")
    assert packed.returncode == 0, packed.stderr
    tuning, apart = packed.stdout.splitlines()
    assert tuning.startswith("wrote 4 runs, tuning, to set/tuning (")
    assert apart.startswith("wrote 1 run, set apart, to set/set-apart (")
    left_out = bed_run(5).id
    assert f"the run {left_out} is not valid and was left out: the machine was busy" in packed.stderr
    assert len(archive.load(directory / "set")) == 4

    listed = called(directory, "experiments", "bed", "list", "--data", "set")
    assert listed.stdout.splitlines()[0] == "4 runs, tuning:"
    assert "busy-high" in listed.stdout
    assert listed.stderr == "not listed: 1 run, set apart (--part set-apart)\n"
    other = called(directory, "experiments", "bed", "list", "--data", "set", "--part", "set-apart")
    assert other.stdout.splitlines()[0] == "1 run, set apart:"

    shown = called(directory, "experiments", "bed", "faults", "--data", "set", "--out", "out")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[0] == "role fault, against runs of the role good:"
    assert {path.name for path in (directory / "out").iterdir()} == {"faults.csv", "busy.png"}
    assert shown.stderr == "wrote out/faults.csv\nwrote out/busy.png\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("list", "--data", "nothing"), 4, "nothing/tuning/runs.parquet"),
        (("list", "--part", "all"), 2, "invalid choice: 'all'"),
        (("pack", "nothing", "out"), 4, "nothing holds no usable runs"),
        (("pack", "runs"), 2, "the following arguments are required: DIRECTORY"),
    ],
)
def test_what_cannot_be_done_is_reported(directory, arguments, code, message):
    ended = called(directory, "experiments", "bed", *arguments)
    assert ended.returncode == code
    assert message in ended.stderr
