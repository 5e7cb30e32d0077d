"""Advice to a user of Python is a call that can be made as it is written."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import buto
from buto.actions.project import Overrides
from buto.actions.wording import FrontEnd
from buto.api.options import PythonFrontEnd
from buto.project.options import Location, Options
from buto.steps import Action, Step

PLAIN: FrontEnd = PythonFrontEnd()
SPECIFIED: FrontEnd = PythonFrontEnd(
    {"store": Path("build/runs"), "oracle": Path("o.json")},
    Overrides(
        ("java", "-Dpassword=geheim", "Main"), 0.05, {"interval": "10ms", "mbeans": ["a:*"], "expect_exit": 3}
    ),
)


@pytest.mark.parametrize(
    ("step", "call"),
    [
        (Step(Action.TRAIN, "shop"), 'buto.train("shop")'),
        (Step(Action.TRAIN, "shop", from_runs="a..b"), 'buto.train("shop", from_runs="a..b")'),
        (
            Step(Action.RECORD, "shop", runs=10, command=("...",)),
            'buto.record("shop", runs=10, command=["..."])',
        ),
        (Step(Action.CHECK, 'a "b" é'), 'buto.check("a \\"b\\" é")'),
        (Step(Action.ACCEPT, "shop", why="if it is meant"), 'buto.accept("shop")  # if it is meant'),
        (Step(Action.COMPARE, "old", against="new"), 'buto.compare("old", "new")'),
        (Step(Action.WHY, "shop", why="which code did it"), 'buto.why("shop")  # which code did it'),
        (Step(Action.WHY, "old", against="new"), 'buto.why("old", against="new")'),
        (
            Step(Action.WHY, "shop", revisions=("a", "b"), build="make"),
            'buto.why("shop", build="make", revisions=("a", "b"))',
        ),
        (Step(Action.TRAIN, "shop", profile=True), 'buto.train("shop", profile=True)'),
        (Step(Action.SELFTEST, "shop"), 'buto.selftest("shop")'),
        (Step(Action.LIST_RUNS), "buto.open_store().tests()"),
        (Step(Action.SHOW_RUN, "shop", run_id="a"), 'buto.open_store().load("shop", "a")'),
        (Step(Action.SHOW_RUN, "shop"), 'buto.open_store().load_set("shop")'),
        (Step(Action.PLOT, "shop"), "buto.plot_result(result)"),
        (Step(Action.BISECT, "a b"), "buto bisect 'a b'"),
        (Step(Action.RELEASE, "shop", release="v1"), 'buto.release("shop", "v1")'),
        (Step(Action.CHECK, "shop", release="v1"), 'buto.check("shop", release=True)'),
        (Step(Action.ACCEPT, "shop", only="a.b"), "buto accept shop --only a.b --reason TEXT"),
    ],
)
def test_each_step_is_a_call(step: Step, call: str) -> None:
    assert PLAIN.step(step) == call


def test_what_was_specified_is_specified_again_but_no_secret() -> None:
    assert SPECIFIED.step(Step(Action.TRAIN, "shop", runs=7)) == (
        'buto.train("shop", runs=7, store="build/runs", oracle="o.json", interval="10ms", mbeans=["a:*"], '
        'expect_exit=3, command=["java", "-Dpassword=_MASKED_", "Main"])'
    )
    plain = SPECIFIED.step(Step(Action.TRAIN, "shop", plain=True))
    assert plain == 'buto.train("shop", store="build/runs", oracle="o.json")'
    assert SPECIFIED.step(Step(Action.LIST_RUNS)) == 'buto.open_store("build/runs").tests()'


def test_every_action_has_advice_that_python_or_the_command_line_takes() -> None:
    for action in Action:
        written = SPECIFIED.step(Step(action, "shop", against="other"))
        if not written.startswith("buto "):
            call = ast.parse(written, mode="eval").body
            names = [node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)]
            assert any(name in buto.__all__ for name in names), written


@pytest.mark.parametrize(
    "name", ["record", "train", "check", "accept", "release", "compare", "selftest", "why"]
)
def test_a_function_takes_what_advice_gives_it(name: str) -> None:
    step = Step(
        Action(name),
        "shop",
        runs=None if name in ("selftest", "why", "release") else 3,
        against="b" if name in ("compare", "why") else None,
    )
    call = ast.parse(SPECIFIED.step(step), mode="eval").body
    assert isinstance(call, ast.Call)
    signature = inspect.signature(getattr(buto, name))
    options = Location if name == "selftest" else Options
    assert {keyword.arg for keyword in call.keywords} <= {*signature.parameters, *options.__annotations__}
    signature.bind(*call.args, **{str(keyword.arg): None for keyword in call.keywords})


def test_settings_are_keyword_arguments() -> None:
    assert PLAIN.setting("runs", "10") == "runs=10"
    assert PLAIN.setting("from-runs", "a..") == 'from_runs="a.."'
    assert PLAIN.setting("alpha", "0.05") == "alpha=0.05"
    assert PLAIN.name("expect-exit") == "expect_exit"
    assert PLAIN.usage(Action.TRAIN) == "help(buto.train)"
    assert PLAIN.usage(Action.BISECT) == "buto bisect --help"
    assert PLAIN.configuration == "buto.yaml"
