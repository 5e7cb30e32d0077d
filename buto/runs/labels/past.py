"""The labelled past of a test: its runs that have labels, and the labels."""

from __future__ import annotations

from dataclasses import dataclass

from buto.runs.labels.model import Labelling
from buto.runs.model import Run


@dataclass(frozen=True, eq=False, slots=True)
class Past:
    """What people and commands said of a test's runs.

    Attributes:
        runs: that are stored, valid or not; some may have no label.
        labellings: by time; some of their runs may no longer be stored.
        trainings: the runs of each stored training, accepted changes among them.
    """

    test: str
    runs: tuple[Run, ...]
    labellings: tuple[Labelling, ...]
    trainings: tuple[tuple[str, ...], ...] = ()
