"""Record all pairs with buto, in cells: two JVMs, each on a quiet machine and beside a load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from beds import rounds
from beds.artefacts import BedError
from beds.rounds import Wanted, load_that_changes, phase_of
from benchmark.launch import SIDES, TIMEOUT_S, build, command
from benchmark.pairs import Pair
from buto.measure.target import LiveSet, Target
from buto.run.model import Quality, RunSet, run_set
from buto_replications.checkout import DATA
from buto_replications.dataset import archive
from buto_replications.dataset.generate import name_on

RECORDED = DATA / "benchmark"
HOST = "parallel"
"""The collector of ``launch.OPTIONS``; data sets call it the host."""

SEED = 20261127
ROUNDS = 20
RUNS = {"old": 20, "new": 13}
"""Ten runs train, one and two more are checked, and at most ten of each release are compared in turns."""

MOST_FOREIGN = 0.1
"""Of all cores, used by others during a run on a quiet machine; a run beside more is recorded again."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Where and how the pairs are recorded.

    Attributes:
        java: the release of the JVM.
        beside: whether other programs come and go.
    """

    java: str
    beside: bool

    @property
    def name(self) -> str:
        return f"{self.java}-{'load' if self.beside else 'quiet'}"

    def counts(self, quality: Quality) -> bool:
        """Return whether a run is usable, and was made in the surroundings of the cell."""
        return quality.valid and (self.beside or not quality.foreign_load > MOST_FOREIGN)


CELLS = {
    cell.name: cell for cell in (Cell(java, beside) for java in ("17", "25") for beside in (False, True))
}


def record(cell: Cell, jdk: Path, store: Path, pairs: Iterable[Pair], within_s: float) -> dict[str, str]:
    """Launch what the store lacks, one launch at a time, in random rounds, and store each run.

    Args:
        within_s: no launch starts later than this, in seconds from now.

    Returns:
        By test, why it was given up.

    Raises:
        BedError: the JDK is not there, a file cannot be fetched, or a program cannot be compiled.
        StorageError: the store cannot be written.
    """
    java = jdk / "bin" / "java"
    if not java.is_file():
        raise BedError(f"{java} does not exist; name the directory of a JDK with --jdk PATH")
    wanted = {test: wanted_run for pair in pairs for test, wanted_run in _wanted(pair, str(java))}
    with load_that_changes(SEED) if cell.beside else nullcontext():
        return rounds.record(wanted, store, ROUNDS, SEED, within_s=within_s, counts=cell.counts)


def _wanted(pair: Pair, java: str) -> Iterator[tuple[str, Wanted]]:
    classes = build(pair)
    for side in SIDES:
        name = f"{pair.name}-{side}"
        words = command(pair, side, classes, java)
        target = Target(tuple(words), timeout_s=TIMEOUT_S, live_set=LiveSet(), asks_git=False)
        yield name_on(HOST, name), Wanted(target, RUNS[side], phase_of(name, SEED, ROUNDS))


def load(cell: Cell, data: Path = RECORDED) -> Mapping[str, RunSet]:
    """Return the runs that count, by pair and side, ``NAME-old`` and ``NAME-new``; none if not recorded.

    Raises:
        BadFileError: the data set is damaged.
    """
    directory = data / cell.name
    if not (directory / archive.RUNS).is_file():
        return {}
    every = archive.load(directory, HOST)
    return {name: run_set([run for run in runs if cell.counts(run.quality)]) for name, runs in every.items()}
