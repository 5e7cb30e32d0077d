"""What a release uses, counted by an agent in an exit hook: no part of buto, no turns, no oracle.

Each release is launched three times with the driver and the options of the replay. The live objects are
those of the JVM's own class histogram, the second of two in a row.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from beds.artefacts import CACHE, BedError
from beds.jdk import make_agent
from buto_replications.live.artefacts import compile_java, download
from buto_replications.live.releases import ProgramRelease, ReplayedLibrary

LIBRARIES = ("jsoup", "infinispan", "closure")
"""Those whose releases were replayed."""

N_LAUNCHES = 3
OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC")
LEAST_SHARE = 0.01
"""Of all live bytes, from which on a class is written down."""

_SOURCE = Path(__file__).parent / "Count.java"
_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Count:
    """What one launch used.

    Attributes:
        started: threads, in the whole run.
        loaded: classes.
        files: open descriptors at the exit.
        objects, live: objects that are alive at the exit, and their bytes.
        classes: ``class=bytes`` of the largest, separated by spaces.
    """

    release: str
    launch: int
    allocated: int
    started: int
    loaded: int
    files: int
    objects: int
    live: int
    classes: str

    @property
    def by_class(self) -> dict[str, int]:
        pairs = (entry.rpartition("=") for entry in self.classes.split())
        return {name: int(size) for name, _, size in pairs}


MEASURES = ("allocated", "started", "loaded", "files", "objects", "live")


def count_releases(series: ReplayedLibrary, done: Sequence[Count], cache: Path = CACHE) -> Iterator[Count]:
    """Launch what is not done yet, each round through all releases.

    Raises:
        BedError: a program failed.
    """
    known = {(count.release, count.launch) for count in done}
    for launch in range(N_LAUNCHES):
        for release in series.releases:
            if (release.version, launch) not in known:
                yield _count(series, release, launch, cache)


def _count(series: ReplayedLibrary, release: ProgramRelease, launch: int, cache: Path) -> Count:
    jars = [download(needed, cache) for needed in release.jars]
    # All releases are driven by the classes that the first one was compiled against, as in the replay.
    first = [download(needed, cache) for needed in series.releases[0].jars]
    classes = compile_java(series.driver, cache, first)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "count")
        path = os.pathsep.join(map(str, [classes.absolute(), *(jar.absolute() for jar in jars)]))
        agent = f"-javaagent:{make_agent(_SOURCE, cache)}={file}"
        command = ["java", agent, *OPTIONS, "-cp", path, series.main]
        try:
            ended = subprocess.run(
                command, cwd=scratch, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise BedError(f"{series.driver} {release.version} takes longer than {_TIMEOUT_S:g} s") from error
        if ended.returncode or not file.exists():
            raise BedError(f"{series.driver} {release.version} failed: {ended.stderr[-500:]}")
        return parse_count(release.version, launch, file.read_text(encoding="utf-8"))


def parse_count(release: str, launch: int, text: str) -> Count:
    """Return what the agent wrote: a line of four numbers, and the histogram."""
    numbers, *histogram = text.splitlines()
    _, objects, live = histogram[-1].split()
    rows = [line.split() for line in histogram if line.lstrip()[:1].isdigit()]
    least = LEAST_SHARE * int(live)
    largest = " ".join(f"{row[3]}={row[2]}" for row in rows if int(row[2]) >= least)
    allocated, started, loaded, files = map(int, numbers.split())
    return Count(release, launch, allocated, started, loaded, files, int(objects), int(live), largest)


@dataclass(frozen=True, slots=True)
class Move:
    """How a measure differs between two releases.

    Attributes:
        measure: a number of :class:`Count`, or a class.
        old, new: medians.
        is_apart: whether all launches of the one lie on one side of all launches of the other.
    """

    measure: str
    old: float
    new: float
    is_apart: bool

    @property
    def share(self) -> float:
        return self.new / self.old - 1 if self.old else float("inf")


def find_moves(before: Sequence[Count], after: Sequence[Count]) -> list[Move]:
    """Return how each number moved, and then each class; 0 where it is less than is written down."""
    moves = [
        _move(name, [getattr(count, name) for count in before], [getattr(count, name) for count in after])
        for name in MEASURES
    ]
    classes: list[Mapping[str, int]] = [count.by_class for count in (*before, *after)]
    named = set().union(*classes)
    by_class = [
        _move(
            name,
            [sizes.get(name, 0) for sizes in classes[: len(before)]],
            [sizes.get(name, 0) for sizes in classes[len(before) :]],
        )
        for name in sorted(named)
    ]
    return moves + sorted(by_class, key=lambda move: -abs(move.new - move.old))


def _move(name: str, before: Sequence[int], after: Sequence[int]) -> Move:
    is_apart = min(after) > max(before) or max(after) < min(before)
    return Move(name, median(before), median(after), is_apart)
