"""What to do next, in the words of pytest, as it has to be typed where pytest was started."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from buto.workflow.steps import Action, Step

_STORE = Path(".buto")
_FLAGS = {Action.TRAIN: ("--buto-train",), Action.ACCEPT: ("--buto-accept",), Action.CHECK: ()}


def in_a_test(keys: Sequence[str]) -> str:
    """Return how the mark of a test names these options of the command line; empty for none."""
    named = " and ".join(_argument(key) for key in keys)
    return f"(in a test: the argument {named} of the mark)" if named else ""


@dataclass(frozen=True, slots=True)
class InPytest:
    """The door through which a user came who runs pytest; see :class:`buto.workflow.steps.Door`.

    Attributes:
        node: how pytest is told to run the test alone.
        test: the test's name.
        directory: where pytest was started.
        store: where runs are kept.
        oracle: the oracle's file.
    """

    node: str
    test: str
    directory: Path
    store: Path
    oracle: Path

    @property
    def configuration(self) -> str:
        return "the mark"

    def step(self, step: Step) -> str:
        why = f"  ({step.why})" if step.why else ""
        return f"{shlex.join(self._words(step))}{why}"

    def setting(self, key: str, value: str) -> str:
        text = value if value.isdigit() else f'"{value}"'
        return f"{_argument(key)}={text}"

    def name(self, key: str) -> str:
        return _argument(key)

    def usage(self, action: Action) -> str:
        return "pytest --markers"

    def path(self, path: Path) -> str:
        return os.path.relpath(path, self.directory)

    def _words(self, step: Step) -> list[str]:
        stored = [] if self.path(self.store) == str(_STORE) else ["--store", self.path(self.store)]
        if step.action is Action.SHOW_RUN:
            return ["buto", "runs", "show", step.test, *([step.run_id] if step.run_id else []), *stored]
        if step.action is Action.PLOT:
            return ["buto", "plot", step.test, "--oracle", self.path(self.oracle), *stored]
        if step.test != self.test:
            # The oracle's file is another test's; only training makes one of this test.
            return ["pytest", self.node, *_FLAGS[Action.TRAIN]]
        return ["pytest", self.node, *_FLAGS.get(step.action, ())]


def _argument(key: str) -> str:
    return key.replace("-", "_")
