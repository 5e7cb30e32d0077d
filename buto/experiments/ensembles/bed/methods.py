"""What each method flags in a run of the bed: the paper's three, a test of each counter, and two oracles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.detectors.ensemble import settings as ensemble_settings
from buto.detectors.ensemble.intervals import intervals_of
from buto.detectors.ensemble.model import Judging, judge, learn
from buto.detectors.ensemble.settings import FOO, environment_of, judging_of, learning_of
from buto.detectors.ensemble.whole.numbers import quantity_of
from buto.errors import JudgeError
from buto.experiments.bed.labels import together
from buto.experiments.ensembles.bed.counters import is_counter
from buto.experiments.ensembles.bed.scenarios import Scenario
from buto.experiments.ensembles.rules import BAGGING, SINGLE, STACKING
from buto.oracle import Settings, check, settings_from, train
from buto.properties import Kind, Property
from buto.runs import FloatArray, Run
from buto.verdicts import Status, Verdict

INTERVAL_S = 5.0
"""Length of an interval of the rules, as in the paper."""

RESOLUTION = 0.5
"""Smallest difference that counts for the rules, as a share of a counter's largest value."""

ALPHA = 0.1
"""One run in ten, because some ten prior tests cannot tell less from chance."""

EACH, ENSEMBLE, CALIBRATED = "each counter, Bonferroni", "preset ensemble", "preset calibrated"
PAPERS = (SINGLE, BAGGING, STACKING)
METHODS = (*PAPERS, EACH, ENSEMBLE, CALIBRATED)

RULES = replace(FOO, values={**FOO.values, ensemble_settings.RESOLUTION: RESOLUTION})
"""The preset ``foo`` with this resolution."""

_ORACLES: Mapping[str, Settings] = {
    ENSEMBLE: settings_from({"preset": "ensemble", "alpha": ALPHA}),
    CALIBRATED: settings_from({"preset": "calibrated", "alpha": ALPHA}),
}


@dataclass(frozen=True, slots=True)
class Flagged:
    """What a method says of a run.

    Attributes:
        counters: the flagged ones; none if it cannot judge.
        status: of the whole test; None if the method cannot judge, for example another environment.
    """

    counters: frozenset[str]
    status: Status | None


def judged(scenario: Scenario) -> tuple[tuple[str, ...], dict[str, Flagged]]:
    """Return the counters that all runs of a scenario have, and what each method flags."""
    properties = _common([one.run for one in (*scenario.prior, scenario.judged)])
    found = _by_rules(scenario, properties)
    found[EACH] = _by_each(scenario, properties)
    found |= {name: _by_oracle(name, scenario) for name in _ORACLES}
    return tuple(prop.name for prop in properties), found


def _by_rules(scenario: Scenario, properties: Sequence[Property]) -> dict[str, Flagged]:
    """Return what the paper's methods flag, with one model of all prior tests, or one of each."""
    values = [intervals_of(one.run, properties, INTERVAL_S) for one in scenario.prior]
    new = intervals_of(scenario.judged.run, properties, INTERVAL_S)
    read = ~np.isnan(np.vstack([*values, new])).all(axis=0)
    kept = np.flatnonzero(read & ~np.array([np.isnan(one).all(axis=0) for one in values]).any(axis=0))
    tests = [
        (one.run.id, environment_of(one.run.metadata, FOO), value[:, kept])
        for one, value in zip(scenario.prior, values, strict=True)
    ]
    how, usual = learning_of(RULES), judging_of(RULES)
    each = learn(tests, how)
    together_ = learn([("all", {}, np.vstack([value for _, _, value in tests]))], how)
    bagging = Judging(usual.change, stacking=False, ranges=usual.ranges)
    environment = environment_of(scenario.judged.run.metadata, FOO)
    found = {}
    for name, model, way in ((SINGLE, together_, bagging), (BAGGING, each, bagging), (STACKING, each, usual)):
        flagged = np.flatnonzero(judge(model, environment, new[:, kept], way).flagged)
        names = frozenset(properties[int(kept[place])].name for place in flagged.tolist())
        found[name] = Flagged(names, Status.REGRESSION if names else Status.PASS)
    return found


def _by_each(scenario: Scenario, properties: Sequence[Property]) -> Flagged:
    """Return the counters whose level differs from all prior tests by Student's t, with Bonferroni."""
    from scipy.stats import t as students_t

    n = len(scenario.prior)
    if n < 2:
        return Flagged(frozenset(), None)
    prior = np.array([_levels(one.run, properties) for one in scenario.prior])
    new = _levels(scenario.judged.run, properties)
    floor = 0.01 * np.abs(prior).mean(axis=0)
    error = np.hypot(prior.std(axis=0, ddof=1), np.where(floor > 0, floor, 1.0)) * np.sqrt(1 + 1 / n)
    p_value = 2 * students_t.sf(np.abs(new - prior.mean(axis=0)) / error, n - 1)
    flagged = np.flatnonzero(p_value <= ALPHA / len(properties))
    names = frozenset(properties[place].name for place in flagged.tolist())
    return Flagged(names, Status.REGRESSION if names else Status.PASS)


def _by_oracle(name: str, scenario: Scenario) -> Flagged:
    try:
        verdict = check(train(together(scenario.prior), _ORACLES[name]), together([scenario.judged]))
    except JudgeError:
        return Flagged(frozenset(), None)
    if name == CALIBRATED and not _is_of_one_environment(scenario):
        return Flagged(frozenset(), None)
    return Flagged(_named(verdict, scenario.judged.run), verdict.status)


def _named(verdict: Verdict, run: Run) -> frozenset[str]:
    """Return the counters that findings name; a quantity stands for the properties that are added up."""
    subjects = {found.subject for found in verdict.findings}
    return frozenset(
        prop.name
        for prop in run.properties
        if is_counter(prop) and not subjects.isdisjoint({prop.name, quantity_of(prop).name})
    )


def _is_of_one_environment(scenario: Scenario) -> bool:
    runs = (*scenario.prior, scenario.judged)
    return len({(one.labels.environment, one.labels.role.startswith("steady")) for one in runs}) == 1


def _levels(run: Run, properties: Sequence[Property]) -> FloatArray:
    """Return one number of each counter: the growth in the window, or the mean of a gauge."""
    rows = [(run.series(prop.name), prop.kind) for prop in properties]
    return np.array([_level(values[~np.isnan(values)], kind) for values, kind in rows])


def _level(values: FloatArray, kind: Kind) -> float:
    if not len(values):
        return np.nan
    return float(values[-1] - values[0]) if kind is Kind.COUNTER else float(values.mean())


def _common(runs: Sequence[Run]) -> tuple[Property, ...]:
    """Return the counters that all runs have, and that vary in any of them."""
    names = set.intersection(*({prop.name for prop in run.properties} for run in runs))
    chosen = [prop for prop in runs[0].properties if prop.name in names and is_counter(prop)]
    moving = [prop for prop in chosen if any(np.nanstd(run.series(prop.name)) > 0 for run in runs)]
    return tuple(sorted(moving, key=lambda prop: prop.name))
