"""The places at which features add to actions.

A feature is a room above this one. It registers its functions here by name, and they are imported when an
action comes to their place. What they add decides nothing, so a feature that fails costs no verdict: the
action reports in one line what failed and what is missing, and goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from buto.errors import ButoError

if TYPE_CHECKING:
    from buto.actions.events import OnEvent
    from buto.actions.stored import Site
    from buto.engine.launching import EngineFor
    from buto.judging.protocol import Share
    from buto.oracle import Checked, Oracle
    from buto.project.model import TestConfig
    from buto.report.check_report import CodeCause
    from buto.report.likeness import Like
    from buto.report.result import Commit, Result
    from buto.steps import Step

P = ParamSpec("P")
R = TypeVar("R")


class Hook(Generic[P, R]):
    """One place in an action, and the functions that features have registered there."""

    def __init__(self) -> None:
        self._functions: list[tuple[str, str]] = []

    def register(self, function: str, without: str = "") -> None:
        """Register a function of a feature.

        Args:
            function: as ``package.module:name``.
            without: what is missing if it fails, as a clause.
        """
        self._functions.append((function, without))

    def first(self) -> Callable[P, R]:
        """Return the function that was registered first, for what cannot go on without it."""
        return _loaded(self._functions[0][0])

    def __call__(self, test: str, on_event: OnEvent, /, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """Call every function and return what they gave; warn, about this test, of those that failed."""
        # Imported here: whoever imports buto imports this module.
        from buto.actions.events import Warned
        from buto.extensions import IMPORT_FAILURES

        found: list[R] = []
        for function, without in self._functions:
            try:
                found.append(_loaded(function)(*args, **kwargs))
            except (ButoError, ArithmeticError, AssertionError, *IMPORT_FAILURES) as error:
                named = f"{type(error).__name__}: {error}"
                text = error.message if isinstance(error, ButoError) else named
                on_event(Warned(test, f"{text.splitlines()[0]}; {without}"))
        return found


def _loaded(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), name)
    return loaded


class Addition(NamedTuple):
    """What a feature adds to the report of a check.

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

    site: Site
    command: str
    result: Result
    reason: str = ""
    first_bad: Commit | None = None
    parent: Result | None = None


class Hosts(Protocol):
    """The hosts of a cluster."""

    @property
    def engine_for(self) -> EngineFor:
        """What creates the engine that launches there."""

    @property
    def share(self) -> Share:
        """What has work of analysis done there."""


JUDGED: Hook[[Site, Checked], Addition] = Hook()
"""Called with runs and the verdict on them, before their report is made."""

EXPLAINED: Hook[[Site, TestConfig, Oracle, Checked, OnEvent], tuple[CodeCause, ...]] = Hook()
"""Called with a regression of a test that explains itself, and its oracle, before its report is made."""

CONCLUDED: Hook[[Finished], None] = Hook()
"""Called with each result of a call that has runs, after it is in the history."""

HOSTS: Hook[[str], Hosts] = Hook()
"""Called with the address of a scheduler."""
