"""What a collector reports while it measures, and what must be closed at its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import Self

from msgspec import Struct

from buto.run.model import FloatArray


class Closeable(ABC):
    """Closes itself when the block ends, also by an error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""


Newest = Callable[[str, int], tuple[FloatArray, FloatArray]]
"""Return the newest samples of all instances of a metric, see :meth:`Recording.newest`."""


class Progress(Struct, frozen=True):
    """How far a recording has come; for display only.

    Attributes:
        elapsed_s: since the command was started.
        timeout_s: the target's time limit.
        n_samples: received so far.
        stage: ``starting``, ``running`` or ``ending``; ``service NAME`` while it gets ready.
        newest: returns what was recorded last; None where nothing can be shown.
    """

    elapsed_s: float
    timeout_s: float
    n_samples: int
    stage: str
    newest: Newest | None = None


OnTick = Callable[[Progress], None]
"""Receives the progress two to ten times a second, in the collector's thread. Must return soon."""
