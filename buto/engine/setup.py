"""What belongs to every run of a test besides its program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from buto.measure.workload.services import Service
from buto.run.window import Window

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Setup:
    """What belongs to every run of a test besides its program.

    Attributes:
        services: run beside the program.
        window: the part of the run that is learned and judged; None for all of it.
    """

    services: tuple[Service, ...] = ()
    window: Window | None = None


ALONE = Setup()
"""A program without anything beside it, of which the whole run counts."""
