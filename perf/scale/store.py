"""Can an oracle learn from runs of eight hours of 2,000 properties, and judge one, within time and memory?

The size is that of Foo et al.'s data: 20 runs of 28,800 samples of 2,000 properties. No JVM runs for hours
here: the samples are made up, and go row by row into the same recording, and through the same store, as those
of a JVM. Every step is a process of its own, whose time and largest memory are measured. The run that is
checked has more of 20 properties than those of the training had; of the first 20 in its report these must be.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from buto.measure.recording import Recording
from buto.run.model import FloatArray, Outcome, Quality
from buto.run.properties import METRICS, Kind, Property
from buto.run.store import RunStore
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "Runs of eight hours of 2,000 properties"

TEST = "long"
PROGRAM = ("--", "java", "Long")
"""Which is never started."""

GOAL_S = 60.0
GOAL_GIB = 2.0
GOAL_PAGE_MB = 10.0
N_CHANGED = 20
ROWS_AT_ONCE = 600
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_NS = 10**9


@dataclass(frozen=True)
class Spent:
    """What a process took."""

    seconds: float
    gib: float
    output: str


def properties(number: int) -> tuple[Property, ...]:
    """Return the default properties of one instance, then counters and gauges of MBeans in turn."""
    own = [metric.property() for metric in METRICS.values() if not metric.per]
    kinds = (Kind.GAUGE, Kind.GAUGE, Kind.GAUGE, Kind.COUNTER)
    beans = [
        Property(f"mbean[shop:type=Part,id={place:04d}]/Value", kind=kinds[place % 4], lower=0.0)
        for place in range(number)
    ]
    return (*own, *beans)[:number]


def changed(number: int) -> tuple[str, ...]:
    """Return which properties the checked run has more of."""
    beans = [prop.name for prop in properties(number) if prop.name.startswith("mbean[")]
    return tuple(beans[:: max(1, len(beans) // N_CHANGED)][:N_CHANGED])


def made_up(
    seed: int, n_properties: int, n_samples: int, *, more: float = 1.0, at_once: int = ROWS_AT_ONCE
) -> Iterator[tuple[npt.NDArray[np.int64], FloatArray]]:
    """Yield the samples of a run: each property around its own level, which varies by a percent between runs.

    Args:
        more: factor on the level of the properties of :func:`changed`.

    Yields:
        The numbers of some samples, shape (at_once,), and their values, shape (at_once, n_properties).
    """
    props = properties(n_properties)
    random = np.random.default_rng(seed)
    level = np.random.default_rng(0).lognormal(8, 2, len(props)) * random.normal(1, 0.01, len(props))
    level *= np.where(np.isin([prop.name for prop in props], changed(n_properties)), more, 1.0)
    counter = np.array([prop.kind is Kind.COUNTER for prop in props])
    for first in range(0, n_samples, at_once):
        rows = np.arange(first, min(n_samples, first + at_once))
        wave = 1 + 0.2 * np.sin(rows[:, None] / 50.0) + 0.05 * random.standard_normal((len(rows), len(props)))
        grown = level * (rows[:, None] + 1) / n_samples
        yield rows, np.rint(np.where(counter, grown, level * wave))


def record(root: Path, place: int, n_properties: int, n_samples: int, more: float) -> None:
    """Make up one run, and store it."""
    recording = Recording(TEST, start=FIRST + timedelta(days=place))
    recording.zero_ns = 0
    recording.metadata |= {"jvm.vm.name": "made up", "buto.purpose": "record"}
    recording.add_columns(properties(n_properties))
    for rows, values in made_up(place, n_properties, n_samples, more=more):
        recording.add_rows((rows + 1) * _NS, values)
    run = recording.finish(Outcome(0, duration_s=float(n_samples)), Quality())
    RunStore(root).add(run)


def spent(*command: str) -> Spent:
    """Run a part of this benchmark, or buto, to its end. RuntimeError if it fails."""
    began = time.monotonic()
    done = subprocess.Popen(
        [sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    output, errors = done.communicate()
    used = time.monotonic() - began
    told_gib = [line for line in errors.splitlines() if line.startswith("maxrss ")]
    if done.returncode not in (0, 1) or not told_gib:
        raise RuntimeError(f"{command}: {errors}")
    return Spent(used, float(told_gib[-1].split()[1]), output)


def measure(place: Path, n_runs: int, n_properties: int, n_samples: int) -> Iterator[BenchmarkFigure]:
    store, oracle, page = place / "store", place / "oracle.json", place / "report.html"
    size = [str(n_properties), str(n_samples)]
    parts = []
    for number in range(n_runs + 1):
        more = "3.0" if number == n_runs else "1.0"
        if not store.exists() or len(RunStore(store).ids(TEST)) <= number:
            parts.append(spent("perf.scale.store", "--record", str(store), str(number), *size, more))
    ids = RunStore(store).ids(TEST)
    what = f"{n_properties:,} properties x {n_samples:,} samples"
    values_gib = n_properties * n_samples * 8 / 2**30
    disk = sum(path.stat().st_size for path in (store / "runs").rglob("*") if path.is_file())
    yield BenchmarkFigure(f"{what}, {n_runs + 1} runs on disk", f"{disk / 2**30:.1f} GiB")
    if parts:
        yield figure_of("recording and storing one run", [part.seconds for part in parts], "s")
        yield figure_of(
            f"its memory, largest (the values alone: {values_gib:.2f} GiB)",
            [part.gib for part in parts],
            "GiB",
            2,
        )
    files = ["--store", str(store), "--oracle", str(oracle)]
    train = spent(
        "perf.scale.store", "--buto", "train", TEST, "--from-runs", f"..{ids[-2]}", *files, *PROGRAM
    )
    check = spent("perf.scale.store", "--buto", "check", TEST, "--from-runs", ids[-1], *files)
    yield at_most(f"trained of {n_runs} and checked one", [train.seconds + check.seconds], GOAL_S, "s")
    yield figure_of("training", [train.seconds], "s")
    yield at_most("memory of the training, largest", [train.gib], GOAL_GIB, "GiB", 2)
    yield at_most("memory of the check, largest", [check.gib], GOAL_GIB, "GiB", 2)
    yield BenchmarkFigure("the oracle's file", f"{oracle.stat().st_size / 1e6:.1f} MB")
    result = place / "result.json"
    reports = ["--html", str(page), "--json", str(result)]
    drawn = spent("perf.scale.store", "--buto", "check", TEST, "--from-runs", ids[-1], *files, *reports)
    yield figure_of("checked with a page", [drawn.seconds], "s")
    yield at_most("memory of a check with a page, largest", [drawn.gib], GOAL_GIB, "GiB", 2)
    yield at_most("the page", [page.stat().st_size / 1e6], GOAL_PAGE_MB, "MB")
    findings = json.loads(result.read_text())["tests"][0]["verdict"]["findings"]
    first = {finding["subject"] for finding in findings[:20]}
    wanted = set(changed(n_properties))
    yield BenchmarkFigure(
        "changed properties among the first 20 findings",
        f"{len(wanted & first)} of {len(wanted)}",
        goal="all",
        met=wanted <= first,
    )


def _part(arguments: list[str]) -> int:
    """Do the part of a process of its own; it prints its largest memory at the end."""
    code = 0
    if arguments[0] == "--record":
        root, number, n_properties, n_samples, more = arguments[1:]
        with patch("os.fsync"):
            record(Path(root), int(number), int(n_properties), int(n_samples), float(more))
    else:
        from buto.cli.main import main as buto

        sys.argv[1:] = arguments[1:]
        try:
            code = buto() or 0
        except SystemExit as end:
            code = int(end.code or 0)
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"maxrss {kib / 2**20:.3f}", file=sys.stderr)
    return code


def main() -> int:
    if sys.argv[1:2] in (["--record"], ["--buto"]):
        return _part(sys.argv[1:])
    parser = benchmark(__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--properties", type=int, default=2000)
    parser.add_argument("--samples", type=int, default=28_800)
    parser.add_argument("--keep", type=Path, help="a directory for the runs, which a later call uses again")
    options = parser.parse_args()
    size = options.runs, options.properties, options.samples
    if options.keep is not None:
        os.makedirs(options.keep, exist_ok=True)
        return conclude(TITLE, tuple(measure(options.keep, *size)), options)
    with TemporaryDirectory(prefix="buto-perf-") as place:
        return conclude(TITLE, tuple(measure(Path(place), *size)), options)


if __name__ == "__main__":
    sys.exit(main())
