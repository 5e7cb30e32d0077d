"""The two parts of the recorded runs: one to choose methods with, and one that chooses nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

PartName = Literal["tuning", "set apart"]


class Part(StrEnum):
    """A block of runs, recorded on one day from one plan and one seed."""

    TUNING = "tuning"
    """Block 1: whoever chooses or tunes a method uses these runs alone."""

    SET_APART = "set apart"
    """Block 2: used for final figures alone, once, when everything is chosen."""

    @property
    def directory(self) -> str:
        """The name of its directory in a data set."""
        return self.value.replace(" ", "-")


PART_OF_BLOCK = {"1": Part.TUNING, "2": Part.SET_APART}
"""By the label ``bed.block`` of a run."""
