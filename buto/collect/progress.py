"""What a collector reports while it records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a recording has come; for display only.

    Attributes:
        elapsed_s: since the command was started.
        timeout_s: the target's time limit.
        n_samples: received so far.
        stage: ``starting``, ``running`` or ``ending``; ``service NAME`` while it gets ready.
    """

    elapsed_s: float
    timeout_s: float
    n_samples: int
    stage: str


OnTick = Callable[[Progress], None]
"""Receives the progress some ten times a second, in the collector's thread. Must return soon."""
