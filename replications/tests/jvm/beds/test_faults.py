"""Faults that are woven into a method of a real JVM, each against the amount that was asked for."""

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from beds.artefacts import FetchError
from beds.faults import Fault, agent_option

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
