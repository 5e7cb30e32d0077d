"""What a detector is: it learns from runs, judges later ones, and says everything about itself.

Three methods of :class:`FittedDetector` and :class:`Detector` each are needed; all others are abilities with
a default that does nothing. ``docs/detectors.md`` shows a whole detector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from buto.detectors.explanation import Explanation
from buto.detectors.settings import Settings
from buto.detectors.views import RunsView, View
from buto.runs import Run, RunSet
from buto.verdicts import Verdict


class FittedDetector(ABC):
    """A detector that has learned; judges and can be stored as plain data."""

    __slots__ = ()

    @abstractmethod
    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one. JudgeError only for runs that allow no verdict."""

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return plain numbers, texts, lists and dictionaries, for the oracle file."""

    def view(self, runs: Sequence[Run]) -> View:
        """Return what can be drawn; ``runs`` say which properties there are where the detector does not."""
        return RunsView(runs)

    def explain(self, verdict: Verdict) -> Explanation:
        """Return how this verdict came about, in whole sentences."""
        return Explanation(f"{verdict.n_training} {verdict.roles.known_runs} defined what is normal.")


class Detector(ABC):
    """Everything that learns from runs and judges later ones."""

    name: ClassVar[str]

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @abstractmethod
    def fit(self, runs: RunSet) -> FittedDetector:
        """Learn from valid runs of one test. JudgeError when they cannot be learned from."""

    @abstractmethod
    def from_data(self, data: Mapping[str, Any]) -> FittedDetector:
        """Return the inverse of ``to_data``; BadFileError for data of another shape."""
