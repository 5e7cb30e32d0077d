"""``buto experiments run clusters`` on a few made-up runs in place of the bed's."""

import csv
import re
from collections import Counter

import numpy as np

from buto.run.properties import Kind, Property
from buto_replications.bed import archive
from buto_replications.bed.labels import BedRun, Labels, Part
from tests.support.processes.command import called
from tests.support.runs.signals import make_run

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
    monkeypatch.setattr(archive, "parts", lambda data: {Part.TUNING: 10, Part.SET_APART: 10})
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
