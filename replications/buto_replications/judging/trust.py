"""Whole checks of recorded streams: how much of a change is found, by how large it is.

A window is ten runs that train, three that are checked, and twenty that are launched in turns, in the order
of time. A change is planted into the checked runs and into those launches that are of the new program by the
order of the turns; without one, each check that fails is a false alarm. All of it is decided by the rule that
a check follows, from the first look on.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from buto.judging.judge_settings import CALIBRATED
from buto.judging.orders import balanced_orders
from buto.judging.procedure import N_CHECKED, N_TURNS, Procedure
from buto.judging.profile import TrainingProfile
from buto.judging.selfknowledge.simulation import Stored, Trace, simulate
from buto.run.model import FloatArray
from buto_replications.judging.checks import N_TRAINING, CachingJudge, Rate, rate
from buto_replications.judging.drift import (
    BY_CLOCK,
    COUNTED,
    N_WINDOW,
    STEP,
    DriftTask,
    planted_gains,
)
from buto_replications.live.limits import upper_limit
from buto_replications.report.charts import PowerCurve, PowerPanel
from buto_replications.report.content import TextTable, csv_text

FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Of planted changes, in sizes that matter."""

PLACES = {"turns-quiet": "a quiet machine", "turns-load": "a machine that others use"}
"""The streams that the picture shows, and what it calls them."""

_THREADS = "jvm.thread.count"

WORDS = {
    "jvm.memory.allocated": "allocated bytes",
    "jvm.memory.heap.live": "live heap",
    _THREADS: "threads",
    "jvm.cpu.time": "processor time",
    "run.duration": "duration",
    "process.memory.usage": "resident memory",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """One whole check of recorded runs.

    Attributes:
        part: which streams.
        program: the stream.
        window: the number of its first run in the stream.
        planted: the property that was changed; empty for none.
        sizes: by how many sizes that matter; 0 for none.
        fails: whether the check fails.
        launches: that it took.
    """

    part: str
    program: str
    window: int
    planted: str
    sizes: float
    fails: bool
    launches: int


def check_sizes(task: DriftTask) -> list[Checked]:
    """Return checks of each window of a stream, with each property changed by each size, and with none."""
    return list(_check(task))


def _check(task: DriftTask) -> Iterator[Checked]:
    runs = task.runs.runs
    random = np.random.default_rng([task.seed, zlib.crc32(f"trust {task.name}".encode())])
    for first in range(0, len(runs) - N_WINDOW + 1, STEP):
        window = runs[first : first + N_WINDOW]
        profile = CachingJudge.by(window[:N_TRAINING]).fitted.profile
        rows = np.array([profile.measure(run) for run in window])
        changes = [("", 0.0, np.zeros(rows.shape[1]))]
        changes += [
            (planted, sizes, gain) for sizes in FACTORS for planted, gain in planted_gains(profile, sizes)
        ]
        for planted, sizes, gain in changes:
            trace = _simulate(profile, rows, gain, int(random.integers(2**32)))
            yield Checked(task.part, task.name, first, planted, sizes, trace.fails, trace.n_launches)


def _simulate(profile: TrainingProfile, rows: FloatArray, gain: FloatArray, seed: int) -> Trace:
    known, checked, launched = np.split(rows, [N_TRAINING, N_TRAINING + N_CHECKED])
    order = balanced_orders(N_TURNS).draw(seed)
    is_new = np.array(order, np.bool_)
    stored = Stored(
        profile, known, checked + gain, old=launched[~is_new], new=launched[is_new] + gain, is_new=order
    )
    return simulate(Procedure(CALIBRATED.alpha), CALIBRATED, stored)


def share_found(checks: Sequence[Checked], planted: str, sizes: float) -> Rate:
    """Return the share of checks that fail with a change, with its standard error by program.

    NaN for a part of a thread: what was planted is a whole number of them.
    """
    if planted == _THREADS and not sizes.is_integer():
        return rate(())
    return rate(
        (check.program, check.fails) for check in checks if check.planted == planted and check.sizes == sizes
    )


def alarms(checks: Sequence[Checked]) -> tuple[int, int]:
    """Return how many checks without a change fail, and how many there are."""
    unchanged = [check.fails for check in checks if not check.planted]
    return sum(unchanged), len(unchanged)


def panels(checks: Sequence[Checked]) -> list[PowerPanel]:
    """Return what the picture shows: a panel for each place, a curve for each property."""
    shown = []
    for part, place in PLACES.items():
        ours = [check for check in checks if check.part == part]
        if not ours:
            continue
        curves = []
        for number, planted in enumerate((*COUNTED, *BY_CLOCK)):
            shares = [share_found(ours, planted, sizes) for sizes in FACTORS]
            curves.append(
                PowerCurve(
                    WORDS[planted],
                    FACTORS,
                    tuple(share.value for share in shares),
                    tuple(share.error for share in shares),
                    number,
                    "-" if planted in COUNTED else "--",
                )
            )
        shown.append(
            PowerPanel(f"on {place}", "sizes that matter", tuple(curves), upper_limit(*alarms(ours)))
        )
    return shown


def tables(checks: Sequence[Checked]) -> list[TextTable]:
    """Return for each part what is found by its size, and how many checks fail without a change."""
    shown = []
    for part in dict.fromkeys(check.part for check in checks):
        ours = [check for check in checks if check.part == part]
        fails, n = alarms(ours)
        rows = [
            (f"{sizes:g}", *(_percent(share_found(ours, name, sizes)) for name in (*COUNTED, *BY_CLOCK)))
            for sizes in FACTORS
        ]
        title = f"{part}: found, % of {n} windows, errors by program; unchanged: {fails} of {n} fail"
        shown.append(
            TextTable(title, ("sizes", *(WORDS[name] for name in (*COUNTED, *BY_CLOCK))), tuple(rows))
        )
    return shown


def _percent(share: Rate) -> str:
    return f"{100 * share.value:.0f} ± {100 * share.error:.0f}" if share.n_trials else ""


def as_csv(checks: Sequence[Checked]) -> str:
    """Return the checks as a table with one row for each."""
    heads = [field.name for field in fields(Checked)]
    return csv_text(heads, [astuple(check) for check in checks])
