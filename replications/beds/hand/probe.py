"""What the author's own probe counted of each version, and whether a first line says what it shows.

The author names one resource of a program. A change often moves a second one, which a first line may name as
truly. So this asks whether the probe, which ran before buto did, shows what the line says.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median

from beds.hand.catalogue import BASE, HERE
from beds.hand.trial import Said

PROBED = (HERE / "probe.csv", HERE / "third-probe.csv")

COUNTED_AS: Mapping[str, str] = {
    "jvm.memory.allocated": "main_alloc",
    "jvm.memory.heap.live": "live_bytes",
    "jvm.object.live.by_class": "live_bytes",
    "jvm.object.live": "live_objects",
    "jvm.thread.count": "threads_peak",
    "jvm.thread.daemon.count": "threads_peak",
    "process.thread.count": "threads_peak",
    "jvm.thread.started": "threads_started",
    "jvm.class.loaded": "classes",
    "jvm.class.count": "classes",
    "jvm.class.initialized": "classes",
    "jvm.buffer.memory.used[direct]": "direct",
    "jvm.buffer.count[direct]": "direct_buffers",
    "process.unix.file_descriptor.count": "open_fds",
    "process.socket.count": "fd_sockets",
    "process.io.bytes[read]": "rchar",
    "process.io.bytes[write]": "wchar",
    "process.io.calls[read]": "syscr",
    "process.io.calls[write]": "syscw",
    "process.memory.usage": "ru_maxrss_kb",
    "jvm.cpu.time": "ru_cpu_ms",
    "run.duration": "wall_ms",
}
"""The column of the probe for a property; of what is not here the probe knows nothing."""

MOVED = 0.05
"""The size that matters of most properties."""

Medians = Mapping[tuple[str, str], Mapping[str, float]]
"""By program and version, the median of its launches for each column."""


def read_probe(paths: Iterable[Path] = PROBED) -> Medians:
    """Return what the authors' probes counted on JDK 17; empty cells and words are left out."""
    launches: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    columns = set(COUNTED_AS.values())
    for row in _rows(paths):
        for column in columns & row.keys():
            if row[column] and row["java"] != "25":
                launches[row["name"], row["version"]][column].append(float(row[column]))
    return {key: {column: median(values) for column, values in of.items()} for key, of in launches.items()}


def _rows(paths: Iterable[Path]) -> Iterator[dict[str, str]]:
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


def is_shown(said: Said, medians: Medians) -> bool:
    """Return whether the probe shows that the property of the first headline moved by :data:`MOVED` or more.

    False where the probe does not count it.
    """
    column = COUNTED_AS.get(said.property)
    base, changed = (
        medians.get((said.program, version), {}).get(column or "") for version in (BASE, said.version)
    )
    if base is None or changed is None:
        return False
    return abs(changed - base) >= MOVED * base and changed != base
