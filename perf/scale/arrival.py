"""What a run from a host costs the buto that asked for it: ``python -m perf.scale.arrival``.

Some of the recorded runs of each variant are packed as on a host, read as they arrive, and stored in a
directory. Printed are their median size and the processor time for a run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from buto.run.model import Run
from buto.run.objects import PassingStorage, new_archive
from buto.run.store import RunStore
from buto_replications.dataset import archive
from buto_replications.dataset.archive import RECORDED

EACH = 3
"""Runs of each variant."""

REPEATS = 5


def recorded() -> list[Run]:
    """Return runs of all variants of one host."""
    host = archive.hosts(RECORDED)[0]
    return [run for runs in archive.load(RECORDED, host).values() for run in runs.runs[:EACH]]


def packed(run: Run) -> bytes:
    """Return the archive in which a run travels."""
    storage = PassingStorage(Path("host"))
    store = RunStore(storage.root, storage)
    store.add(run)
    key = store.key(run.test, run.id)
    content = storage.piece(key, 0, storage.size_bytes(key))
    storage.clear()
    return content


def read(run: Run, content: bytes) -> Run:
    """Return the run in an archive."""
    storage = PassingStorage(Path("host"))
    store = RunStore(storage.root, storage)
    with new_archive() as opened:
        opened.write(content)
        storage.hold(store.key(run.test, run.id), opened)
        return store.load(run.test, run.id)


def cost_ms(action: Callable[[], object], n_runs: int) -> float:
    """Return the processor time of this process for each of so many runs, in milliseconds."""
    began_s = time.process_time()
    action()
    return (time.process_time() - began_s) / n_runs * 1e3


def stored(runs: Sequence[Run]) -> None:
    """Store runs in a directory."""
    with TemporaryDirectory(prefix="buto-perf-") as place:
        store = RunStore(Path(place))
        for run in runs:
            store.add(run)


def main() -> None:
    runs = recorded()
    contents = [packed(run) for run in runs]
    pairs = list(zip(runs, contents, strict=True))
    actions: dict[str, Callable[[], object]] = {
        "packed_on_host_ms": lambda: [packed(run) for run in runs],
        "read_ms": lambda: [read(run, content) for run, content in pairs],
        "stored_ms": lambda: stored(runs),
    }
    figures: dict[str, float] = {
        "runs": len(runs),
        "samples": float(np.median([run.n_samples for run in runs])),
        "properties": float(np.median([len(run.properties) for run in runs])),
        "bytes": float(np.median([len(content) for content in contents])),
    }
    for name, action in actions.items():
        action()
        figures[name] = round(float(np.median([cost_ms(action, len(runs)) for _ in range(REPEATS)])), 2)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
