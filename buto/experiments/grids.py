"""The thirteen experiments of Appendix A: what each one varies, and what it holds fixed.

Source: thesis, sections 3.4, 4.4 and 5.1 to 5.6, Tables 4.1 to 4.6. Sizes are shares of the recorded
runs, for the thesis has a hundred of each variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Value = str | int | float
Changes = Mapping[str, Value]
"""Departures from the pipeline's defaults, by the names of its settings."""

HALF = 0.5


@dataclass(frozen=True, slots=True)
class Configuration:
    """One line of a table.

    Attributes:
        label: as in :mod:`buto.experiments.published`.
        changes: the settings of the pipeline.
        training: share of a variant's runs that train.
        test: share that are judged; None for all others.
    """

    label: str
    changes: Changes
    training: float = HALF
    test: float | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """One experiment of Appendix A.

    Attributes:
        table: of the thesis.
        varies: what its configurations differ in, in words.
    """

    name: str
    table: str
    varies: str
    configurations: tuple[Configuration, ...]


PREPARATION: Changes = {"smoothing": "mean", "window": 9, "time_points": "linear", "matching": "nearest"}
SIMPLE: Changes = {**PREPARATION, "bounds": "simple", "average": "mean", "deviations": 4.0}
KALMAN: Changes = {
    **PREPARATION,
    "bounds": "kalman",
    "average": "mean",
    "process_noise": "average-variance",
    "deviations": 8.0,
}
"""The thesis does not say how many deviations tuned the Kalman filter; eight are its best in Table 5.16."""
PARTICLE: Changes = {
    **PREPARATION,
    "bounds": "particle",
    "average": "mean",
    "iterations": 8,
    "resample": 0.6,
    "propagation": "velocity",
    "weighting": "pdf",
    "particles": 1000,
    "deviations": 6.0,
}
"""Table 5.8."""

TRAINING_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
VALIDATION_SHARE = 0.2
"""Of the first experiment, which judges the same runs whatever the size."""
WINDOWS = (3, 5, 9, 17)
DEVIATIONS = tuple(range(2, 21, 2))


def _varying(fixed: Changes, setting: str, values: Iterable[Value]) -> tuple[Configuration, ...]:
    return tuple(Configuration(str(value), {**fixed, setting: value}) for value in values)


def _smoothing() -> tuple[Configuration, ...]:
    smoothed = (
        Configuration(f"{method}-{window}", {**SIMPLE, "smoothing": method, "window": window})
        for method in ("mean", "median")
        for window in WINDOWS
    )
    return (Configuration("none", {**SIMPLE, "smoothing": "none"}), *smoothed)


def _training_size() -> tuple[Configuration, ...]:
    return tuple(
        Configuration(f"{round(100 * share)}", SIMPLE, share, VALIDATION_SHARE) for share in TRAINING_SHARES
    )


def _overall() -> tuple[Configuration, ...]:
    return tuple(
        Configuration(f"{letter}-{deviations}", {**fixed, "deviations": float(deviations)})
        for letter, fixed in (("S", SIMPLE), ("K", KALMAN), ("P", PARTICLE))
        for deviations in DEVIATIONS
    )


_KALMAN = "kalman-classifier-tuning"
_PARTICLE = "particle-classifier-tuning"

GRIDS: dict[str, Grid] = {
    grid.name: grid
    for grid in (
        Grid("training-set-size", "5.1", "training runs, in % of all", _training_size()),
        Grid("smoothing", "5.2", "smoothing and its window", _smoothing()),
        Grid(
            "time-point-generation",
            "5.3",
            "time points",
            _varying(SIMPLE, "time_points", ("linear", "rounding")),
        ),
        Grid(
            "bounds-matcher",
            "5.4",
            "matching of bounds",
            _varying(SIMPLE, "matching", ("nearest", "interpolated")),
        ),
        Grid("simple-classifier-tuning", "5.5", "average", _varying(SIMPLE, "average", ("mean", "median"))),
        Grid(f"{_KALMAN}-averageMethod", "5.6", "average", _varying(KALMAN, "average", ("mean", "median"))),
        Grid(
            f"{_KALMAN}-processNoiseMethod",
            "5.7",
            "process noise",
            _varying(KALMAN, "process_noise", ("average-variance", "average-difference")),
        ),
        Grid(f"{_PARTICLE}-iterations", "5.9", "iterations", _varying(PARTICLE, "iterations", (1, 2, 4, 8))),
        Grid(
            f"{_PARTICLE}-resamplePercentage",
            "5.10",
            "effective share of particles below which they are sampled anew",
            _varying(PARTICLE, "resample", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        ),
        Grid(
            f"{_PARTICLE}-propagate",
            "5.11",
            "propagation of particles",
            _varying(PARTICLE, "propagation", ("none", "velocity")),
        ),
        Grid(
            f"{_PARTICLE}-weightingMethod",
            "5.12",
            "weighting of particles",
            _varying(PARTICLE, "weighting", ("pdf", "distance")),
        ),
        Grid(
            f"{_PARTICLE}-particleCount",
            "5.13",
            "particles",
            _varying(PARTICLE, "particles", (10, 100, 1000, 10000)),
        ),
        Grid("overall", "5.14", "bounds (simple, Kalman, particle) and deviations", _overall()),
    )
}
"""By the names of Appendix A."""


def runs_of(share: float, n_runs: int) -> int:
    """A share of a variant's runs as a number, at least 2; half a run counts as a whole."""
    return max(2, int(share * n_runs + HALF))
