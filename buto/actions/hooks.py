"""The places at which others add to actions: labels, labelled runs that are like these, which code did it.

Functions are registered here by name, and are imported when an action comes to their place; those of a room
above register themselves. What they add decides nothing, so one that fails costs no verdict: the action
reports in one line what failed and what is missing, and goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar

from buto.errors import ButoError

if TYPE_CHECKING:
    from buto.actions.events import Reporter
    from buto.actions.launcher import Launcher
    from buto.actions.workspace import Workspace
    from buto.oracle import CheckedRuns, Oracle
    from buto.project.model import TestConfig
    from buto.report.check_report import CodeCause
    from buto.report.likeness import Like
    from buto.report.result import Commit, Result
    from buto.steps import Step

P = ParamSpec("P")
R = TypeVar("R")


class Hook(Generic[P, R]):
    """One place in an action, and the functions that are registered there."""

    def __init__(self) -> None:
        self._functions: list[tuple[str, str]] = []

    def register(self, function: str, without: str = "") -> None:
        """Register a function.

        Args:
            function: as ``package.module:name``.
            without: what is missing if it fails, as a clause.
        """
        self._functions.append((function, without))

    def __call__(self, test: str, reporter: Reporter, /, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """Call every function and return what they gave; warn, about this test, of those that failed."""
        # Imported here: whoever imports buto imports this module.
        from buto.actions.events import Warned
        from buto.extensions import IMPORT_FAILURES

        answers: list[R] = []
        for function, without in self._functions:
            try:
                answers.append(_load(function)(*args, **kwargs))
            except (ButoError, ArithmeticError, AssertionError, *IMPORT_FAILURES) as error:
                named = f"{type(error).__name__}: {error}"
                text = error.message if isinstance(error, ButoError) else named
                reporter(Warned(test, f"{text.splitlines()[0]}; {without}"))
        return answers


def _load(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), name)
    return loaded


class Addition(NamedTuple):
    """What is added to the report of a check.

    Attributes:
        likes: labelled runs of the past in which about the same changed.
        steps: what helps to understand a regression.
    """

    likes: tuple[Like, ...] = ()
    steps: tuple[Step, ...] = ()


class Finished(NamedTuple):
    """A test of a call that is over, with its result.

    Attributes:
        command: the command that was called, as on the command line.
        reason: of an acceptance, why the change is meant; may be empty.
        first_bad: of a bisection, the commit that the result is of.
        parent: of a bisection, the result of the commit before; None if it was not judged.
    """

    workspace: Workspace
    command: str
    result: Result
    reason: str = ""
    first_bad: Commit | None = None
    parent: Result | None = None


JUDGED: Hook[[Workspace, CheckedRuns], Addition] = Hook()
"""Called with runs and the verdict on them, before their report is made."""

EXPLAINED: Hook[[Launcher, TestConfig, Oracle, CheckedRuns], tuple[CodeCause, ...]] = Hook()
"""Called with a regression of a test that explains itself, and its oracle, before its report is made."""

CONCLUDED: Hook[[Finished], None] = Hook()
"""Called with each result of a call that has runs, after it is in the history."""

JUDGED.register("buto.actions.like_runs:like_runs", "labelled runs like these are not named")
CONCLUDED.register("buto.actions.labels:label_result", "these runs get no label")
