"""How well the errors of the paper's models tell runs with a fault, with as many counters as in the paper.

Tables 4 and 5 of Shang et al. show the largest error of each run. Here it is computed for the watched
counters, with both ways to cut, and plain rivals score the same runs by the same counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.features import observations
from buto.judging.load.observed import RATES
from buto.judging.readable import readable
from buto.run.model import FloatArray
from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import NO_FAULT, BedRun, chosen
from buto_replications.bed.watched import common, only_watched
from buto_replications.clusters.comparison import checks, good_of
from buto_replications.clusters.errors import SHANG
from buto_replications.detectors.machines.numbers import learn_work
from buto_replications.detectors.regression_fits import PAIRS, POINTS
from buto_replications.detectors.regression_models import DISTANCE, REDUNDANT, STRETCHES, excesses, judged
from buto_replications.rivals import RIVALS, levels
from buto_replications.scores import area

PRINTED = {
    "4: No regression 1": (3, 9),
    "4: No regression 2": (3, 6),
    "4: No regression 3": (11, 1),
    "4: No regression 4": (4, 4),
    "4: No regression 5": (6, 5),
    "4: Regression 1": (44, 1622),
    "4: Regression 2": (916, 2),
    "4: Regression 3": (17, 46, 5, 1),
    "4: Regression 4": (101, 161),
    "4: Regression 5": (24, 6),
    "5: No regression 1": (3, 2, 2, 3),
    "5: Regression 1": (22, 38, 94),
    "5: Regression 2": (6, 16),
    "5: Regression 3": (8, 386, 2, 5),
    "5: Regression 4": (65, 22, 18),
    "5: Regression 5": (55, 9, 4, 4, 15),
}
"""The paper's tables 4 and 5: by table and run, the errors of its clusters in percent."""


def printed_range(*, faulty: bool) -> tuple[float, float]:
    """Return the least and the largest of the paper's largest errors, of runs with a fault or without."""
    largest = [max(errors) / 100 for run, errors in PRINTED.items() if ("No" in run) is not faulty]
    return min(largest), max(largest)


CUTS = {"cut by the textbook": POINTS, "cut on distances": PAIRS}
"""By title, see :func:`buto_replications.detectors.regression_fits.clustered`."""

MULTIPLE = ", times usual"
"""After the title: errors as multiples of the largest one of any training run that the others predict."""

STEADY, CHANGING, ALL = "one steady load", "changing loads", "all loads"

Checked = tuple[BedRun, tuple[BedRun, ...]]
"""A run, and those that train."""


@dataclass(frozen=True, slots=True)
class Separation:
    """What a method makes of runs under some loads.

    Attributes:
        counters, clusters: the least and the largest number; clusters (0, 0) for a method without any.
        unchanged, changed: the least and the largest score of these runs.
        area: under the curve of hits over false alarms, with its standard error clustered by kind of fault.
        cases: number of runs without a fault, and of kinds of faults.
    """

    loads: str
    method: str
    counters: tuple[float, float]
    clusters: tuple[float, float]
    unchanged: tuple[float, float]
    changed: tuple[float, float]
    area: tuple[float, float]
    cases: tuple[int, int]


def separations(runs: Sequence[BedRun]) -> Iterator[Separation]:
    """Yield each method's separation under each kind of load."""
    for loads, pairs in _loads(runs):
        scored = [_scores(run, others) for run, others in pairs]
        kinds = [kind_of(run.labels.fault) for run, _ in pairs]
        groups = [str(place) if kind == NO_FAULT else kind for place, kind in enumerate(kinds)]
        for method in scored[0] if scored else ():
            yield separation(loads, method, [scores[method] for scores in scored], kinds, groups)


def _loads(runs: Sequence[BedRun]) -> Iterator[tuple[str, list[Checked]]]:
    steady = chosen(runs, environment="base", role="steady")
    faulty = chosen(runs, environment="base", role="steady-fault")
    pairs = [(bed_run, tuple(run for run in steady if run is not bed_run)) for bed_run in (*steady, *faulty)]
    every = list(checks(runs, good_of(runs)))
    yield STEADY, pairs
    yield CHANGING, [pair for pair in every if pair[0].labels.role in ("good", "fault")]
    yield ALL, every


@dataclass(frozen=True, slots=True)
class SeparationScore:
    """The score of a run, from how many counters, and in how many clusters."""

    score: float
    counters: int
    clusters: int = 0


def _scores(checked: BedRun, training: Sequence[BedRun]) -> dict[str, SeparationScore]:
    """Return the largest error of any model for each way to cut, and the scores of rivals."""
    known, new = [only_watched(run.run) for run in training], only_watched(checked.run)
    properties = common([*known, new])
    enough = readable([*known, new], properties).tolist()
    properties = tuple(prop for prop, read in zip(properties, enough, strict=True) if read)
    old = [observations(run, properties, SHANG.values[STRETCHES]) for run in known]
    after = observations(new, properties, SHANG.values[STRETCHES])
    work = learn_work(known, [RATES])
    prior, now = (levels(some, properties, work) for some in (known, [new]))
    return {
        **largest_errors(old, after, [prop.name for prop in properties]),
        **by_rivals(prior, now),
    }


def by_rivals(prior: FloatArray, now: FloatArray) -> dict[str, SeparationScore]:
    """Return the scores of plain rivals, from one number of each run and counter."""
    return {
        rival.title: SeparationScore(float(rival.worst(prior, now, 1)[0]), prior.shape[1]) for rival in RIVALS
    }


def largest_errors(
    old: Sequence[FloatArray], new: FloatArray, names: Sequence[str]
) -> dict[str, SeparationScore]:
    """Return the largest error of any model, for each way to cut, and as a multiple of usual ones.

    Args:
        old: for each training run, shape (n_observations, n_counters).
        new: shape (n_observations, n_counters).
    """
    scores = {}
    for title, of in CUTS.items():
        values = SHANG.values
        models = list(judged(old, new, names, values[REDUNDANT], values[DISTANCE], of))
        errors = [model.new.absolute for model in models if model.predictors]
        scores[title] = SeparationScore(max(errors, default=0.0), len(names), len(models))
        multiples, _ = excesses(models, "absolute")
        scores[f"{title}{MULTIPLE}"] = SeparationScore(float(multiples.max()), len(names), len(models))
    return scores


def separation(
    loads: str, method: str, of_runs: Sequence[SeparationScore], kinds: Sequence[str], groups: Sequence[str]
) -> Separation:
    """Return what a method makes of runs.

    Args:
        kinds: of fault, for each run; :data:`NO_FAULT` for none.
        groups: for each run; runs of one group depend on each other.
    """
    scores, changed = (
        np.array([score.score for score in of_runs]),
        np.array([kind != NO_FAULT for kind in kinds]),
    )
    of_area = [*np.array(groups)[~changed].tolist(), *np.array(groups)[changed].tolist()]
    return Separation(
        loads,
        method,
        _range([score.counters for score in of_runs]),
        _range([score.clusters for score in of_runs]),
        _range(scores[~changed]),
        _range(scores[changed]),
        area(scores[~changed], scores[changed], of_area),
        (int((~changed).sum()), len(set(kinds) - {NO_FAULT})),
    )


def _range(values: FloatArray | Sequence[int]) -> tuple[float, float]:
    return float(min(values, default=np.nan)), float(max(values, default=np.nan))
