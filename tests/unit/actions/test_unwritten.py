"""Options of a training that no configuration has are named, where later launches would go without them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buto.actions.events import Event, Warned
from buto.actions.project import NO_OVERRIDES, Overrides
from buto.actions.unwritten import warn_of_launches, warn_of_training
from buto.oracle import Oracle, train
from buto.project.model import TestConfig, build_test
from buto.project.options import Measuring
from buto.run.model import run_set
from tests.support.runs.stored import leaking_run

CONFIGURED = {"command": "java A", "interval": "50ms"}


def configured(**written: Any) -> TestConfig:
    return build_test("a", {**CONFIGURED, **written}, Path(), {})


@pytest.fixture(scope="module")
def known() -> Oracle:
    """An oracle of a training with an exit code of its own, and with a time limit that is the default."""
    runs = run_set([leaking_run(number) for number in range(10)])
    return train(runs, target={**CONFIGURED, "expect-exit": 3, "timeout": "10min"})


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Warned)]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (Measuring(expect_exit=0, timeout="1min"), "trained with expect-exit: 0, timeout: 1min: "),
        (Measuring(mbeans=["a:*"]), 'trained with mbeans: [{"name": "a:*"}]: '),
        (Measuring(interval="20ms"), "trained with interval: 20ms: "),
        (Measuring(interval="50ms"), ""),
        (Measuring(), ""),
    ],
)
def test_a_training_names_its_options_that_the_configuration_does_not_have(
    options: Measuring, named: str
) -> None:
    events: list[Event] = []
    warn_of_training("a", configured(), Overrides(options=options), events.append)
    assert [text.startswith(named) for text in texts(events)] == ([True] if named else [])


def test_a_test_whose_command_is_not_configured_is_remembered_with_its_options() -> None:
    events: list[Event] = []
    overrides = Overrides(("java", "A"), options=Measuring(expect_exit=3))
    warn_of_training("a", None, overrides, events.append)
    warn_of_training("a", build_test("a", {"runs": 7}, Path(), {}), overrides, events.append)
    assert events == []


@pytest.mark.parametrize(
    ("now", "overrides", "named"),
    [
        (configured(), NO_OVERRIDES, "its training had expect-exit: 3, and "),
        (configured(**{"expect-exit": 4}), NO_OVERRIDES, ""),
        (configured(), Overrides(options=Measuring(expect_exit=3)), ""),
    ],
)
def test_launches_that_go_without_an_option_of_the_training_say_so(
    known: Oracle, now: TestConfig, overrides: Overrides, named: str
) -> None:
    events: list[Event] = []
    warn_of_launches(known, now, overrides, events.append)
    assert [text.startswith(named) for text in texts(events)] == ([True] if named else [])
