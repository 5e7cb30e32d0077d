"""How a user came here: each door (command line, pytest, a build, Python) has words of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ClassVar, Concatenate, ParamSpec, Protocol, TypeVar

from buto import config
from buto.errors import ButoError
from buto.steps import Action, Advice, Setting, Step


class Door(ABC):
    """The interface that a user called; it writes next steps as the user has to type them.

    Attributes:
        configuration: the name of the place where tests are configured.
    """

    __slots__ = ()
    configuration: ClassVar[str] = config.FILE_NAME

    def step(self, step: Step) -> str:
        """Return a step as the user writes it, complete and quoted, with what it is for."""
        written = self.written(step)
        return f"{written}  # {step.why}" if step.why else written

    @abstractmethod
    def written(self, step: Step) -> str:
        """Return a step as the user writes it, complete and quoted."""

    @abstractmethod
    def setting(self, key: str, value: str) -> str:
        """Return a key of a test's configuration with a value, as ``--runs 10`` or ``runs=10``."""

    @abstractmethod
    def name(self, key: str) -> str:
        """Return the name of a key of a test's configuration, as ``--oracle``."""

    def usage(self, action: Action) -> str:
        """Return where the user finds the usage of an action."""
        return f"buto {action.value} --help"

    def path(self, path: Path) -> str:
        """Return a path as the user would write it."""
        return str(path)


def in_words(text: str, door: Door) -> str:
    """Return a text in the words of a door; one that is no :class:`Advice` as it is."""

    def setting(one: Setting) -> str:
        return door.setting(one.key, one.value) if one.value else door.name(one.key)

    return text.in_words(door.step, setting) if isinstance(text, Advice) else text


def reword(error: ButoError, door: Door) -> None:
    """Put the advice of an error into the words of a door."""
    if error.advice is not None:
        error.advise(in_words(error.advice, door))


class _HasDoor(Protocol):
    @property
    def door(self) -> Door: ...


ProjectT = TypeVar("ProjectT", bound=_HasDoor)
P = ParamSpec("P")
R = TypeVar("R")


def worded(
    action: Callable[Concatenate[ProjectT, P], R],
) -> Callable[Concatenate[ProjectT, P], R]:
    """Return an action on a project whose errors give their advice in the words of the project's door."""

    @wraps(action)
    def carry_out(project: ProjectT, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return action(project, *args, **kwargs)
        except ButoError as error:
            reword(error, project.door)
            raise

    return carry_out
