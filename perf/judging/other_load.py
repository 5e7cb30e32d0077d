"""Is a tenth more leaked per request found under other rates, and what do unchanged programs make of them?

The leaker of the thesis keeps objects at each request. The rate changes every three seconds, after a warm-up
that is the same in all runs. Ten training runs have rates of their own. Others have the same rates as each
other, so that other rates should be inconclusive. Checks have half the rates, or 1.5 times, and the unchanged
program or one that keeps 11 objects in place of 10. All runs are recorded in a random order.

The live heap that the JVM reports also counts what died in the old generation, and the connections that a
slow start leaves open. So the warm-up is gentle, and the window has dozens of collections.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

import buto
from buto.judging.verdict import Status
from buto.oracle import check, settings_from, train
from buto.run.model import Run, run_set
from perf.figures import Figure, benchmark, conclude

TITLE = "A leak of a tenth more per request, under other rates than in training"
RATES = (40, 100, 60, 80)
"""Requests a second, each for the time of a phase."""
PHASE_S = 3
LEAST, MOST = 0.6, 1.4
"""Training runs with rates of their own have so many times these, in a random order."""
WARM_UP = {"name": "warm-up", "rate": 60, "duration": "4s"}
SCALES = {"half the rates": 0.5, "1.5 times the rates": 1.5}
LEAKS = {"unchanged": 10, "a tenth more": 11}
N_TRAINING = 10
SEVERAL = 3
"""Runs of a check at the usual alpha."""
ONE_RUN = 0.1
"""The alpha of one run, or more if the training runs are too few for it."""
JVM = ("-XX:+UseParallelGC", "-XX:ParallelGCThreads=2", "-Xmn2m", "-Xms96m", "-Xmx96m")
KEEPING = ("--at", "request", "--duration", "60s", "--pieces", "5", "--piece-size", "400")


@dataclass(frozen=True)
class Planned:
    """A run to record.

    Attributes:
        kind: what it is for.
        rates: requests a second.
        leaks: objects that a request keeps.
    """

    kind: str
    rates: tuple[float, ...]
    leaks: int = LEAKS["unchanged"]


def planned(each: int, n_same: int) -> list[Planned]:
    """Return the runs in the order in which they are recorded.

    Args:
        each: how many there are of each program under each load.
        n_same: how many training runs have the same rates.
    """
    source = random.Random(1)
    runs = [Planned("same rates", RATES)] * n_same
    for _ in range(N_TRAINING):
        scale = source.uniform(LEAST, MOST)
        runs.append(Planned("own rates", tuple(scale * rate for rate in source.sample(RATES, len(RATES)))))
    for (load, scale), (program, leaks) in product(SCALES.items(), LEAKS.items()):
        runs += [Planned(f"{program}, {load}", tuple(scale * rate for rate in RATES), leaks)] * each
    source.shuffle(runs)
    return runs


def recorded(directory: Path, wanted: Planned, seed: int) -> Run:
    """Record one run."""
    name = f"leaker-{seed}"
    program = ("-cp", "${testprograms}", "buto.testprograms.leaker.Leaker", *KEEPING)
    phases = [
        {"name": f"phase-{number}", "rate": round(rate), "duration": f"{PHASE_S}s"}
        for number, rate in enumerate(wanted.rates)
    ]
    load = {
        "url": "http://127.0.0.1:${port}",
        "seed": seed,
        "interval": "500ms",
        "timeout": "30s",
        "requests": {"leak": {"path": "/"}},
        "phases": [WARM_UP, *phases],
    }
    test = {
        "command": ["java", *JVM, *program, "--leaks", str(wanted.leaks)],
        "timeout": "60s",
        "workload": {"port": "any", "load": load, "stop": True},
        "window": {"from": "phase-0", "to": "load.end"},
    }
    configuration = directory / "buto.yaml"
    configuration.write_text(yaml.safe_dump({"version": 1, "tests": {name: test}}))
    runs = buto.record(name, config=configuration, store=directory / "runs")
    usable = next(run for run in runs if run.quality.valid)
    return replace(usable, test="leaker")


def all_recorded(runs: Sequence[Planned], directory: Path) -> dict[str, list[Run]]:
    """Return the recorded runs by their kind."""
    found: dict[str, list[Run]] = {}
    for seed, one in enumerate(runs):
        found.setdefault(one.kind, []).append(recorded(directory, one, seed))
        print(f"{seed + 1} of {len(runs)}: {one.kind}", file=sys.stderr, flush=True)
    return found


def judged(runs: dict[str, list[Run]]) -> Iterator[Figure]:
    """Yield how many checks fail, for each training, kind of run, and number of checked runs."""
    for known, n_runs in product(("own rates", "same rates"), (1, SEVERAL)):
        if known not in runs:
            continue
        alpha = max(ONE_RUN, 1 / (len(runs[known]) + 1)) if n_runs == 1 else 0.01
        oracle = train(run_set(runs[known]), settings_from({"alpha": alpha}))
        for program, load in product(LEAKS, SCALES):
            some = runs[f"{program}, {load}"]
            groups = [some[first : first + n_runs] for first in range(0, len(some) - n_runs + 1, n_runs)]
            found = [check(oracle, run_set(group)).status for group in groups]
            yield Figure(
                f"trained with {known}, alpha {alpha:g}, {n_runs} checked: {program}, {load}",
                f"{found.count(Status.REGRESSION)} of {len(found)} fail, "
                f"{found.count(Status.INCONCLUSIVE)} inconclusive",
            )


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--each", type=int, default=6, help="runs of each program under each load")
    parser.add_argument("--same", type=int, default=N_TRAINING, help="training runs with the same rates")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the runs are kept (default: nowhere)")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="buto-perf-") as place:
        found = all_recorded(planned(options.each, options.same), options.keep or Path(place))
        return conclude(TITLE, tuple(judged(found)), options)


if __name__ == "__main__":
    sys.exit(main())
