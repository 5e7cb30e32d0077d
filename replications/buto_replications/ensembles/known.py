"""Whether prior tests of other machines hide what those of the same machine would tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from buto.judging.verdict import Status
from buto.oracle import check, settings_from, train
from buto.oracle.model import Oracle
from buto.run.model import Run, RunSet, run_set
from buto_replications.clusters.comparison import ignoring_agent
from buto_replications.design import SUBTLE
from buto_replications.ensembles.sites import COMPONENTS_DECIDE, OF_CHECK, Site, StatusShares, experiments

KNOWN = "known"
ALONE, WITH_OTHERS = "judge of three, its own runs", "judge of three, with those of others"

N_TRAINING = 7
"""Fewest runs against which three can fail at the usual alpha."""


def known(some: Sequence[Site]) -> Iterator[StatusShares]:
    """Yield how a check of each experiment ends, by training runs of its own environment and of all.

    Environments with too few runs of any variant are left out, and nothing is judged if only one is left. All
    checks are of three runs.
    """
    enough = [site for site in some if min(map(len, site.runs.values())) > N_TRAINING]
    enough = enough if len(enough) > 1 else []
    settings = replace(ignoring_agent(settings_from({})), metadata=COMPONENTS_DECIDE)

    @cache
    def oracle(training: str, places: tuple[int, ...]) -> Oracle:
        return train(
            _of_one_test([run for place in places for run in enough[place].runs[training][:N_TRAINING]]),
            settings,
        )

    for place, site in enumerate(enough):
        for experiment in experiments(enough):
            good, bad = site.runs[experiment.training][N_TRAINING:], site.runs[experiment.negative]
            if min(len(good), len(bad)) < OF_CHECK:
                continue
            for method, places in ((ALONE, (place,)), (WITH_OTHERS, tuple(range(len(enough))))):
                learned = oracle(experiment.training, places)
                fine, changed = (_status(learned, runs[:OF_CHECK]) for runs in (good, bad))
                yield StatusShares(
                    site.name,
                    KNOWN,
                    experiment.training,
                    experiment.negative,
                    experiment in SUBTLE,
                    N_TRAINING * len(places),
                    method,
                    fine,
                    changed,
                    fine,
                    changed,
                )


def _status(oracle: Oracle, runs: Sequence[Run]) -> tuple[Status, ...]:
    return (check(oracle, _of_one_test(runs)).status,)


def _of_one_test(runs: Sequence[Run]) -> RunSet:
    return run_set([replace(run, test="variant") for run in runs])
