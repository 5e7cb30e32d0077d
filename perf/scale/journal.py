"""Is a run of twelve hours whose buto is lost kept up to its last ten seconds, and what does that cost?

No JVM runs for hours here: the samples are made up, and go second by second into the same recording, and
from there into the same journal, as those of a JVM, by a clock that is made up, too. Then the journal is cut
at a byte drawn at random, once among the last and then anywhere, as if buto had died while it wrote that
byte, and ``buto runs recover`` makes a run of what is left, in a process of its own whose time and largest
memory are measured. What that run lacks is held against what had been recorded when the byte was written.
"""

from __future__ import annotations

import json
import random
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np

from buto.measure import journal as journal_module
from buto.measure.journal import Journal
from buto.measure.recording import Recording
from buto.run.journal import place_of
from buto.run.store import RunStore
from perf.figures import BenchmarkFigure, benchmark, conclude, figure_of
from perf.scale.store import Spent, made_up, properties, spent

TITLE = "A run of twelve hours whose buto is lost"

TEST = "long"
LOST_AT_MOST_S = 10.0
ROWS_PER_S = 10
SEED = 20260101


@dataclass(frozen=True)
class Recovered:
    """What ``buto runs recover`` made of a cut journal.

    Attributes:
        lost: samples that had been recorded when the last byte was written, and are not in the run.
        differ: values of the run that are not those that were recorded.
    """

    by: Spent
    n_samples: int
    lost: int
    differ: int
    stored_bytes: int


def record(root: Path, n_properties: int, n_samples: int) -> None:
    """Make up a recording that is lost; print its id, and after each write its bytes and samples."""
    store, now = RunStore(root), [0.0]
    recording = Recording(TEST)
    recording.zero_ns = 0
    recording.metadata |= {"jvm.vm.name": "made up", "buto.interval": 1 / ROWS_PER_S}
    recording.add_columns(properties(n_properties))
    written: list[tuple[int, int]] = []
    path = place_of(store, TEST, recording.id)
    with patch.object(journal_module, "time", SimpleNamespace(monotonic=lambda: now[0])):
        journal = Journal(store, {"buto.purpose": "record"})
        for rows, values in made_up(SEED, n_properties, n_samples, at_once=ROWS_PER_S):
            recording.add_rows((rows + 1) * (10**9 // ROWS_PER_S), values)
            now[0] += 1.0
            journal.write_if_due(recording)
            n_bytes = path.stat().st_size if journal.is_written else 0
            if n_bytes > (written[-1][0] if written else 0):
                written.append((n_bytes, recording.n_samples))
    print(json.dumps({"id": recording.id, "written": written}))


def differing(root: Path, run_id: str, n_properties: int, n_samples: int) -> None:
    """Print how many values of a run, or their times, are not as they were made up."""
    run = RunStore(root).load(TEST, run_id)
    n_wrong = 0
    for rows, values in made_up(SEED, n_properties, n_samples, at_once=ROWS_PER_S):
        there = rows[rows < len(run.times_s)]
        n_wrong += int((run.values[there] != values[: len(there)]).sum())
        n_wrong += int((np.abs(run.times_s[there] * ROWS_PER_S - (there + 1)) > 1e-6).sum())
    print(n_wrong)


def recovered(
    root: Path, journal: bytes, cut: int, run_id: str, written: list[tuple[int, int]], size: list[str]
) -> Recovered:
    """Cut the journal and recover it by buto's own command; the run is deleted in the end."""
    store = RunStore(root)
    place_of(store, TEST, run_id).write_bytes(journal[:cut])
    by = spent("perf.scale.store", "--buto", "runs", "recover", "--store", str(root))
    (summary,) = store.summaries(TEST)
    assert summary.head is not None
    recorded = next(n_samples for n_bytes, n_samples in written if n_bytes >= cut)
    differ = int(spent("perf.scale.journal", "--differing", str(root), run_id, *size).output)
    store.delete(TEST, [run_id])
    n_samples = summary.head.samples
    return Recovered(by, n_samples, recorded - n_samples, differ, summary.size_bytes)


def measure(root: Path, n_properties: int, n_samples: int, n_cuts: int) -> Iterator[BenchmarkFigure]:
    size = [str(n_properties), str(n_samples)]
    recording = spent("perf.scale.journal", "--record", str(root), *size)
    reported = json.loads(recording.output)
    run_id, written = reported["id"], [(n_bytes, n_rows) for n_bytes, n_rows in reported["written"]]
    journal = place_of(RunStore(root), TEST, run_id).read_bytes()
    drawn = random.Random(SEED)
    last = drawn.randint(written[-2][0] + 1, len(journal))
    cuts = [last, *(drawn.randint(written[0][0] + 1, len(journal)) for _ in range(n_cuts - 1))]
    all_of_them = [recovered(root, journal, cut, run_id, written, size) for cut in cuts]
    whole, hours = all_of_them[0], n_samples / ROWS_PER_S / 3600
    what = f"{hours:g} hours of {n_properties} properties at {1000 // ROWS_PER_S} ms"
    yield BenchmarkFigure(f"{what}: samples recorded", f"{n_samples:,}")
    yield BenchmarkFigure("samples recovered, with the journal cut in its last entry", f"{whole.n_samples:,}")
    most, may = max(recovery.lost for recovery in all_of_them), round(LOST_AT_MOST_S * ROWS_PER_S)
    yield BenchmarkFigure(
        f"samples lost, most of {n_cuts} cuts at bytes drawn at random",
        f"{most}",
        goal=f"at most {may}, those of {LOST_AT_MOST_S:g} s",
        met=most <= may,
    )
    differ = sum(recovery.differ for recovery in all_of_them)
    yield BenchmarkFigure(
        "times and values that are not as they were recorded", f"{differ}", goal="0", met=differ == 0
    )
    yield BenchmarkFigure("the journal on disk", f"{len(journal) / 2**20:.0f} MiB")
    yield BenchmarkFigure("the run on disk", f"{whole.stored_bytes / 2**20:.0f} MiB")
    yield figure_of(f"`buto runs recover` of {hours:g} hours", [whole.by.seconds], "s")
    yield figure_of(
        f"its memory, largest (the values alone: {n_samples * n_properties * 8 / 2**30:.2f} GiB)",
        [whole.by.gib],
        "GiB",
        2,
    )


def _part(arguments: list[str]) -> int:
    """Do the part of a process of its own; it prints its largest memory at the end."""
    what, root, *more = arguments
    if what == "--record":
        n_properties, n_samples = more
        record(Path(root), int(n_properties), int(n_samples))
    else:
        run_id, n_properties, n_samples = more
        differing(Path(root), run_id, int(n_properties), int(n_samples))
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"maxrss {kib / 2**20:.3f}", file=sys.stderr)
    return 0


def main() -> int:
    if sys.argv[1:2] in (["--record"], ["--differing"]):
        return _part(sys.argv[1:])
    parser = benchmark(__doc__)
    parser.add_argument("--properties", type=int, default=60)
    parser.add_argument("--hours", type=float, default=12.0)
    parser.add_argument("--cuts", type=int, default=4)
    options = parser.parse_args()
    size = options.properties, round(options.hours * 3600 * ROWS_PER_S)
    with TemporaryDirectory(prefix="buto-perf-") as place:
        return conclude(TITLE, tuple(measure(Path(place), *size, options.cuts)), options)


if __name__ == "__main__":
    sys.exit(main())
