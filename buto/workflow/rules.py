"""Rules of checking that hold whoever asks for it: the command line, or a test framework."""

from __future__ import annotations

import statistics

from buto import oracle
from buto.oracle import Oracle, Settings
from buto.runs import Run, RunSet

N_CONFIRMING = 2
"""How many runs are added to one that failed; the three are then judged together."""

FEWEST_INTERVALS = 3
"""A program that lasts fewer of them, at the median of its runs, shows no curve."""

SHORT_INTERVAL = "10ms"


def needs_confirmation(known: Oracle, runs: RunSet) -> bool:
    """Whether these runs should neither be believed nor dismissed before two more were made.

    Raises:
        JudgeError: no runs, or runs of another test.
    """
    return oracle.needs_confirmation(known, oracle.check(known, runs))


def changed_settings(known: Oracle, now: Settings) -> list[str]:
    """The keys of ``judge`` that say otherwise than when the oracle learned; the oracle's way holds."""
    wanted, learned = now.to_data(), known.settings.to_data()
    return [key for key in wanted if wanted[key] != learned.get(key)]


def warnings(runs: RunSet) -> tuple[str, ...]:
    """What the user should know of valid runs before trusting them."""
    found = []
    if any("buto.jvm.exit" in run.metadata and run.metadata["buto.jvm.exit"] is None for run in runs):
        found.append(
            "the measured JVM is not the command itself, and this kernel does not tell its exit code: a "
            "program that fails behind a wrapper or a pipe counts as good; give the java command itself"
        )
    lengths = [_intervals(run) for run in runs]
    if lengths and statistics.median(lengths) < FEWEST_INTERVALS:
        n_samples = round(statistics.median(len(run.times_s) for run in runs))
        found.append(
            f"the runs have only {n_samples} samples each, too few to show a curve: "
            f"--interval {SHORT_INTERVAL}"
        )
    return tuple(found)


def _intervals(run: Run) -> float:
    interval_s = run.metadata.get("buto.interval")
    if not isinstance(interval_s, int | float) or interval_s <= 0:
        return float("inf")
    return run.outcome.duration_s / interval_s
