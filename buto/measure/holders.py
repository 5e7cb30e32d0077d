"""What holds objects: the shortest paths to them from a root, in a heap dump.

LeakCanary's shark reads the dump, in a JVM of its own whose memory and time are bounded. shark is no part of
buto: it is used where the user's local Maven repository has the release that buto knows, byte for byte.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from msgspec import structs

from buto import jars
from buto.errors import MeasureError
from buto.measure.jvms import first_installation, own_environment
from buto.run.holding import ENTRY, STATIC, HoldingPath, Reference

GET = "mvn dependency:get -Dartifact=com.squareup.leakcanary:shark:2.14"
"""The command that fetches all that is needed."""

_PLACES = {
    "shark": "com/squareup/leakcanary/shark/2.14",
    "shark-graph": "com/squareup/leakcanary/shark-graph/2.14",
    "shark-hprof": "com/squareup/leakcanary/shark-hprof/2.14",
    "shark-log": "com/squareup/leakcanary/shark-log/2.14",
    "okio": "com/squareup/okio/okio/2.2.2",
    "kotlin-stdlib": "org/jetbrains/kotlin/kotlin-stdlib/1.3.72",
}
"""Of each jar, its directory below a local repository."""

_DIGESTS = {
    "shark": "ffadb874b3a4d4d0033afd302e37b26ade2b63d6e23f9bcd568f727304845f01",
    "shark-graph": "7596fc9caea47e95f6001f57098b66c64beaa968c1354ab6c0aa98dee901681b",
    "shark-hprof": "8f19f11585b0fb34fb8cac021504208ed1c73dfe8cb1f69b2bdb0437bb1191fa",
    "shark-log": "ba1011ae450664f7e8e37c5b6e5e01660b11456ddca8960b5cbe6df0e3f99926",
    "okio": "e58c97406a6bb1138893750299ac63c6aa04b38b6b49eae1bfcad1a63ef9ba1b",
    "kotlin-stdlib": "3856a7349ebacd6d1be6802b2fed9c4dc2c5a564ea92b6b945ac988243d4b16b",
}
"""Their SHA-256."""

OLDEST_JAVA = 17
READING_S = 120.0

_OPTIONS = ("-Xmx1g", "-XX:+ExitOnOutOfMemoryError", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto")

_OUT_OF_MEMORY = 3
"""Exit code of a JVM with the second option."""


def repository() -> Path:
    """Return the user's local Maven repository, which need not exist."""
    return Path.home() / ".m2" / "repository"


def find_reader(place: Path) -> tuple[Path, ...] | None:
    """Return the jars of shark in a local repository; None if one is missing, or is another than is known."""
    archives = tuple(place / below / f"{name}-{Path(below).name}.jar" for name, below in _PLACES.items())
    return archives if all(map(_is_known, archives, map(_DIGESTS.get, _PLACES))) else None


@cache
def _is_known(jar: Path, digest: str | None) -> bool:
    try:
        return hashlib.sha256(jar.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def holding_paths(dump: Path, class_name: str, reader: tuple[Path, ...]) -> tuple[HoldingPath, ...]:
    """Return how objects of a class are held, the most frequent path first; none without such objects.

    Args:
        reader: the jars that :func:`find_reader` returned.

    Raises:
        MeasureError: no Java can read the dump, it is damaged, too large, or that takes too long.
    """
    java = first_installation(
        OLDEST_JAVA, f"reading a heap dump needs Java {OLDEST_JAVA}", lambda _: True
    ).java
    path = os.pathsep.join(map(str, (jars.path(jars.HEAP), *reader)))
    try:
        done = subprocess.run(
            [str(java), *_OPTIONS, "-cp", path, "buto.probes.heap.Main", str(dump), class_name],
            env=own_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=READING_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise MeasureError(f"reading the heap dump took longer than {READING_S:g} s") from error
    except OSError as error:
        raise MeasureError(f"{java} cannot be started: {error.strerror}") from error
    if done.returncode == _OUT_OF_MEMORY:
        raise MeasureError("the heap has more objects than can be read with 1 GiB of memory")
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise MeasureError(f"the heap dump could not be read: {lines[0]}")
    return parse(class_name, done.stdout.decode("utf-8", "replace"))


def parse(class_name: str, printed: str) -> tuple[HoldingPath, ...]:
    """Return the paths that the reader has printed; MeasureError if it printed something else."""
    n_drawn, paths = 0, list[tuple[int, str, list[Reference]]]()
    try:
        for line in printed.splitlines():
            match line.split("\t"):
                case ["drawn", number]:
                    n_drawn = int(number)
                case ["path", number, root]:
                    paths.append((int(number), root, []))
                case ["step", kind, owner, field]:
                    paths[-1][2].append(Reference(kind, owner, field))
                case _:
                    raise ValueError(line)
    except (ValueError, IndexError) as error:
        raise MeasureError(f"the reader of heap dumps printed {str(error)!r:.200}") from error
    counts = Counter[tuple[str, tuple[Reference, ...]]]()
    for n_held, root, steps in paths:
        counts[root, _fold(_from_static(steps))] += n_held
    return tuple(
        HoldingPath(class_name, n_held / max(1, n_drawn), root, path)
        for (root, path), n_held in counts.most_common()
    )


def _fold(steps: Sequence[Reference]) -> tuple[Reference, ...]:
    """Return the steps without what tells single objects apart: places of entries, lengths of chains."""
    plain = [structs.replace(step, field="") if step.kind == ENTRY else step for step in steps]
    return tuple(step for step, before in zip(plain, [None, *plain], strict=False) if step != before)


def _from_static(steps: list[Reference]) -> tuple[Reference, ...]:
    """Return the steps from the last static field on: what leads to it is how the JVM keeps classes."""
    places = [place for place, step in enumerate(steps) if step.kind == STATIC]
    return tuple(steps[places[-1] if places else 0 :])
