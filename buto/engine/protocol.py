"""The protocol that every engine follows: it carries out launches, and stores their runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from buto.collect.progress import Progress
from buto.collect.target import Target
from buto.engine.placement import ANYWHERE, Placement
from buto.engine.setup import ALONE, Setup
from buto.errors import ButoError
from buto.runs import MetadataValue, Run
from buto.runs.store import RunStore
from buto.workload.model import Workload


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch that is wanted.

    Attributes:
        number: which of its test's usable runs it is for, from 1.
        marks: metadata that are written into the run.
        inputs: shell patterns of files that the program needs, if a host does not have them.
        inputs_from: the directory to which they are relative; None for the program's own.
    """

    test: str
    target: Target
    number: int = 1
    workload: Workload | None = None
    setup: Setup = ALONE
    marks: Mapping[str, MetadataValue] = field(default_factory=dict)
    where: Placement = ANYWHERE
    inputs: tuple[str, ...] = ()
    inputs_from: Path | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A launch that is over.

    Attributes:
        run: it is in the store, usable or not; None if there is none.
        error: why there is no run; None if there is one.
        begun: whether it had begun; False for a launch for which there will be no room.
    """

    launch: Launch
    run: Run | None = None
    error: ButoError | None = None
    begun: bool = True


@dataclass(frozen=True, slots=True)
class Began:
    """A launch begins; ``host`` is empty without a cluster."""

    launch: Launch
    host: str = ""


@dataclass(frozen=True, slots=True)
class Progressed:
    """Some time has passed in a launch."""

    launch: Launch
    progress: Progress
    host: str = ""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """A host was lost in the middle of a launch, which is carried out again."""

    launch: Launch
    error: ButoError
    host: str = ""


News = Began | Progressed | GivenBack
OnNews = Callable[[News], None]
"""Called in the thread of the engine's user, while it waits."""


class Engine(Protocol):
    """Carries out launches, one or several at a time.

    A context manager: the end of the ``with`` block stops the launches that have not ended.
    """

    def check(self, launch: Launch) -> None:
        """Raise ButoError for a program that cannot be started, as far as known without a launch."""

    def begin(self, wanted: Sequence[Launch]) -> Sequence[Launch]:
        """Begin those launches for which there is room, in their order, and return them."""

    def wait(self) -> Ended | None:
        """Wait until a launch is over, begun or hopeless; None: begin may now find room for another.

        Raises:
            StorageError: a run cannot be stored.
            EngineLostError: no launch can be carried out any more.
            KeyboardInterrupt: the current programs were stopped.
        """

    def drop(self, test: str) -> None:
        """Stop the launches of a test that have not ended; nobody wants them any more."""


EngineFor = Callable[[RunStore, OnNews], AbstractContextManager[Engine]]
"""Creates the engine that stores its runs in a store."""
