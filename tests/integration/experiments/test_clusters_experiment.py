"""``buto experiments run clusters`` on a few made-up runs in place of the bed's."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from buto.experiments.bed import archive
from buto.experiments.bed.labels import BedRun, Labels
from buto.properties import Kind, Property
from tests.support.processes.command import called
from tests.support.runs.signals import make_run

READS = "load.throughput[read]"
OWN = {READS: Property(READS, "{answer}/s"), "app.rows": Property("app.rows", "{row}", Kind.COUNTER)}


def made(number: int, role: str, rate: float, cost: float = 1.0) -> BedRun:
    random = np.random.default_rng(number)
    reads = random.poisson(rate * random.uniform(0.5, 1.5, 61)).astype(float)
    columns = {
        READS: reads,
        "jvm.cpu.time": (cost * 0.01 * reads * random.normal(1, 0.05, 61)).cumsum(),
        "app.rows": (3 * reads).cumsum(),
    }
    run = make_run(number, np.arange(61.0), columns, properties=OWN)
    return BedRun(run, Labels("base", role, "busy" if role == "fault" else "none", f"{rate:g}"))


def test_tables_are_printed_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = (
        *(made(number, "good", 40 + number) for number in range(8)),
        made(20, "fault", 60, 2.0),
        made(21, "other-load", 25),
    )
    monkeypatch.setattr(archive, "load", lambda data, part: runs if part == "tuning" else ())
    done = called(tmp_path, "experiments", "run", "clusters", "--out", "results")
    assert done.returncode == 0, done.stderr
    assert "heights of the merges: 0.033, 0.067, 0.079, 0.405, 0.571" in done.stdout
    assert (
        "IO read byte/sec  CPU Privileged, IO read byte/sec           -100.0%          100.0%" in done.stdout
    )
    assert "CPU User, IO write byte/sec                  -4.4%            8.7%" in done.stdout
    assert "tuning data, which chose regression-models" in done.stdout
    [counted] = re.findall(r"^ *fault, low +1 +1 .*$", done.stdout, re.MULTILINE)
    assert counted.endswith("all")
    errors = done.stdout.split("tables 4 and 5")[1]
    assert (
        len(re.findall(r"^ *(?:fault|other-load|good) .+ \d+ +\d+ +(?:\d+%)? +\d+$", errors, re.MULTILINE))
        == 10
    )
    rows = list(csv.DictReader((tmp_path / "results" / "clusters.csv").read_text().splitlines()))
    assert [row["role"] for row in rows] == ["fault", "other-load", *["good"] * 8]
    assert rows[0]["regression-models"] == "regression"
    assert rows[0]["charts"] == "3"
