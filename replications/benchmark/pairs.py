"""Pairs of releases of a library: read from one file each, in ``pairs/``, ``good/`` and ``commits/``.

A pair has a small program with a fixed amount of work, which runs with both releases. In ``pairs/`` the newer
release is reported to use more, and the file says of what; in ``good/`` no such change is known. In
``commits/`` a commit and its parent take the places of the releases, and the newer side is what uses more.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from beds.artefacts import Artefact, BedError
from benchmark.commits import Built, Change, built

HERE = Path(__file__).parent
PAIRS = HERE / "pairs"
GOOD = HERE / "good"
COMMITS = HERE / "commits"
PROGRAMS = HERE / "programs"


class Kind(enum.StrEnum):
    """What a release uses more of."""

    HEAP = "heap"
    ALLOCATION = "allocation"
    CPU = "cpu"
    THREADS = "threads"
    CLASSES = "classes"
    DESCRIPTORS = "descriptors"
    NATIVE = "native"
    LOCKS = "locks"
    STARTUP = "startup"
    IO = "io"


class Difficulty(enum.StrEnum):
    """How large the difference is: half more and beyond; a tenth to a half; less, or in one counter only."""

    PLAIN = "plain"
    MIDDLE = "middle"
    HARD = "hard"


class Measure(enum.StrEnum):
    """A count that a program prints of itself (``programs/Use.java``)."""

    WALL = "wall_s"
    CPU = "cpu_s"
    START_WALL = "start_s"
    START_CPU = "start_cpu_s"
    ALLOCATED = "allocated_mb"
    HEAP = "heap_mb"
    DIRECT = "direct_mb"
    METASPACE = "metaspace_mb"
    RESIDENT = "rss_mb"
    THREADS = "threads"
    STARTED = "started"
    CLASSES = "classes"
    DESCRIPTORS = "descriptors"
    BLOCKED = "blocked"
    WAITED = "waited"
    READ = "read_mb"
    WRITTEN = "written_mb"
    CALLS = "calls"

    @property
    def exact(self) -> bool:
        """Return whether equal work gives nearly equal counts, whatever the machine does."""
        return self not in _NOISY


_NOISY = frozenset(
    (
        Measure.WALL,
        Measure.CPU,
        Measure.START_WALL,
        Measure.START_CPU,
        Measure.RESIDENT,
        Measure.BLOCKED,
        Measure.WAITED,
    )
)


@dataclass(frozen=True, slots=True)
class Regression:
    """What the newer release of a pair is reported to use more of.

    Attributes:
        measures: the counts that must show it.
        expected: what the report leads to expect of them.
        cause: what the change did, in a sentence.
        changed: the method whose code differs for the worse, then what leads a reader to it as directly, from
            the difference between the releases or the fix.
    """

    kind: Kind
    measures: tuple[Measure, ...]
    difficulty: Difficulty
    expected: str
    cause: str
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two releases of a library, and a program that runs with either.

    Attributes:
        report: link to what is known of the newer release.
        reported: what it says, in a sentence.
        program: main class, in ``programs/``.
        options: of the JVM, beside the usual ones.
        old, new: the files of the release, the library itself first. The same files twice are a release from
            another jar: the newer one is packed anew.
        beside: files that both need.
        regression: None for a good pair.
        change: what the commit of the report did; None for releases.
    """

    name: str
    library: str
    report: str
    reported: str
    program: str
    options: tuple[str, ...]
    old: tuple[Artefact | Built, ...]
    new: tuple[Artefact | Built, ...]
    beside: tuple[Artefact, ...]
    regression: Regression | None
    change: Change | None = None

    @property
    def releases(self) -> str:
        return f"{self.library} {self.old[0].version} → {self.new[0].version}"

    @property
    def issue(self) -> str:
        """The report as ``owner/name#number`` or ``owner/name@commit`` if it is on GitHub, else the link."""
        short = re.sub(r"^https://github\.com/([^/]+/[^/]+)/(?:issues|pull)/(\d+)$", r"\1#\2", self.report)
        return re.sub(r"^https://github\.com/([^/]+/[^/]+)/commit/(\w{10})\w*$", r"\1@\2", short)


def read_all(directories: Iterable[Path] = (PAIRS, GOOD)) -> dict[str, Pair]:
    """Return the pairs of all files by name, in order of their names.

    Raises:
        BedError: a file is not as it should be, or two have one name.
    """
    found: dict[str, Pair] = {}
    for path in sorted(
        (path for directory in directories for path in directory.glob("*.yaml")), key=lambda path: path.stem
    ):
        if path.stem in found:
            raise BedError(f"there are two pairs {path.stem}: rename {path}")
        found[path.stem] = read(path)
    return found


def read(path: Path) -> Pair:
    """Return the pair of a file.

    Raises:
        BedError: the file is not as it should be.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        change = Change(content.pop("change")) if "change" in content else None
        files = built if change else artefacts
        old, new = (files(content.pop(side)) for side in ("old", "new"))
        pair = Pair(
            path.stem,
            content.pop("library"),
            content.pop("report"),
            content.pop("reported"),
            content.pop("program"),
            tuple(content.pop("options", ())),
            old,
            new,
            artefacts(content.pop("beside", {})),
            _regression(content) if "kind" in content else None,
            change,
        )
    except KeyError as error:
        raise BedError(f"{path}: the key {error} is missing") from error
    except (yaml.YAMLError, AttributeError, TypeError, ValueError) as error:
        raise BedError(f"{path} is not a pair: {error}") from error
    if content:
        raise BedError(f"{path}: unknown keys {', '.join(content)}")
    return pair


def artefacts(sums: Mapping[str, str]) -> tuple[Artefact, ...]:
    """Return jars by ``group:name:version`` and their SHA-256.

    Raises:
        TypeError: coordinates have other than three parts.
    """
    return tuple(_artefact(*coordinates.split(":"), digest=digest) for coordinates, digest in sums.items())


def _artefact(group: str, name: str, version: str, *, digest: str) -> Artefact:
    return Artefact(group, name, version, digest)


def _regression(content: dict[str, Any]) -> Regression:
    return Regression(
        Kind(content.pop("kind")),
        tuple(map(Measure, content.pop("measures"))),
        Difficulty(content.pop("difficulty")),
        content.pop("expected"),
        content.pop("cause"),
        (content.pop("changed"), *content.pop("also", ())),
    )
