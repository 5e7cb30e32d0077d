"""A component test that real JVMs ran: old and new runs of one test in one store."""

from pathlib import Path

import pytest
import yaml

import buto
from buto.run.store import RunStore
from buto_predict.results.files import read_results
from buto_predict.results.model import CPU_TIME
from tests.support.checkout import compile_java
from tests.support.processes.command import called

OLD_STEPS, NEW_STEPS, CALLS, RUNS = 20_000, 27_800, 1_000, 4
"""The new version makes 39 % more steps in each call."""

MODEL = """\
version: 1
name: shop
stations: {web: }
components:
  price: {station: web, self: 2ms, cv: 0.2}
endpoints:
  GET /price: {load: 300/s, calls: {price: 1}}
"""


def recorded(place, classes, calls, steps, runs):
    command = ["java", "-Xmx64m", "-XX:+UseSerialGC", "-cp", str(classes), "Calls", str(calls), str(steps)]
    (place / "buto.yaml").write_text(yaml.safe_dump({"version": 1, "tests": {"price": {"command": command}}}))
    return buto.record("price", config=place / "buto.yaml", runs=runs)


@pytest.mark.slow
@pytest.mark.all
def test_a_component_that_is_39_percent_slower_is_found_in_one_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    classes = compile_java(tmp_path / "classes", (Path(__file__).parent / "programs").glob("*.java"))
    first, second = [], []
    # One after the other, so that what comes and goes on this machine slows both.
    for _ in range(RUNS):
        first += recorded(tmp_path, classes, CALLS, OLD_STEPS, 1)
        second += recorded(tmp_path, classes, CALLS, NEW_STEPS, 1)
    place = RunStore().directory("price")
    sides = [[place / run.id for run in some] for some in (first, second)]
    (old,), (new,) = map(read_results, sides)
    change = new.times_s.mean() / old.times_s.mean() - 1
    with_start = sum(run.series(CPU_TIME)[-1] for run in second) / sum(
        run.series(CPU_TIME)[-1] for run in first
    )
    assert with_start - 1 < change < 0.45
    assert change > 0.25
    Path("architecture.yaml").write_text(MODEL)
    done = called(tmp_path, "predict", "--old", *map(str, sides[0]), "--new", *map(str, sides[1]), exits=1)
    assert "REGRESSION  shop under 300/s" in done.stdout


@pytest.mark.slow
@pytest.mark.all
def test_a_test_of_few_calls_is_warned_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    classes = compile_java(tmp_path / "classes", (Path(__file__).parent / "programs").glob("*.java"))
    recorded(tmp_path, classes, 100, OLD_STEPS, RUNS)
    recorded(tmp_path, classes, 100, NEW_STEPS, RUNS)
    Path("architecture.yaml").write_text(MODEL)
    ids = [
        str(directory) for directory in sorted(RunStore().directory("price").iterdir()) if directory.is_dir()
    ]
    done = called(tmp_path, "predict", "--old", *ids[:RUNS], "--new", *ids[RUNS:])
    assert "so a change looks smaller than it is: let the test make more calls" in done.stdout
