"""Are changes found under other rates than in training, and what do unchanged programs make of them?

Two programs. The leaker of the thesis keeps objects at each request, and one tenth more is the change. A
server answers two kinds of requests that cost the same, one of which is a quarter of all; half more work for
this one is the change. The rate changes every three seconds, after a warm-up that is the same in all runs.
Ten training runs have rates of their own. Others have the same rates as each other, so other rates should
be inconclusive. Checks have half the rates, the same, or 1.5 times. All runs are recorded in a random order.

The heap has its usual generations. One of 96 MB gave a window 2 to 13 collections, one of 512 MB gave the
server's 1 to 3. How many there were is printed.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import buto
from buto.judging.verdict import Status
from buto.oracle import check, settings_from, train
from buto.run.model import Run, run_set
from perf.collecting.napping import compiled
from perf.figures import BenchmarkFigure, benchmark, conclude

TITLE = "Changes of a program under other rates than in training"
RATES = (40, 100, 60, 80)
"""Requests a second, each for the time of a phase."""
PHASE_S = 3
LEAST, MOST = 0.6, 1.4
"""Training runs with rates of their own have so many times these, in a random order."""
WARM_UP = {"name": "warm-up", "rate": 60, "duration": "4s"}
SCALES = {"half the rates": 0.5, "the rates": 1.0, "1.5 times the rates": 1.5}
N_TRAINING = 10
SEVERAL = 3
"""Runs of a check at the usual alpha."""
ONE_RUN = 0.1
"""The alpha of one run, or more if the training runs are too few for it."""
KEEPING = ("--at", "request", "--duration", "60s", "--pieces", "5", "--piece-size", "400")
UNCHANGED = "unchanged"
TABLES = 8


@dataclass(frozen=True)
class LoadedProgram:
    """A program under load.

    Attributes:
        words: of the command, after the options of the JVM.
        versions: by name, the words that follow; the first one is unchanged.
        requests: kinds of a load's requests.
    """

    words: tuple[str, ...]
    versions: Mapping[str, tuple[str, ...]]
    requests: Mapping[str, Mapping[str, object]]


SUBJECTS = {
    "leaker": LoadedProgram(
        ("-cp", "${testprograms}", "buto.testprograms.leaker.Leaker", *KEEPING, "--leaks"),
        {UNCHANGED: ("10",), "a tenth more leaked": ("11",)},
        {"leak": {"path": "/"}},
    ),
    "server": LoadedProgram(
        ("-cp", "${PERF_CLASSES}", "Serves", str(TABLES)),
        {UNCHANGED: (str(TABLES),), "half more work in a quarter of the requests": (str(TABLES * 3 // 2),)},
        {"list": {"path": "/list", "weight": 3}, "search": {"path": "/search", "weight": 1}},
    ),
}


@dataclass(frozen=True)
class Planned:
    """A run to record.

    Attributes:
        kind: what it is for.
        rates: requests a second.
    """

    kind: str
    rates: tuple[float, ...]
    version: str = UNCHANGED


def planned(subject: LoadedProgram, each: int, n_same: int) -> list[Planned]:
    """Return the runs in the order in which they are recorded.

    Args:
        each: how many there are of each version under each load.
        n_same: how many training runs have the same rates.
    """
    source = random.Random(1)
    runs = [Planned("same rates", RATES)] * n_same
    for _ in range(N_TRAINING):
        scale = source.uniform(LEAST, MOST)
        runs.append(Planned("own rates", tuple(scale * rate for rate in source.sample(RATES, len(RATES)))))
    for (load, scale), version in product(SCALES.items(), subject.versions):
        rates = tuple(scale * rate for rate in RATES)
        runs += [Planned(f"{version}, {load}", rates, version)] * each
    source.shuffle(runs)
    return runs


def _jvm(heap: str) -> list[str]:
    return ["java", "-XX:+UseParallelGC", "-XX:ParallelGCThreads=2", f"-Xms{heap}", f"-Xmx{heap}"]


def recorded(subject: LoadedProgram, directory: Path, wanted: Planned, heap: str, seed: int) -> Run:
    """Record one run."""
    name = f"run-{seed}"
    phases = [
        {"name": f"phase-{number}", "rate": round(rate), "duration": f"{PHASE_S}s"}
        for number, rate in enumerate(wanted.rates)
    ]
    load = {
        "url": "http://127.0.0.1:${port}",
        "seed": seed,
        "interval": "500ms",
        "timeout": "30s",
        "requests": subject.requests,
        "phases": [WARM_UP, *phases],
    }
    test = {
        "command": [*_jvm(heap), *subject.words, *subject.versions[wanted.version]],
        "timeout": "60s",
        "workload": {"port": "any", "load": load, "stop": True},
        "window": {"from": "phase-0", "to": "load.end"},
    }
    configuration = directory / "buto.yaml"
    configuration.write_text(json.dumps({"version": 1, "tests": {name: test}}))
    runs = buto.record(name, config=configuration, store=directory / "runs")
    usable = next(run for run in runs if run.quality.valid)
    return replace(usable, test="server")


def all_recorded(
    subject: LoadedProgram, runs: Sequence[Planned], directory: Path, heap: str
) -> dict[str, list[Run]]:
    """Return the recorded runs by their kind."""
    by_kind: dict[str, list[Run]] = {}
    for seed, run in enumerate(runs):
        by_kind.setdefault(run.kind, []).append(recorded(subject, directory, run, heap, seed))
        print(f"{seed + 1} of {len(runs)}: {run.kind}", file=sys.stderr, flush=True)
    return by_kind


def collections(runs: Mapping[str, list[Run]]) -> tuple[int, int]:
    """Return the fewest and the most collections in a window."""
    counts = [
        sum(
            float(run.series(name)[-1] - run.series(name)[0])
            for name in run.column_of
            if name.startswith("jvm.gc.count[")
        )
        for some in runs.values()
        for run in some
    ]
    return round(min(counts)), round(max(counts))


def judged(name: str, subject: LoadedProgram, runs: Mapping[str, list[Run]]) -> Iterator[BenchmarkFigure]:
    """Yield how many checks fail, for each training, kind of run, and number of checked runs."""
    for known, n_runs in product(("own rates", "same rates"), (1, SEVERAL)):
        if known not in runs:
            continue
        alpha = max(ONE_RUN, 1 / (len(runs[known]) + 1)) if n_runs == 1 else 0.01
        oracle = train(run_set(runs[known]), settings_from({"alpha": alpha}))
        for version, load in product(subject.versions, SCALES):
            some = runs[f"{version}, {load}"]
            groups = [some[first : first + n_runs] for first in range(0, len(some) - n_runs + 1, n_runs)]
            statuses = [check(oracle, run_set(group)).status for group in groups]
            yield BenchmarkFigure(
                f"{name} trained with {known}, alpha {alpha:g}, {n_runs} checked: {version}, {load}",
                f"{statuses.count(Status.REGRESSION)} of {len(statuses)} fail, "
                f"{statuses.count(Status.INCONCLUSIVE)} inconclusive",
            )


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--each", type=int, default=6, help="runs of each version under each load")
    parser.add_argument("--same", type=int, default=N_TRAINING, help="training runs with the same rates")
    parser.add_argument("--heap", default="96m", metavar="SIZE", help="of the programs (default: 96m)")
    parser.add_argument("--programs", nargs="+", choices=SUBJECTS, default=list(SUBJECTS))
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the runs are kept (default: nowhere)")
    options = parser.parse_args()
    figures: list[BenchmarkFigure] = []
    with compiled() as classes, TemporaryDirectory(prefix="buto-perf-") as place:
        os.environ["PERF_CLASSES"] = str(classes)
        for name in options.programs:
            directory = (options.keep or Path(place)) / name
            directory.mkdir(parents=True)
            runs = planned(SUBJECTS[name], options.each, options.same)
            by_kind = all_recorded(SUBJECTS[name], runs, directory, options.heap)
            low, high = collections(by_kind)
            figures.append(BenchmarkFigure(f"{name}: collections in a window", f"{low} to {high}"))
            figures += judged(name, SUBJECTS[name], by_kind)
    return conclude(TITLE, tuple(figures), options)


if __name__ == "__main__":
    sys.exit(main())
