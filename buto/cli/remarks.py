"""What train and check say of the runs themselves: which JVM it was, and what they cannot show."""

from __future__ import annotations

import statistics

from buto.cli.console import Console
from buto.runs import Run, RunSet

FEWEST_INTERVALS = 3
"""A program that lasts fewer of them, at the median of its runs, shows no curve."""

SHORT_INTERVAL = "10ms"


def tell_jvm(test: str, runs: RunSet, console: Console) -> None:
    """Say which JVM was measured: always when there were others, else only where more is asked for."""
    names = _texts(runs, "buto.jvm")
    others = _texts(runs, "buto.jvms.others")
    if names and others:
        console.info(
            f"{test}: measured {', '.join(names)}; also seen: {', '.join(others)} "
            "(--jvm PATTERN measures another)"
        )
    elif names:
        console.detail(f"{test}: measured {', '.join(names)}")


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


def _texts(runs: RunSet, key: str) -> list[str]:
    """The different texts that runs have for a metadata key."""
    return list(dict.fromkeys(str(run.metadata[key]) for run in runs if run.metadata.get(key)))
