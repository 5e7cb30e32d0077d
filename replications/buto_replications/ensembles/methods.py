"""What the paper's methods and buto's own flag in a run of the bed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.errors import JudgeError
from buto.judging.load.observed import RATES
from buto.judging.settings import Settings, judges
from buto.judging.verdict import Status, Verdict
from buto.oracle import check, settings_from, train
from buto.run.model import FloatArray, Run, run_set
from buto.run.properties import Property
from buto_replications.bed.watched import common, is_counter, only_watched
from buto_replications.clusters.comparison import ignoring_agent
from buto_replications.design import SUBTLE, Experiment
from buto_replications.detectors.ensemble.mining import MOST_INTERVALS, interval_for, intervals_of
from buto_replications.detectors.ensemble.rules import BoolArray, Ensemble, Judging, judge, learn
from buto_replications.detectors.ensemble.settings import (
    DEVIATIONS,
    ENVIRONMENT,
    FEWEST,
    FOO,
    MACHINES,
    environment_of,
    judging_of,
    learning_of,
)
from buto_replications.detectors.machines.numbers import Work, learn_work, quantity_of
from buto_replications.ensembles.scenarios import Scenario
from buto_replications.ensembles.sites import COMPONENTS, NEVER_SEEN, Site, StatusShares, experiments
from buto_replications.rivals import levels, p_values

N_EACH, N_JUDGED = 4, 4
"""Runs of a variant that train in each environment, and that are judged; mining takes time."""

SINGLE, BAGGING, STACKING = "rules, one model", "rules, bagging", "rules, stacking"
PAPERS = (SINGLE, BAGGING, STACKING)


def rules_left_out(some: Sequence[Site]) -> Iterator[StatusShares]:
    """Yield the results of every experiment with each environment left out, single runs only."""
    for site in some:
        others = [other_site for other_site in some if other_site.environment != site.environment]
        models: dict[str, _Models] = {}
        for experiment in experiments(some):
            if experiment.training not in models:
                models[experiment.training] = _Models(site, others, experiment)
            yield from models[experiment.training].shares(site, experiment)


class _Models:
    """What each method learned of one variant in other environments."""

    def __init__(self, site: Site, others: Sequence[Site], experiment: Experiment) -> None:
        runs = [run for other in others for run in other.runs[experiment.training][:N_EACH]]
        self._trained = len(runs)
        self._properties = _common_properties([*runs, site.runs[experiment.training][0]])
        self._step = interval_for(run_set([replace(run, test=experiment.program) for run in runs]))
        values = [self._values(run) for run in runs]
        kept = [~np.isnan(value).all(axis=0) for value in values]
        self._kept = np.all(kept, axis=0)
        tests = [
            (run.id, environment_of(run.metadata, FOO), value[:, self._kept])
            for run, value in zip(runs, values, strict=True)
        ]
        how = learning_of(FOO)
        self._each = learn(tests, how)
        self._one = learn([("all", {}, np.vstack([value for _, _, value in tests]))], how)

    def shares(self, site: Site, experiment: Experiment) -> Iterator[StatusShares]:
        """Yield how each method judges the runs of an experiment."""
        usual = judging_of(FOO)
        bagging = Judging(usual.change, stacking=False, ranges=usual.ranges)
        ways = {SINGLE: (self._one, bagging), BAGGING: (self._each, bagging), STACKING: (self._each, usual)}
        groups = [site.runs[name][:N_JUDGED] for name in (experiment.training, experiment.negative)]
        for method, (ensemble, how) in ways.items():
            good, bad = (tuple(self._status(ensemble, how, run) for run in runs) for runs in groups)
            yield StatusShares(
                site.name,
                NEVER_SEEN,
                experiment.training,
                experiment.negative,
                experiment in SUBTLE,
                self._trained,
                method,
                good,
                bad,
                good,
                bad,
            )

    def _status(self, ensemble: Ensemble, how: Judging, run: Run) -> Status:
        values = self._values(run)[:, self._kept]
        judgement = judge(ensemble, environment_of(run.metadata, FOO), values, how)
        return Status.REGRESSION if judgement.flagged.any() else Status.PASS

    def _values(self, run: Run) -> FloatArray:
        return intervals_of(run, self._properties, self._step)


def _common_properties(runs: Sequence[Run]) -> tuple[Property, ...]:
    names = set.intersection(*({prop.name for prop in run.properties} for run in runs))
    chosen = [prop for prop in runs[0].properties if prop.name in names and judges(FOO, prop)]
    return tuple(sorted(chosen, key=lambda prop: prop.name))


@dataclass(frozen=True, slots=True)
class FlaggedCounters:
    """What a method says of a run.

    Attributes:
        counters: the flagged ones; none if it cannot judge.
        status: of the whole test; None if the method cannot judge, for example another environment.
    """

    counters: frozenset[str]
    status: Status | None


NOT_JUDGED = FlaggedCounters(frozenset(), None)


def flagged(properties: Sequence[Property], which: BoolArray) -> FlaggedCounters:
    """Return these counters as flagged: a regression if there are any, else a pass."""
    names = frozenset(properties[place].name for place in np.flatnonzero(which).tolist())
    return FlaggedCounters(names, Status.REGRESSION if names else Status.PASS)


UNLIKE = replace(
    FOO, values={**FOO.values, ENVIRONMENT: list(COMPONENTS), FEWEST: 29, DEVIATIONS: 4.0, MACHINES: True}
)
"""The paper's rules for short runs of unlike machines: what prior tests differ in means nothing."""

PLAIN = "foo"
"""Stacking with the paper's parameters; the others have those of UNLIKE. Of these,
``prior-deviations`` and ``machine-factor`` do nothing for one model: it learns all prior tests as one."""

INTERVAL_S, SHORT_INTERVAL_S = 5.0, 0.5
"""Length of an interval: the paper's, and that of runs which have 720 of the shorter ones."""


def interval_of(run: Run) -> float:
    return SHORT_INTERVAL_S if run.times_s[-1] > 0.99 * MOST_INTERVALS * SHORT_INTERVAL_S else INTERVAL_S


@dataclass(frozen=True, slots=True)
class Case:
    """What a scenario judges: the counters that all of its runs have, and what counts their work.

    Attributes:
        step_s: length of an interval of the paper's methods.
    """

    prior: tuple[Run, ...]
    new: Run
    properties: tuple[Property, ...]
    work: Work | None
    step_s: float


def case_of(scenario: Scenario, step_s: float | None = None) -> Case:
    """Return what a scenario judges, in intervals of this length or of the usual one."""
    prior = tuple(only_watched(run.run) for run in scenario.prior)
    new = only_watched(scenario.judged.run)
    work = learn_work(prior, [RATES])
    return Case(prior, new, common([*prior, new]), work, step_s or interval_of(new))


def by_rules(case: Case) -> dict[str, FlaggedCounters]:
    """Return what the paper's methods flag, with one model of all prior tests, or one of each."""
    rules = PriorTests(case, case.work, UNLIKE)
    each = rules.of_each()
    return {
        SINGLE: rules.flagged(rules.of_all(), stacking=False),
        BAGGING: rules.flagged(each, stacking=False),
        STACKING: rules.flagged(each, stacking=True),
    }


def by_plain_rules(case: Case) -> FlaggedCounters:
    """Return what stacking flags with the paper's parameters."""
    rules = PriorTests(case, None, FOO)
    return rules.flagged(rules.of_each(), stacking=True)


class PriorTests:
    """The intervals of prior tests and of a new one, for the paper's methods.

    Args:
        work: by which growth is scaled; None: it is not.
        settings: whose thresholds the rules have.
    """

    def __init__(self, case: Case, work: Work | None, settings: Settings) -> None:
        prior, new, properties = case.prior, case.new, case.properties
        values = [intervals_of(run, properties, case.step_s, work) for run in (*prior, new)]
        read = ~np.isnan(np.vstack(values)).all(axis=0)
        kept = np.flatnonzero(
            read & ~np.array([np.isnan(value).all(axis=0) for value in values[:-1]]).any(axis=0)
        )
        self._properties = [properties[place] for place in kept.tolist()]
        environments = [environment_of(run.metadata, settings) for run in prior]
        self._tests = [
            (run.id, environment, value[:, kept])
            for run, environment, value in zip(prior, environments, values, strict=False)
        ]
        self._new = values[-1][:, kept]
        self._environment = environment_of(new.metadata, settings)
        self._how, self._usual = learning_of(settings), judging_of(settings)

    def of_each(self) -> Ensemble:
        """Return one model of each prior test."""
        return learn(self._tests, self._how, self._times)

    def of_all(self) -> Ensemble:
        """Return one model of all prior tests, which knows nothing of environments."""
        return learn([("all", {}, np.vstack([value for *_, value in self._tests]))], self._how, self._times)

    def flagged(self, model: Ensemble, *, stacking: bool) -> FlaggedCounters:
        """Return what a model of these prior tests says of the new one."""
        judgement = judge(model, self._environment, self._new, replace(self._usual, stacking=stacking))
        return flagged(self._properties, judgement.flagged)

    @property
    def _times(self) -> BoolArray:
        return np.array([prop.unit == "s" for prop in self._properties])


ALPHA = 0.1
"""One run in ten, because some ten prior tests cannot tell less from chance."""

EACH, JUDGE = "each counter, Bonferroni", "judge"
METHODS = (*PAPERS, PLAIN, EACH, JUDGE)
PROMISING = (EACH, JUDGE)
"""These promise that at most a share ALPHA of unchanged runs fail."""

_SETTINGS = ignoring_agent(settings_from({"alpha": ALPHA}))

TEST = "keycloak"
"""All runs are of this test for an oracle; each was a test of its own."""


def judged(case: Case) -> dict[str, FlaggedCounters]:
    """Return what each method flags."""
    flags = by_rules(case)
    flags[PLAIN] = by_plain_rules(case)
    flags[EACH] = by_each(case)
    flags[JUDGE] = _by_judge(case.prior, case.new)
    return flags


def by_each(case: Case) -> FlaggedCounters:
    """Return the counters whose level differs from all prior tests by Student's t, with Bonferroni."""
    if len(case.prior) < 2:
        return NOT_JUDGED
    before, new = (levels(runs, case.properties, case.work) for runs in (case.prior, [case.new]))
    return flagged(case.properties, p_values(before, new)[0] <= ALPHA / len(case.properties))


def _by_judge(prior: Sequence[Run], new: Run) -> FlaggedCounters:
    try:
        oracle = train(run_set([replace(run, test=TEST) for run in prior]), _SETTINGS)
        verdict = check(oracle, run_set([replace(new, test=TEST)]))
    except JudgeError:
        return NOT_JUDGED
    if verdict.status is Status.INCONCLUSIVE and verdict.p_value is None:
        return NOT_JUDGED
    return FlaggedCounters(_name(verdict, new), verdict.status)


def _name(verdict: Verdict, run: Run) -> frozenset[str]:
    """Return the counters that findings name; a quantity stands for the properties that are added up."""
    subjects = {finding.subject for finding in verdict.findings}
    return frozenset(
        prop.name
        for prop in run.properties
        if is_counter(prop) and not subjects.isdisjoint({prop.name, quantity_of(prop).name})
    )
