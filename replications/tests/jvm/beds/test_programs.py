"""Programs of the beds on real JVMs: woven faults, equal results, a pair of releases, Keycloak."""

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml

import buto
from beds.artefacts import BedError, FetchError, fetch
from beds.faults import Fault, agent_option
from beds.jdk import run
from beds.keycloak import configuration as usual
from beds.keycloak import switched
from beds.keycloak.environments import ENVIRONMENTS
from beds.keycloak.prepare import is_prepared, prepare
from beds.keycloak.switched import NAME, Switched
from beds.unseen.catalogue import build, command, programs
from benchmark.launch import SIDES, use
from benchmark.launch import build as build_pair
from benchmark.pairs import Measure, read_all

SHOP = Path(__file__).parent / "programs" / "Shop.java"
CALLS = 100


@dataclass(frozen=True)
class Used:
    calls: int
    cpu_ns: int
    heap: int
    strikes: int


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    out = tmp_path_factory.mktemp("shop")
    subprocess.run(["javac", "-d", str(out), str(SHOP)], check=True, timeout=300)
    return out


def printed_by(fault, classes):
    """Run the shop with a fault off and on; skip where Byte Buddy cannot be had."""
    try:
        option = agent_option(fault)
    except FetchError as missing:
        pytest.skip(str(missing))
    command = ["java", "-Xmx256m", option, "-cp", str(classes), "Shop", fault.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def used_by(fault, classes):
    lines = [line.split() for line in printed_by(fault, classes)]
    return {line[0]: Used(*map(int, line[1:])) for line in lines}


@pytest.mark.all
def test_a_fault_burns_the_processor_time_that_was_asked_for_only_while_it_is_on(classes):
    used = used_by(Fault("cpu", "burn", 2_000_000, "Shop#order"), classes)
    assert used["off"].strikes == 0
    assert used["on"].strikes == used["again"].strikes == CALLS
    assert used["on"].cpu_ns - used["off"].cpu_ns >= 0.99 * CALLS * 2_000_000
    assert used["off"].cpu_ns < CALLS * 1_000_000


def test_a_fault_retains_the_bytes_that_were_asked_for(classes):
    used = used_by(Fault("leak", "retain", 100_000, "Shop#order"), classes)
    assert used["on"].heap - used["off"].heap == pytest.approx(CALLS * 100_000, rel=0.1)


def test_a_fault_runs_the_method_again(classes):
    used = used_by(Fault("again", "repeat", 3, "Shop#order"), classes)
    assert used["off"].calls == CALLS
    assert used["on"].calls == 4 * CALLS


def test_a_fault_runs_the_method_again_in_one_of_some_calls_and_keeps_the_first_result(classes):
    used = used_by(Fault("lost", "leak", 4, "Shop#order"), classes)
    assert (used["off"].calls, used["off"].strikes) == (CALLS, 0)
    assert (used["on"].calls, used["on"].strikes) == (CALLS * 5 // 4, CALLS // 4)
    assert used["on"].heap - used["off"].heap == pytest.approx(CALLS // 4 * 1000, abs=15_000)


def test_a_fault_prints_lines(classes):
    lines = printed_by(Fault("log", "log", 3, "Shop#order"), classes)
    assert sum("of a fault" in line for line in lines) == 3 * CALLS


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("burn", "a fault must be NAME=KIND:AMOUNT@CLASS#METHOD[:on], got 'cpu=burn@Shop#order'"),
        ("leak:0", "a leak needs at least 1 call, got 'cpu=leak:0@Shop#order'"),
    ],
)
def test_a_fault_that_is_typed_wrong_is_named(typed, message, classes):
    option = agent_option(Fault("cpu", "burn", 1, "Shop#order")).replace("burn:1", typed)
    command = ["java", option, "-cp", str(classes), "Shop", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == -signal.SIGABRT
    assert message in done.stderr


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return build(tmp_path_factory.mktemp("unseen"))


@pytest.mark.all
@pytest.mark.parametrize("program", programs().values(), ids=lambda program: program.name)
def test_all_versions_print_the_same_result(program, compiled):
    printed = {run(command("java", [], compiled, program.name, version)) for version in program.versions}
    assert len(printed) == 1
    assert printed.pop().startswith(f"{program.name} ")


@pytest.mark.all
def test_the_newer_release_allocates_more(tmp_path):
    pair = read_all()["jsoup-errors"]
    try:
        for artefact in (*pair.old, *pair.new):
            fetch(artefact)
    except BedError as missing:
        pytest.skip(str(missing))
    classes = build_pair(pair, tmp_path)
    old, new = (use(pair, side, classes) for side in SIDES)
    assert new[Measure.ALLOCATED] > 2 * old[Measure.ALLOCATED]


BASE = ENVIRONMENTS["base"]
SECONDS = 4
"""Of the warm-up, and of each of five phases."""

RATE = 10


@pytest.fixture
def short(monkeypatch):
    """Few requests, and short phases."""
    if not is_prepared(BASE.keycloak, BASE.postgresql):
        pytest.skip("Keycloak is not ready to be measured: make bed")
    for module, name, value in (
        (usual, "WARM_UP_S", SECONDS),
        (switched, "WARM_UP_S", SECONDS),
        (switched, "PHASE_S", SECONDS),
        (switched, "RATE", RATE),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.mark.jvm
@pytest.mark.usefixtures("short")
def test_a_fault_that_is_switched_on_shows_among_a_thousand_numbers_of_all_sources(tmp_path):
    bed = prepare(BASE.keycloak, BASE.postgresql)
    test = switched.configuration(bed, (Switched("repeat-high", 4, 12),), n_phases=5)
    config = tmp_path / "buto.yaml"
    config.write_text(yaml.safe_dump({"version": 1, "tests": {NAME: test}}))
    [*_, run] = buto.record(NAME, config=config)
    assert len(run.properties) > 1000
    assert {source.name: source.reason for source in run.sources} == dict.fromkeys(test["sources"], "")
    marks = {mark.name: mark.time_s for mark in run.marks}
    assert marks["window.start"] < marks["repeat.start"] < marks["repeat.end"] < marks["window.end"]
    statements = run.series("database.statements.calls")

    def rate(begin_s, end_s):
        first, last = np.searchsorted(run.times_s, (begin_s, end_s))
        return float((statements[last] - statements[first]) / (run.times_s[last] - run.times_s[first]))

    within = rate(marks["repeat.start"] + 1, marks["repeat.end"] - 1)
    assert within > 1.3 * rate(marks["repeat.end"] + 1, marks["window.end"] - 1)
