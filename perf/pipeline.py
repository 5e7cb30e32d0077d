"""How much faster is the simple pipeline over arrays than written loop by loop?

Both learn from the same runs and judge one more: mean smoothing over nine samples, linear time points,
simple bounds, nearest matching. The plain version is the reference that the tests compare with, in
Python floats and one property at a time. They alternate, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from buto.analysis.matching import BoolArray
from buto.analysis.pipeline import PipelineSettings, compare, fit
from buto.properties import Property
from buto.runs import FloatArray, Outcome, Quality, Run
from tests import naive

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
    """Random walks with noise; the last one, which is judged, lies outside here and there."""
    random = np.random.default_rng(0)
    shape = random.standard_normal((N_SAMPLES, N_PROPERTIES)).cumsum(axis=0) * 10
    made = []
    for number in range(N_RUNS + 1):
        values = shape + random.standard_normal((N_SAMPLES, N_PROPERTIES)) * (1 + 3 * (number == N_RUNS))
        times = np.arange(N_SAMPLES) * INTERVAL_S + random.normal(0, INTERVAL_S / 50, N_SAMPLES)
        made.append(recorded(number, values, times))
    return made


def over_arrays(training: Sequence[Run], test: Run) -> BoolArray:
    """Which smoothed samples of which property lie outside, shape (n_points, n_properties)."""
    comparison = compare(test, fit(training, PROPERTIES, SETTINGS).model, SETTINGS)
    outside: BoolArray = (comparison.beyond != 0) | ~comparison.in_model[:, np.newaxis]
    return outside


def loop_by_loop(training: Sequence[Sequence[Plain]], test: Sequence[Plain]) -> list[list[float]]:
    """The times of the samples that lie outside, by property."""
    return [
        naive.classify(runs_of_one, test_of_one, WINDOW, DEVIATIONS, INTERVAL_S)  # type: ignore[no-untyped-call]
        for runs_of_one, test_of_one in zip(training, test, strict=True)
    ]


def plainly(run: Run) -> list[Plain]:
    """(time, value) of each sample, by property."""
    times = run.times_s.tolist()
    return [list(zip(times, column, strict=True)) for column in run.values.T.tolist()]


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    *training, test = runs()
    training_of, test_of = [list(one) for one in zip(*map(plainly, training), strict=True)], plainly(test)
    fast, slow = over_arrays(training, test), loop_by_loop(training_of, test_of)
    times = test.times_s[WINDOW // 2 :][: len(fast)]
    if [times[outside].tolist() for outside in fast.T] != slow or not fast.any():
        print(f"the two versions disagree: {fast.sum()} and {sum(map(len, slow))} samples outside")
        return 1
    pairs = [
        (seconds(lambda: over_arrays(training, test)), seconds(lambda: loop_by_loop(training_of, test_of)))
        for _ in range(repeats)
    ]
    arrays, loops = np.array(pairs).T
    ratios = loops / arrays
    print(
        f"{N_RUNS} runs, {N_PROPERTIES} properties, {N_SAMPLES} samples; {fast.sum()} samples outside in both"
    )
    print(f"  over arrays, ms:   {spread(arrays * 1e3)}")
    print(f"  loop by loop, ms:  {spread(loops * 1e3)}")
    print(f"  times as fast:     {spread(ratios)}; goal: {GOAL:g}")
    return 0 if np.median(ratios) >= GOAL else 1


def spread(values: FloatArray) -> str:
    low, median, high = np.percentile(values, [5, 50, 95])
    return f"median {median:6.1f}, 5 to 95 %: {low:6.1f} to {high:6.1f}"


if __name__ == "__main__":
    sys.exit(main())
