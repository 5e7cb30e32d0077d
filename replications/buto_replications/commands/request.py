"""What a user asks of ``buto experiments run``."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from buto.project.document import scheduler_of
from buto_replications.bed.labels import Part
from buto_replications.workers import Workers

PARTS = {part.directory: part for part in Part}
"""By what a user types."""


@dataclass(frozen=True, slots=True)
class ExperimentsRequest:
    """How experiments are run.

    Attributes:
        data: the data set; None for the one that comes with the repository.
        host: the host whose runs are taken, ``all`` for those of all; None for the experiment's default.
        seed: of all divisions.
        workers: who shares the work.
        out: the directory of the files to write.
        part: of the bed's runs.
    """

    data: Path | None
    host: str | None
    seed: int
    workers: Workers
    out: Path
    part: Part

    @classmethod
    def of(cls, args: Namespace) -> Self:
        """Return what the options specify."""
        workers = Workers(args.workers, scheduler_of(args.scheduler, "", os.environ))
        return cls(args.data, args.host, args.seed, workers, args.out, PARTS[args.part])
