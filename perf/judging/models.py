"""What does adjusting for the load cost? Ten training runs and three checked ones of 2,000 properties.

The made-up program serves two kinds of requests; half of its properties follow them. The checked runs cost
half more, so that findings are made, too. It is measured in a process of its own, whose memory is
reported with the runs in it. Processor time is what counts, so that a busy machine changes the answer little.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from buto.judging.verdict import Status
from buto.oracle import check, train
from buto.run.model import Outcome, Quality, Run, run_set
from buto.run.properties import Kind, Property
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude

TITLE = "Adjusting for the load: 2,000 properties in 720 intervals"
N_PROPERTIES, N_SAMPLES, INTERVAL_S = 2000, 721, 5.0
N_TRAINING, N_CHECKED = 10, 3
LOAD = ("load.throughput[read]", "load.throughput[write]")
TRAINING_S, CHECKING_S, MEMORY_MB = 60.0, 30.0, 2000.0


@dataclass(frozen=True)
class ModelCost:
    """In processor time; the memory is the largest of its process, with both runs."""

    training_s: float
    checking_s: float
    memory_mb: float


def made(number: int, cost: float = 1.0) -> Run:
    """Return a run of a server under a load that changes every ten minutes."""
    random = np.random.default_rng((7, number))
    system = np.random.default_rng(7)
    phases = np.repeat(random.uniform(0.4, 1.6, N_SAMPLES // 120 + 1), 120)[:N_SAMPLES, None]
    load = random.poisson(phases * (40.0, 10.0)).astype(float)
    n_own = N_PROPERTIES - len(LOAD)
    follows = system.uniform(0.5, 2.0, (len(LOAD), n_own)) * (np.arange(n_own) % 2)
    values = 20.0 + load @ follows + random.normal(0, 5, (N_SAMPLES, n_own))
    values[:, 1] *= cost
    properties = (
        *(Property(name, "{answer}/s") for name in LOAD),
        *(Property(f"jvm.counter-{place:04}", "1", Kind.GAUGE) for place in range(n_own)),
    )
    times_s = np.linspace(0.0, (N_SAMPLES - 1) * INTERVAL_S, N_SAMPLES)
    run_id = f"20260101T000000.000Z-{number:04x}"
    outcome = Outcome(0, duration_s=float(times_s[-1]))
    return Run(run_id, "made", properties, times_s, np.hstack([load, values]), outcome, quality=Quality())


def cost() -> ModelCost:
    """Train, and check."""
    old = run_set([made(number) for number in range(N_TRAINING)])
    new = run_set([made(100 + number, 1.5) for number in range(N_CHECKED)])
    with threadpool_limits(1):
        began = time.process_time()
        oracle = train(old)
        trained = time.process_time()
        verdict = check(oracle, new)
        checked = time.process_time()
    assert verdict.status is Status.REGRESSION, verdict
    largest_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return ModelCost(trained - began, checked - trained, largest_kb / 1e3)


def measure(repeats: int) -> Iterator[BenchmarkFigure]:
    costs = []
    for _ in range(repeats):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            costs.append(alone.submit(cost).result())
    yield at_most("training", [measured_cost.training_s for measured_cost in costs], TRAINING_S, "s")
    yield at_most("checking", [measured_cost.checking_s for measured_cost in costs], CHECKING_S, "s")
    yield at_most("memory", [measured_cost.memory_mb for measured_cost in costs], MEMORY_MB, "MB", 0)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.repeats)), options)


if __name__ == "__main__":
    sys.exit(main())
