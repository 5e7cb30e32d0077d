"""What a user asks of ``buto experiments run``."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class ExperimentsRequest:
    """How experiments are run.

    Attributes:
        data: the data set; None for the one that comes with the repository.
        host: the host whose runs are taken, ``all`` for those of all; None for the experiment's default.
        seed: of all divisions.
        workers: how many processes share the work.
        out: the directory of the files to write.
    """

    data: Path | None
    host: str | None
    seed: int
    workers: int
    out: Path

    @classmethod
    def of(cls, args: Namespace) -> Self:
        """Return what the options specify."""
        return cls(args.data, args.host, args.seed, args.workers, args.out)
