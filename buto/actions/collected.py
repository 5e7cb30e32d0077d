"""What launching a test gave: its runs, and why there are not more."""

from __future__ import annotations

from dataclasses import dataclass

from buto.errors import ButoError
from buto.run.model import Run, RunSet, run_set


@dataclass(frozen=True, slots=True)
class Collected:
    """The runs of one test.

    Attributes:
        runs: all stored runs, in the order of their start, including invalid ones.
        failure: why there are fewer valid runs than planned; None if there are enough.
    """

    runs: tuple[Run, ...] = ()
    failure: ButoError | None = None

    def valid(self) -> RunSet:
        """Return the usable runs."""
        return run_set([run for run in self.runs if run.quality.valid])
