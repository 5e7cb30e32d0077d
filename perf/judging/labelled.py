"""What does it cost to learn from labels? At the size of the paper behind the detector ``history``.

20,920 made-up rows of 200 numbers in 20 groups, 3.5 % abnormal. Each classifier is trained in a process of
its own, whose memory is reported. All but the forest use the whole scheme: projection, groups, costs. One row
is judged at a time. Processor time of one core counts, so that a busy machine changes the answer little.
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

from buto_replications.detectors.history.engine import NO_BALANCE, Scheme, train
from buto_replications.detectors.history.examples import ALONE, SUBTRACTED
from buto_replications.detectors.history.learners import FOREST, LOGISTIC, SIMILARITY, TAN, TREE
from buto_replications.history.replay import PAPER_SIZE, synthetic_history
from buto_replications.history.tables import BALANCES, DIMENSION
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude

TITLE = "Learning from labels: 20,920 rows of 200 numbers in 20 groups"
SCHEMES = {
    "decision tree": Scheme(TREE, SUBTRACTED, (DIMENSION,), True, BALANCES),
    "logistic regression": Scheme(LOGISTIC, SUBTRACTED, (DIMENSION,), True, BALANCES),
    "tree-augmented naive Bayes": Scheme(TAN, SUBTRACTED, (DIMENSION,), True, BALANCES),
    "similarity": Scheme(SIMILARITY, ALONE, (DIMENSION,), True, NO_BALANCE),
    # A forest balances its trees itself, and needs neither a projection nor groups.
    "forest": Scheme(FOREST, SUBTRACTED, (), grouped=False),
}
TRAINING_S, JUDGING_MS, MEMORY_MB = 60.0, 50.0, 2000.0
SEED = 2013
N_JUDGED = 200


@dataclass(frozen=True)
class ClassifierCost:
    """Of one classifier, in processor time; the memory is the largest of its process, with the data."""

    training_s: float
    judging_ms: tuple[float, ...]
    memory_mb: float


def cost(name: str) -> ClassifierCost:
    """Train on a made-up history, and judge some of its rows one by one."""
    history = synthetic_history(PAPER_SIZE, SEED)
    began = time.process_time()
    with threadpool_limits(1):
        engine = train(history, SCHEMES[name], SEED)
    training_s = time.process_time() - began
    judging_ms = []
    for row in np.random.default_rng(SEED).permutation(len(history))[:N_JUDGED]:
        past = history.at(np.array([row]))
        began = time.process_time()
        engine.predict(past)
        judging_ms.append(1e3 * (time.process_time() - began))
    largest_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return ClassifierCost(training_s, tuple(judging_ms), largest_kb / 1e3)


def measure(repeats: int) -> Iterator[BenchmarkFigure]:
    for name in SCHEMES:
        costs = []
        for _ in range(repeats):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
                costs.append(alone.submit(cost, name).result())
        yield at_most(
            f"{name}: training", [measured_cost.training_s for measured_cost in costs], TRAINING_S, "s"
        )
        every = [ms for measured_cost in costs for ms in measured_cost.judging_ms]
        yield at_most(f"{name}: judging one run", every, JUDGING_MS, "ms", 2)
        yield at_most(
            f"{name}: memory", [measured_cost.memory_mb for measured_cost in costs], MEMORY_MB, "MB", 0
        )


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.repeats)), options)


if __name__ == "__main__":
    sys.exit(main())
