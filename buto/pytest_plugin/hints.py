"""Next steps, written as calls of pytest in the directory where pytest was started."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import yaml

from buto.actions.wording import FrontEnd
from buto.project.options import argument
from buto.run.storage import Place
from buto.steps import Action, Step

_STORE = Path(".buto")
_INI = {"store": "buto_store", "oracle": "buto_oracles"}
"""Settings that are no arguments of the mark."""

_FLAGS = {
    Action.TRAIN: ("--buto-train",),
    Action.ACCEPT: ("--buto-accept",),
    Action.CHECK: (),
    Action.WHY: ("--buto-why",),
}

_OF_STORE = (Action.SHOW_RUN, Action.LIST_RUNS, Action.DELETE_RUN, Action.LABEL)
"""Actions for which pytest has no option: they need the store alone."""


@dataclass(frozen=True, slots=True)
class InPytest(FrontEnd):
    """The front end of a user who runs pytest.

    Attributes:
        node: the argument with which pytest runs only this test.
        test: the test's name.
        directory: where pytest was started.
        store: where runs are kept.
        oracle: the oracle's file.
    """

    node: str
    test: str
    directory: Path
    store: Place
    oracle: Path

    configuration: ClassVar[str] = "the mark"

    def write(self, step: Step) -> str:
        return shlex.join(self._words(step))

    def setting(self, key: str, value: str) -> str:
        if key in _INI:
            return f"{_INI[key]} = {value}, in pytest's ini file"
        if value.isdigit():
            return f"{argument(key)}={value}"
        # A mark has the values of Python where a configuration has those of YAML.
        known = yaml.safe_load(value) if value.startswith(("{", "[")) else value
        text = json.dumps(known, ensure_ascii=False)
        return f"{argument(key)}={text}"

    def name(self, key: str) -> str:
        return _INI.get(key, argument(key))

    def usage(self, action: Action) -> str:
        return "pytest --markers"

    def path(self, path: Path) -> str:
        return os.path.relpath(path, self.directory)

    def _words(self, step: Step) -> list[str]:
        store = self.path(self.store) if isinstance(self.store, Path) else str(self.store)
        stored = [] if store == str(_STORE) else ["--store", store]
        if step.action in (Action.DOCTOR, Action.SCHEMA):
            return step.words()
        if step.action is Action.ATTACH:
            return ["pytest", self.node]
        if step.action in _OF_STORE:
            return [*step.words(), *stored]
        is_commands = step.action in (Action.PLOT, Action.GROW)
        if is_commands or (step.action is Action.WHY and step.revisions):
            return [*step.words(), "--oracle", self.path(self.oracle), *stored]
        if step.test != self.test:
            # The file is the oracle of another test; training creates one for this test.
            return ["pytest", self.node, *_FLAGS[Action.TRAIN]]
        if step.profile:
            return ["pytest", self.node, *_FLAGS[step.action], *_FLAGS[Action.WHY]]
        return ["pytest", self.node, *_FLAGS.get(step.action, ())]
