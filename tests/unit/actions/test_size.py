"""How a program is launched with a smaller heap, and what its end says."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from buto.actions import size
from buto.actions.aside import Aside
from buto.actions.events import ignore
from buto.actions.size import failure_of, with_heap
from buto.errors import JudgeError
from buto.measure.target import Target
from buto.measure.workload.model import Workload
from buto.project.model import TestConfig
from buto.run.model import Run
from tests.support.runs.scripted import GOOD, LATE, STARVED, WRONG_EXIT

MIB = 1 << 20
ENDED = b"Terminating due to java.lang.OutOfMemoryError: Java heap space\n"


@pytest.fixture(autouse=True)
def no_options_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("_JAVA_OPTIONS", raising=False)


def options(initial: float = math.nan, **environment: str) -> str:
    target = Target(("java", "Main"), environment=environment)
    return with_heap(target, 64 * MIB, initial, 30.0).environment["_JAVA_OPTIONS"]


def test_the_heap_is_set_where_no_option_of_the_command_follows() -> None:
    assert options() == "-Xmx64m -XX:+ExitOnOutOfMemoryError"


def test_an_initial_heap_above_the_largest_would_be_an_error() -> None:
    assert options(256.0 * MIB).startswith("-Xms64m -Xmx64m ")
    assert "-Xms" not in options(32.0 * MIB)


def test_options_that_are_there_stay() -> None:
    assert options(_JAVA_OPTIONS="-Dshop=1") == "-Dshop=1 -Xmx64m -XX:+ExitOnOutOfMemoryError"


@pytest.mark.parametrize(("own_s", "given_s"), [(20.0, 20.0), (600.0, 30.0)])
def test_no_launch_takes_longer_than_its_own_limit(own_s: float, given_s: float) -> None:
    assert with_heap(Target(("java",), timeout_s=own_s), MIB, math.nan, 30.0).timeout_s == given_s


@pytest.mark.parametrize(
    ("run", "failure"),
    [
        (GOOD, ""),
        (replace(WRONG_EXIT, stdout=ENDED), "ends in OutOfMemoryError: Java heap space"),
        (replace(WRONG_EXIT, stdout=b""), "exited with code 3"),
        (LATE, "takes more than three times as long"),
        (STARVED, ""),
        (replace(GOOD, stderr=ENDED), ""),
    ],
)
def test_why_a_program_does_not_get_through(run: Run, failure: str) -> None:
    assert failure_of(run) == failure


@dataclass
class Launches:
    """Stands for launches that are kept aside: each returns the next run."""

    runs: list[Run]
    test: TestConfig = field(default_factory=lambda: TestConfig("shop", Target(("java", "Main")), {}))

    def launch(self, target: Target, workload: Workload | None) -> Run:
        return self.runs.pop(0)


OUT_OF_MEMORY = replace(WRONG_EXIT, stdout=ENDED)


@pytest.mark.parametrize(
    ("runs", "failure"),
    [
        ([GOOD, STARVED, OUT_OF_MEMORY], "ends in OutOfMemoryError: Java heap space"),
        ([GOOD, STARVED, STARVED, GOOD], STARVED.quality.describe()),
    ],
    ids=["repeated", "disturbed only with this heap"],
)
def test_a_disturbed_launch_is_repeated_before_the_heap_is_blamed(runs: list[Run], failure: str) -> None:
    launches = Launches(list(runs))
    trials = size._Trials(cast(Aside, launches), ignore)
    assert trials._with(64 * MIB) == failure
    assert launches.runs == []


def test_a_machine_that_disturbs_every_launch_blames_no_heap() -> None:
    trials = size._Trials(cast(Aside, Launches([GOOD, STARVED, STARVED, STARVED, STARVED])), ignore)
    with pytest.raises(JudgeError):
        trials._with(64 * MIB)
