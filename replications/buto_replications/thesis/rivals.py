"""Plain rivals on the runs, the splits and the experiments of the thesis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from buto.run.model import FloatArray, IntArray, RunSet
from buto_replications.design import EXPERIMENTS, PROGRAMS
from buto_replications.rivals import RIVALS, Rival, levels
from buto_replications.scores import MCC, standard_error, tally
from buto_replications.thesis.batch_judging import in_thesis, judged_properties
from buto_replications.thesis.evaluation import SEED, divided
from buto_replications.thesis.grids import HALF, SPLITS


@dataclass(frozen=True, slots=True)
class RivalScore:
    """How well a rival tells changed variants.

    Attributes:
        rejected, missed: shares of the unchanged runs that fail, and of the changed ones that pass.
        mcc: with its standard error.
        runs: number of different runs that were judged.
    """

    rival: str
    rejected: float
    missed: float
    mcc: tuple[float, float]
    runs: int


def rivals(runs: Mapping[str, RunSet], seed: int = SEED) -> Iterator[RivalScore]:
    """Yield the score of each rival by all properties together; half of a variant's runs train.

    Args:
        runs: by variant, of all programs.
    """
    usable = {name: some.valid() for name, some in runs.items()}
    variants = [name for of in PROGRAMS.values() for name in of]
    n_runs = min(len(usable[name]) for name in variants)
    values: dict[str, FloatArray] = {}
    for of in PROGRAMS.values():
        every = [run for name in of for run in usable[name].runs[:n_runs]]
        properties = [prop for prop in judged_properties(every) if in_thesis(prop)]
        numbers = levels(every, properties)
        read = ~np.isnan(numbers).any(axis=0)
        values |= dict(zip(of, np.split(numbers[:, read], len(of)), strict=True))
    strata = np.repeat(np.arange(len(variants)), n_runs)
    divisions = divided(variants, n_runs, (HALF, None), SPLITS, seed)
    for rival in RIVALS:
        counts = sum(
            (_counts(rival, values, variants, n_runs, split.training, split.test) for split in divisions),
            start=np.zeros((len(strata), 4), dtype=np.int64),
        )
        tp, fn, tn, fp = counts.sum(axis=0).tolist()
        score = float(MCC.value(counts.sum(axis=0))), standard_error(MCC, counts, strata)
        yield RivalScore(
            rival.title, fn / (tp + fn), fp / (tn + fp), score, int((counts.sum(axis=1) > 0).sum())
        )


def _counts(
    rival: Rival,
    values: Mapping[str, FloatArray],
    variants: list[str],
    n_runs: int,
    training: Mapping[str, IntArray],
    test: Mapping[str, IntArray],
) -> IntArray:
    """Return the judgements of every experiment in one split, by run; see :func:`tally`."""
    judgements = np.zeros((len(variants) * n_runs, 4), dtype=np.int64)
    for experiment in EXPERIMENTS:
        prior = values[experiment.training][training[experiment.training]]
        for name in (experiment.training, experiment.negative):
            accepted = rival.worst(prior, values[name][test[name]], 1) <= rival.limit
            numbers = variants.index(name) * n_runs + test[name]
            positive = np.full(len(numbers), name == experiment.training)
            judgements += tally(numbers, positive, accepted, len(judgements))
    return judgements
