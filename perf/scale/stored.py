"""What do stored runs cost: bytes, and the time to write and to read a hundred, beside Parquet?

Real runs of a small program, recorded here, are written and read in memory in turns by both formats in one
process; what is left of a run, its document and the output, is the same for both. Times are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from buto.run import parquet, tables
from buto.run.model import Run
from buto.run.names import new_id
from buto.run.store import RunStore
from perf.collecting.napping import compiled
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of
from perf.scale.runs import TEST, buto

TITLE = "A hundred stored runs beside Parquet"

GOAL_RATIO = 1.0
N_RUNS = 100


def recorded(directory: Path, n_runs: int) -> list[Run]:
    """Record runs of a few seconds, and return a hundred, some of them more than once."""
    with compiled() as classes:
        program = ("--", "java", "-cp", str(classes), "Nap", "2000", "0")
        buto(directory, "record", TEST, "--runs", str(n_runs), "--store", "store", *program)
    runs = list(RunStore(directory / "store").load_set(TEST))
    return [replace(runs[number % len(runs)], id=new_id()) for number in range(N_RUNS)]


def in_columns(run: Run) -> tuple[bytes, bytes]:
    return tables.pack_samples(run.times_s, run.values), tables.pack_notifications(run.notifications)


def in_parquet(run: Run) -> tuple[bytes, bytes]:
    samples = parquet.samples_to_parquet(run.properties, run.times_s, run.values)
    return samples, parquet.notifications_to_parquet(run.notifications)


def read(runs: list[Run], contents: list[tuple[bytes, bytes]], samples: str, notifications: str) -> None:
    """Read both tables of runs; ValueError if they are not those that were written."""
    for run, (of_samples, of_notifications) in zip(runs, contents, strict=True):
        times_s, values = tables.all_samples(samples, of_samples, run.properties, run.n_samples)
        emitted = tables.all_notifications(notifications, of_notifications, len(run.notifications))
        same = (run.times_s.tobytes(), run.values.tobytes(), run.notifications)
        if (times_s.tobytes(), values.tobytes(), emitted) != same:
            raise ValueError("what is read is not what was written")


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def measure(n_runs: int, repeats: int) -> Iterator[BenchmarkFigure]:
    with TemporaryDirectory(prefix="buto-perf-") as place:
        runs = recorded(Path(place), n_runs)
    ours, theirs = [in_columns(run) for run in runs], [in_parquet(run) for run in runs]
    our_kib, their_kib = (
        [sum(map(len, duration_s)) / 1024 for duration_s in each] for each in (ours, theirs)
    )
    yield figure_of("samples and notifications of a run", our_kib, "KiB")
    yield figure_of("as Parquet", their_kib, "KiB")
    yield at_most("bytes, times those of Parquet", _times(our_kib, their_kib), GOAL_RATIO, digits=2)
    rounds = [
        (
            seconds(lambda: [in_columns(run) for run in runs]),
            seconds(lambda: [in_parquet(run) for run in runs]),
            seconds(lambda: read(runs, ours, tables.SAMPLES, tables.NOTIFICATIONS)),
            seconds(lambda: read(runs, theirs, tables.OLD_SAMPLES, tables.OLD_NOTIFICATIONS)),
        )
        for _ in range(repeats)
    ]
    wrote_s, wrote_theirs_s, read_s, read_theirs_s = map(list, zip(*rounds, strict=True))
    for name, our_s, their_s in (("write", wrote_s, wrote_theirs_s), ("read", read_s, read_theirs_s)):
        yield figure_of(f"{name} {N_RUNS} runs", [1e3 * duration_s for duration_s in our_s], "ms", 0)
        yield figure_of("as Parquet", [1e3 * duration_s for duration_s in their_s], "ms", 0)
        yield at_most("time, times that of Parquet", _times(our_s, their_s), GOAL_RATIO, digits=2)


def _times(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    return [our / other for our, other in zip(ours, theirs, strict=True)]


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args()
    return conclude(TITLE, list(measure(options.runs, options.repeats)), options)


if __name__ == "__main__":
    raise SystemExit(main())
