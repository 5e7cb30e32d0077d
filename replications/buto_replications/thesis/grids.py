"""The thirteen experiments of Appendix A: what each varies, and what is fixed.

Source: thesis, sections 3.4, 4.4 and 5.1 to 5.6, Tables 4.1 to 4.6. Sizes are shares of the recorded
runs; the thesis has a hundred of each variant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from buto.judging.thesis.pipeline import PipelineSettings

HALF = 0.5
SPLITS = 10
FAIL, IGNORE = "fail", "ignore"
MAIN, JVM = "main", "jvm"


@dataclass(frozen=True, slots=True)
class Method:
    """How runs train and are judged.

    Attributes:
        training: share of a variant's runs that train.
        test: share of the runs that are judged; None for all that do not train.
        outside_model: what a sample at a time outside the model does: ``fail`` rejects the run, as in the
            thesis (section 5.6.2 shows four such runs); ``ignore`` leaves the sample out.
        clock: start of time: ``main``, as buto records it, or the start of the ``jvm``, as in the thesis.
        splits: how often the runs are divided.
    """

    pipeline: PipelineSettings
    training: float = HALF
    test: float | None = None
    outside_model: str = FAIL
    clock: str = MAIN
    splits: int = SPLITS


@dataclass(frozen=True, slots=True)
class GridConfiguration:
    """One line of a table.

    Attributes:
        label: as in :mod:`buto_replications.thesis.published`.
    """

    label: str
    method: Method


@dataclass(frozen=True, slots=True)
class Grid:
    """One experiment of Appendix A.

    Attributes:
        varies: what differs between the configurations, in words.
        more: configurations that the thesis does not have.
    """

    name: str
    table: str
    varies: str
    configurations: tuple[GridConfiguration, ...]
    more: tuple[GridConfiguration, ...] = ()

    @property
    def all(self) -> tuple[GridConfiguration, ...]:
        return (*self.configurations, *self.more)


PREPARATION = PipelineSettings(smoothing="mean", window=9, time_points="linear", matching="nearest")
SIMPLE = replace(PREPARATION, bounds="simple", average="mean", deviations=4.0)
KALMAN = replace(
    PREPARATION, bounds="kalman", average="mean", process_noise="average-variance", deviations=8.0
)
"""The thesis does not state the deviations for tuning the Kalman filter; eight are the best in Table 5.16."""
LISTED = replace(KALMAN, bounds="kalman-listing")
"""The filter of the listings, except for the process noise, which Listing C.1 forgets to call."""
PARTICLE = replace(
    PREPARATION,
    bounds="particle",
    average="mean",
    iterations=8,
    resample=0.6,
    propagate="velocity",
    weighting="density",
    particles=1000,
    deviations=6.0,
)
"""Table 5.8."""

TRAINING_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
VALIDATION_SHARE = 0.2
"""For the first experiment, which judges the same runs for all sizes."""
WINDOWS = (3, 5, 9, 17)
DEVIATIONS = tuple(range(2, 21, 2))
WEIGHTINGS = {"pdf": "density", "distance": "distance"}
"""By the thesis's name of a weighting, its name in the settings."""

SPLITS_OF_PARTICLES = 1
"""A particle filter takes a thousand times as long as other bounds. The thesis, too, divides once."""
SPLITS_OF_OVERALL = 5


def _varying(
    fixed: PipelineSettings, setting: str, values: Iterable[str | int | float]
) -> list[GridConfiguration]:
    splits = SPLITS_OF_PARTICLES if fixed.bounds == "particle" else SPLITS
    fields: dict[str, Any] = asdict(fixed)
    return [
        GridConfiguration(str(value), Method(PipelineSettings(**fields | {setting: value}), splits=splits))
        for value in values
    ]


def _smoothing() -> list[GridConfiguration]:
    return [
        *_varying(SIMPLE, "smoothing", ("none",)),
        *(
            GridConfiguration(f"{method}-{window}", Method(replace(SIMPLE, smoothing=method, window=window)))
            for method in ("mean", "median")
            for window in WINDOWS
        ),
    ]


def _weighting() -> list[GridConfiguration]:
    named = zip(WEIGHTINGS, _varying(PARTICLE, "weighting", WEIGHTINGS.values()), strict=True)
    return [replace(grid_configuration, label=label) for label, grid_configuration in named]


def _training_size() -> list[GridConfiguration]:
    return [
        GridConfiguration(f"{round(100 * share)}", Method(SIMPLE, share, VALIDATION_SHARE))
        for share in TRAINING_SHARES
    ]


def _deviating(letter: str, fixed: PipelineSettings) -> list[GridConfiguration]:
    return [
        GridConfiguration(
            f"{letter}-{deviations}",
            Method(replace(fixed, deviations=float(deviations)), splits=SPLITS_OF_OVERALL),
        )
        for deviations in DEVIATIONS
    ]


BEST = Method(replace(SIMPLE, deviations=20.0), splits=SPLITS_OF_OVERALL)
"""The best method of Table 5.14; the method ``thesis``."""
FROM_JVM_START, REACHING = "S-20, time from the JVM's start", "S-20, times outside the model ignored"

_MORE = (
    *_deviating("L", LISTED),
    GridConfiguration(FROM_JVM_START, replace(BEST, clock=JVM)),
    GridConfiguration(REACHING, replace(BEST, outside_model=IGNORE)),
)


def _grid(name: str, table: str, varies: str, configurations: Iterable[GridConfiguration]) -> Grid:
    return Grid(name, table, varies, tuple(configurations))


_KALMAN = "kalman-classifier-tuning"
_PARTICLE = "particle-classifier-tuning"

GRIDS: dict[str, Grid] = {
    grid.name: grid
    for grid in (
        _grid("training-set-size", "5.1", "training runs, in % of all", _training_size()),
        _grid("smoothing", "5.2", "smoothing and its window", _smoothing()),
        _grid(
            "time-point-generation",
            "5.3",
            "time points",
            _varying(SIMPLE, "time_points", ("linear", "rounding")),
        ),
        _grid(
            "bounds-matcher",
            "5.4",
            "matching of bounds",
            _varying(SIMPLE, "matching", ("nearest", "interpolated")),
        ),
        _grid("simple-classifier-tuning", "5.5", "average", _varying(SIMPLE, "average", ("mean", "median"))),
        _grid(f"{_KALMAN}-averageMethod", "5.6", "average", _varying(KALMAN, "average", ("mean", "median"))),
        _grid(
            f"{_KALMAN}-processNoiseMethod",
            "5.7",
            "process noise",
            _varying(KALMAN, "process_noise", ("average-variance", "average-difference")),
        ),
        _grid(f"{_PARTICLE}-iterations", "5.9", "iterations", _varying(PARTICLE, "iterations", (1, 2, 4, 8))),
        _grid(
            f"{_PARTICLE}-resamplePercentage",
            "5.10",
            "effective share of particles below which they are resampled",
            _varying(PARTICLE, "resample", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        ),
        _grid(
            f"{_PARTICLE}-propagate",
            "5.11",
            "propagation of particles",
            _varying(PARTICLE, "propagate", ("none", "velocity")),
        ),
        _grid(f"{_PARTICLE}-weightingMethod", "5.12", "weighting of particles", _weighting()),
        _grid(
            f"{_PARTICLE}-particleCount",
            "5.13",
            "particles",
            _varying(PARTICLE, "particles", (10, 100, 1000, 10000)),
        ),
        Grid(
            "overall",
            "5.14",
            "bounds (simple, Kalman, particle) and deviations",
            (*_deviating("S", SIMPLE), *_deviating("K", KALMAN), *_deviating("P", PARTICLE)),
            _MORE,
        ),
    )
}
"""By the names of Appendix A."""


def grid_of(table: str) -> Grid:
    return next((grid for grid in GRIDS.values() if grid.table == table), GRIDS["overall"])


def configuration(table: str, label: str) -> GridConfiguration:
    """Return a table's configuration by its label, also one that is not printed.

    KeyError if there is none.
    """
    return {grid_configuration.label: grid_configuration for grid_configuration in grid_of(table).all}[label]


def runs_of(share: float, n_runs: int) -> int:
    """Return a share of a variant's runs as a number of runs, at least 2; halves are rounded up."""
    return max(2, int(share * n_runs + HALF))
