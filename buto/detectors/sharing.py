"""How a detector has work done that can be divided: here, or by whoever calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class Share(Protocol):
    """Applies a function to tasks, anywhere; the results come in their order.

    Function, tasks and results are plain data of modules, which can travel to another process.
    """

    def __call__(self, function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterable[Result]: ...


def here(function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterable[Result]:
    """Apply a function to tasks in this process."""
    return map(function, tasks)
