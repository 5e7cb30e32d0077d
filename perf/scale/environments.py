"""How long does the judge take for training runs of several machines, of an hour with thousands of counters?

Ten training runs of three environments have 2,000 counters in 720 intervals. Half of the counters follow the
load, with noise; a machine factor multiplies a fifth of them. Memory is the peak of the whole process, with
the runs themselves.
"""

from __future__ import annotations

import resource
import time

import numpy as np

from buto.judging.detector import CalibratedDetector
from buto.judging.judge_settings import CALIBRATED
from buto.run.model import Outcome, Run, run_set
from buto.run.properties import Kind, Property
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude

TITLE = "Prior tests from unlike machines"

N_COUNTERS, N_INTERVALS, STEP_S = 2_000, 720, 5.0
MACHINES = {"fast": 1.0, "slow": 2.0, "old": 3.0}
TRAINED_S, CHECKED_S, PEAK_MB = 60.0, 10.0, 1000.0

PROPERTIES = tuple(
    Property(
        f"mbean[perf:type=Counter]/Value{number:04}", "s" if number % 5 == 0 else "1", Kind.GAUGE, lower=0.0
    )
    for number in range(N_COUNTERS)
)


def run_on(machine: str, number: int) -> Run:
    """Return one test of an hour."""
    noise = np.random.default_rng([number, len(machine)])
    load = np.repeat(noise.uniform(0.5, 1.5, N_INTERVALS // 24), 24)[:, None]
    levels = np.random.default_rng(7).uniform(10, 1000, N_COUNTERS)
    follows = np.arange(N_COUNTERS) % 2 == 0
    values = (
        levels * np.where(follows, load, 1.0) * (1 + 0.02 * noise.standard_normal((N_INTERVALS, N_COUNTERS)))
    )
    values[:, ::5] *= MACHINES[machine]
    return Run(
        id=f"20260101T0000{number:02}.000Z-{number:04x}",
        test="hour",
        properties=PROPERTIES,
        times_s=np.linspace(0.0, (N_INTERVALS - 1) * STEP_S, N_INTERVALS),
        values=values,
        outcome=Outcome(duration_s=N_INTERVALS * STEP_S, exit_code=0),
        metadata={"environment.label.machine": machine},
    )


def measure(n_tests: int) -> tuple[BenchmarkFigure, ...]:
    """Train and check once; return seconds of both, and the peak of memory."""
    names = list(MACHINES)
    runs = run_set([run_on(names[number % len(names)], number) for number in range(n_tests)])
    new = run_set([run_on("old", n_tests)])
    began = time.monotonic()
    fitted = CalibratedDetector(CALIBRATED).fit(runs)
    trained = time.monotonic()
    fitted.check(new)
    checked = time.monotonic()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    what = f"{n_tests} prior tests of {N_COUNTERS:,} counters × {N_INTERVALS} intervals"
    return (
        at_most(f"{what}: trained", [trained - began], TRAINED_S, "s"),
        at_most("one check", [checked - trained], CHECKED_S, "s"),
        at_most("peak memory of the process", [peak], PEAK_MB, "MB", 0),
    )


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--tests", type=int, default=10, help="prior tests (default: 10)")
    options = parser.parse_args()
    return conclude(TITLE, measure(options.tests), options)


if __name__ == "__main__":
    raise SystemExit(main())
