"""The worked example of Shang et al., and ``buto experiments run clusters`` on a few made-up runs."""

import csv
import re
from collections import Counter

import numpy as np
import pytest

from buto.judging.load.findings import ks_statistics
from buto.judging.load.models import merges
from buto.judging.verdict import Status, Verdict
from buto.run.properties import Kind, Property
from buto_replications.bed import archive
from buto_replications.bed.labels import BedRun, Labels, RunBlock
from buto_replications.clusters.comparison import CheckedRun
from buto_replications.clusters.errors import kinds
from buto_replications.clusters.example import BOTH, KEPT, NAMES, NEW, OLD
from buto_replications.clusters.separation import ALL, CHANGING, separations
from buto_replications.detectors.regression_fits import (
    POINTS,
    clustered,
    distances,
    pseudo_f,
    reduced,
    target_of,
)
from buto_replications.detectors.regression_models import judged
from tests.support.processes.command import called
from tests.support.runs.examples import full_run
from tests.support.runs.signals import make_run

SIX = [NAMES[counter] for counter in KEPT]
TABLE_2 = """
 .58
 .08 .80
 .90 .07 .15
 .44 .52 .73 .93
 .84 .06 .14 .12 .03
"""


def test_the_fifteen_distances():
    expected = [list(map(float, line.split())) for line in TABLE_2.strip().splitlines()]
    found = distances(BOTH[:, KEPT], "eq1")
    for row, line in enumerate(expected, start=1):
        assert found[row, :row] == pytest.approx(line, abs=0.0051)
    assert (found == found.T).all()


def test_the_merges_and_the_three_clusters():
    dendrogram = merges(distances(BOTH[:, KEPT], "eq1"))
    assert dendrogram[:, 2] == pytest.approx([0.033, 0.067, 0.079, 0.405, 0.571], abs=0.0006)
    assert pseudo_f(dendrogram).argmax() + 2 == 3
    assert [{SIX[merge] for merge in some} for some in clustered(BOTH[:, KEPT], "eq1")] == [
        {"CPU Privileged", "IO read byte/sec"},
        {"CPU User", "IO write byte/sec"},
        {"IO write op/sec", "Memory Private byte"},
    ]


def test_the_textbooks_statistic_does_not_give_the_three_clusters():
    assert len(clustered(BOTH[:, KEPT], "eq1", POINTS)) == 5


def test_the_targets():
    statistics = ks_statistics(OLD[:, KEPT], NEW[:, KEPT])
    clusters = clustered(BOTH[:, KEPT], "eq1")
    targets = [SIX[target_of(cluster, statistics, SIX)] for cluster in clusters]
    assert targets == ["IO read byte/sec", "CPU User", "IO write op/sec"]


def test_the_errors_are_100_4_and_2_percent_signed():
    found = list(judged([OLD[:, KEPT]], NEW[:, KEPT], SIX, 1.0, "eq1"))
    assert [cluster.new.signed for cluster in found] == pytest.approx([-1.0, -0.044, -0.022], abs=0.0005)
    assert [cluster.new.absolute for cluster in found] == pytest.approx([1.0, 0.087, 0.045], abs=0.0005)
    assert [cluster.new.undefined for cluster in found] == [0.0, 0.0, 0.0]


def test_read_operations_and_one_of_the_two_memory_counters_are_redundant():
    found = reduced(BOTH, 0.9)
    # The paper leaves out the working set, whose R² is almost as large, and keeps the private bytes.
    assert [NAMES[column] for column, _ in found.redundant] == ["IO read op/sec", "Memory Private byte"]
    assert [share for _, share in found.redundant] == pytest.approx([0.9999, 0.9245], abs=0.0001)


def test_the_observations_are_the_papers():
    assert OLD.shape == NEW.shape == (8, 8)
    assert np.isfinite(BOTH).all()


PASS, FAIL, UNCLEAR = Status.PASS, Status.REGRESSION, Status.INCONCLUSIVE


def outcome(role, fault, load, status):
    return CheckedRun(
        BedRun(full_run(), Labels("base", role, fault, load)), {"a": Verdict(status, "a")}, 1, 2
    )


def test_runs_are_counted_by_role_intensity_and_load():
    found = kinds(
        [
            outcome("fault", "busy-low", "30-40", PASS),
            outcome("fault", "busy-high", "30-40", FAIL),
            outcome("fault", "log-high", "30-40", UNCLEAR),
            outcome("steady-fault", "repeat-low", "20-40", FAIL),
            outcome("other-load", "none", "15-20", PASS),
            outcome("other-load", "none", "30-40 writes x4", UNCLEAR),
            *[outcome("good", "none", "30-40", PASS)] * 7,
            outcome("good", "none", "30-40", FAIL),
        ]
    )
    assert [(kind.title, kind.n_runs, kind.failed["a"], kind.inconclusive["a"]) for kind in found] == [
        ("fault, low", 1, 0, 0),
        ("fault, high", 2, 1, 1),
        ("steady-fault, low", 1, 1, 0),
        ("unchanged, other rates", 1, 0, 0),
        ("unchanged, another mix", 1, 0, 1),
        ("unchanged", 8, 1, 0),
        ("unchanged, other load in all", 2, 0, 1),
    ]
    assert [kind.changed for kind in found] == [True, True, True, False, False, False, False]


def test_a_share_alpha_of_unchanged_runs_fails_with_a_standard_error():
    [eight] = kinds([outcome("good", "none", "30-40", PASS)] * 8)
    assert eight.expected == 1.0
    assert eight.standard_error == pytest.approx(0.935, abs=0.001)


READS = "load.throughput[read]"
OWN = {READS: Property(READS, "{answer}/s"), "app.rows": Property("app.rows", "{row}", Kind.COUNTER)}


def made(number, role, rate, cost=1.0):
    random = np.random.default_rng(number)
    reads = random.poisson(rate * random.uniform(0.5, 1.5, 61)).astype(float)
    columns = {
        READS: reads,
        "jvm.cpu.time": (cost * 0.01 * reads * random.normal(1, 0.05, 61)).cumsum(),
        "jvm.memory.heap.used": 1e8 * random.normal(1, 0.01, 61),
        "app.rows": (3 * reads).cumsum(),
    }
    run = make_run(number, np.arange(61.0), columns, properties=OWN)
    return BedRun(run, Labels("base", role, "busy" if role == "fault" else "none", f"{rate:g}"))


def block(first):
    """Return good runs, four under one load, one with a fault, and one under another load."""
    return (
        *(made(first + number, "steady", 40) for number in range(30, 34)),
        *(made(first + number, "good", 34 + 4 * number) for number in range(8)),
        made(first + 20, "fault", 60, 2.0),
        made(first + 21, "other-load", 25),
    )


def test_tables_are_printed_and_written(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "load", lambda data, part: block(0) if part == "tuning" else ())
    done = called(tmp_path, "experiments", "run", "clusters", "--out", "results")
    assert done.returncode == 0, done.stderr
    assert "heights of the merges: 0.033, 0.067, 0.079, 0.405, 0.571" in done.stdout
    assert (
        "IO read byte/sec  CPU Privileged, IO read byte/sec           -100.0%          100.0%" in done.stdout
    )
    assert "CPU User, IO write byte/sec                  -4.4%            8.7%" in done.stdout
    assert "tuning data, which chose how to adjust" in done.stdout
    [counted] = re.findall(r"^ *fault, low +1 +1 .*$", done.stdout, re.MULTILINE)
    assert counted.endswith("all")
    assert re.search(r"^ *unchanged, other load in all +1 .* 0\.1 ± 0\.3$", done.stdout, re.MULTILINE)
    errors, traditional = done.stdout.split("tables 4 and 5")[1].split("tables 6 to 8")
    assert (
        len(
            re.findall(
                r"^ *(?:fault|other-load|steady|good) .+ \d+ +\d+ +(?:\d+%)? +\d+$", errors, re.MULTILINE
            )
        )
        == 14
    )
    [fault] = re.findall(r"^ *fault +busy +60 +(\d+)% +(\d+)% +(\d) of (\d)$", traditional, re.MULTILINE)
    cpu, memory, differing, compared = map(int, fault)
    assert cpu > 30 > memory
    assert 2 <= differing <= compared == 4
    rows = list(csv.DictReader((tmp_path / "results" / "clusters.csv").read_text().splitlines()))
    assert [row["role"] for row in rows] == ["fault", "other-load", *["steady"] * 4, *["good"] * 8]
    assert rows[0]["judge"] == "regression"
    assert rows[0]["charts"] == "4"


def test_runs_set_apart_are_judged_by_their_own_good_runs_by_earlier_ones_and_by_steady_ones(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(archive, "load", lambda data, part: block(0 if part == "tuning" else 100))
    monkeypatch.setattr(archive, "parts", lambda data: {RunBlock.TUNING: 10, RunBlock.SET_APART: 10})
    done = called(
        tmp_path, "experiments", "run", "clusters", "--part", "set-apart", "--data", ".", "--out", "out"
    )
    assert done.returncode == 0, done.stderr
    assert "set apart, which chose nothing), each checked by the good runs of block 1" in done.stdout
    rows = list(csv.DictReader((tmp_path / "out" / "clusters.csv").read_text().splitlines()))
    assert Counter(row["trained"] for row in rows) == {
        "their own good runs": 14,
        "the good runs of block 1": 14,
        "the steady runs of both blocks": 9,
    }
    assert [row["judge"] for row in rows if row["role"] == "fault"] == ["regression"] * 2


def test_runs_of_one_load_are_refused(tmp_path):
    done = called(tmp_path, "experiments", "run", "clusters", "--part", "long")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--part set-apart" in done.stderr


def watched(number, role, fault="none", more=1.0, rate=30):
    """A run with four watched counters that follow the load, of which a fault raises one."""
    random = np.random.default_rng(number)
    reads = random.poisson(rate * np.repeat(random.uniform(0.6, 1.4, 6), 20)).astype(float)
    noise = random.normal(1, 0.02, (4, len(reads)))
    names = ("jvm.cpu.time", "jvm.memory.allocated", "postgres.cpu.time", "database.statements.calls")
    counters = {name: Property(name, "1", Kind.COUNTER) for name in names}
    columns = {READS: reads} | {
        name: ((more if name == names[0] else 1.0) * reads * values).cumsum()
        for name, values in zip(names, noise, strict=True)
    }
    run = make_run(number, np.arange(len(reads)) * 1.0, columns, properties=OWN | counters)
    return BedRun(run, Labels("base", role, fault, "30"))


def test_errors_and_rivals_tell_a_fault_that_only_one_counter_shows():
    runs = [
        *(watched(number, "good", rate=24 + 2 * number) for number in range(8)),
        *(watched(20 + number, "fault", "busy-high", 1.6, 26 + 3 * number) for number in range(3)),
        watched(30, "other-load", rate=20),
    ]
    found = {(separation.loads, separation.method): separation for separation in separations(runs)}
    assert {loads for loads, _ in found} == {CHANGING, ALL}  # there is no run under a steady load
    for title in ("cut by the textbook", "t-test, Bonferroni", "envelope ± 10 %", "mean ± 30 %"):
        separation = found[CHANGING, title]
        assert separation.area[0] == 1.0, title
        assert separation.changed[0] > separation.unchanged[1]
        assert separation.cases == (8, 1)
    assert found[ALL, "cut by the textbook"].cases == (9, 1)
    assert found[CHANGING, "cut by the textbook"].clusters[1] <= 3
