"""How much faster is the simple pipeline over arrays than written loop by loop?

Both learn from the same runs and judge one more: mean smoothing over nine samples, linear time points,
simple bounds, nearest matching. The plain version is the reference that the tests compare with, in
Python floats and one property at a time. They alternate, and processor time is what counts, so that a
busy machine changes the answer little.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from buto.judging.features import series_of
from buto.judging.thesis.filters import simple_bounds
from buto.judging.thesis.pipeline import BandComparison, PipelineSettings, beyond, compare, fit, nearest
from buto.judging.thesis.time_points import linear, smooth
from buto.run.model import BoolArray, FloatArray, Outcome, Quality, Run
from buto.run.properties import Property
from perf.figures import BenchmarkFigure, at_least, benchmark, conclude, figure_of
from perf.judging import loops

TITLE = "Arrays against loops: 50 runs, 60 properties, 60 samples"
N_RUNS, N_PROPERTIES, N_SAMPLES = 50, 60, 60
INTERVAL_S = 0.1
WINDOW = 9
DEVIATIONS = 4.0
GOAL = 30.0

Plain = Sequence[tuple[float, float]]

PROPERTIES = tuple(Property(f"mbean[perf]/Value{number:02d}") for number in range(N_PROPERTIES))
SETTINGS = PipelineSettings(window=WINDOW, deviations=DEVIATIONS)


def recorded(number: int, values: FloatArray, times: FloatArray) -> Run:
    return Run(
        id=f"20260101T000000.000Z-{number:04x}",
        test="perf",
        properties=PROPERTIES,
        times_s=times,
        values=values,
        outcome=Outcome(0, duration_s=float(times[-1])),
        quality=Quality(),
    )


def runs() -> list[Run]:
    """Return random walks with noise; the last one, which is judged, is outside here and there."""
    random = np.random.default_rng(0)
    shape = random.standard_normal((N_SAMPLES, N_PROPERTIES)).cumsum(axis=0) * 10
    made = []
    for number in range(N_RUNS + 1):
        values = shape + random.standard_normal((N_SAMPLES, N_PROPERTIES)) * (1 + 3 * (number == N_RUNS))
        times = np.arange(N_SAMPLES) * INTERVAL_S + random.normal(0, INTERVAL_S / 50, N_SAMPLES)
        made.append(recorded(number, values, times))
    return made


def over_arrays(training: Sequence[Run], test: Run) -> BoolArray:
    """Return which smoothed samples of which property are outside, shape (n_points, n_properties)."""
    series, *others = (smooth(series_of(run, PROPERTIES), "mean", WINDOW) for run in (test, *training))
    (bounds,) = simple_bounds(linear(others), SETTINGS, (DEVIATIONS,))
    matched = nearest(bounds, series.times_s, INTERVAL_S)
    outside: BoolArray = (beyond(series.values, matched.bounds) != 0) | ~matched.in_model[:, np.newaxis]
    return outside


def whole(training: Sequence[Run], test: Run) -> BandComparison:
    """Do what training and checking do: also whole runs' means, last values and smallest deviations."""
    return compare(test, fit(training, PROPERTIES, SETTINGS).model, SETTINGS)


def loop_by_loop(training: Sequence[Sequence[Plain]], test: Sequence[Plain]) -> list[list[float]]:
    """Return the times of the samples that are outside, by property."""
    return [
        loops.classify(runs_of_one, test_of_one, WINDOW, DEVIATIONS, INTERVAL_S)
        for runs_of_one, test_of_one in zip(training, test, strict=True)
    ]


def plainly(run: Run) -> list[Plain]:
    """Return (time, value) of each sample, by property."""
    times = run.times_s.tolist()
    return [list(zip(times, column, strict=True)) for column in run.values.T.tolist()]


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """Return the processor time of one call, the mean of several."""
    begin = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begin) / times


def measure(repeats: int) -> list[BenchmarkFigure]:
    *training, test = runs()
    training_of, test_of = (
        [list(values) for values in zip(*map(plainly, training), strict=True)],
        plainly(test),
    )
    fast, slow = over_arrays(training, test), loop_by_loop(training_of, test_of)
    times = test.times_s[WINDOW // 2 :][: len(fast)]
    if [times[outside].tolist() for outside in fast.T] != slow or not fast.any():
        raise SystemExit(f"the two versions disagree: {fast.sum()} and {sum(map(len, slow))} samples outside")
    rounds = [
        (
            seconds(lambda: over_arrays(training, test), 10),
            seconds(lambda: whole(training, test), 10),
            seconds(lambda: loop_by_loop(training_of, test_of)),
        )
        for _ in range(repeats)
    ]
    arrays, fitted, loops = np.array(rounds).T
    return [
        figure_of("loop by loop", loops * 1e3, "ms"),
        figure_of("over arrays", arrays * 1e3, "ms"),
        at_least("times as fast", loops / arrays, GOAL, ""),
        figure_of("all of fit and compare", fitted * 1e3, "ms"),
    ]


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    return conclude(TITLE, measure(options.repeats), options)


if __name__ == "__main__":
    sys.exit(main())
