"""What each method flags in a run of the bed: the paper's three, a test of each counter, and the judge.

All judge the same counters. Growth is scaled to the usual number of answers, but not for the method foo. The
judge adjusts for what varies between the prior tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from buto.errors import JudgeError
from buto.judging.calibrated.load_observed import RATES, is_rate
from buto.judging.calibrated.machine_numbers import Work, learn_work, quantity_of
from buto.judging.verdict import Verdict
from buto.oracle import check, settings_from, train
from buto.run.model import FloatArray, Run, run_set
from buto.run.properties import Kind, Property
from buto_replications.clusters.comparison import ignoring_agent
from buto_replications.ensembles.bed_rules import PAPERS, PLAIN, by_plain_rules, by_rules
from buto_replications.ensembles.counters import is_counter
from buto_replications.ensembles.flagged import NOT_JUDGED, Flagged, flagged
from buto_replications.ensembles.scenarios import Scenario

ALPHA = 0.1
"""One run in ten, because some ten prior tests cannot tell less from chance."""

EACH, JUDGE = "each counter, Bonferroni", "judge"
METHODS = (*PAPERS, PLAIN, EACH, JUDGE)
PROMISING = (EACH, JUDGE)
"""These promise that at most a share ALPHA of unchanged runs fail."""

_SETTINGS = ignoring_agent(settings_from({"alpha": ALPHA}))

TEST = "keycloak"
"""All runs are of this test for an oracle; each was a test of its own."""


def judged(scenario: Scenario) -> tuple[tuple[str, ...], dict[str, Flagged]]:
    """Return the counters that all runs of a scenario have, and what each method flags."""
    prior = [_only(one.run) for one in scenario.prior]
    new = _only(scenario.judged.run)
    properties, work = _common([*prior, new]), learn_work(prior, [RATES])
    found = by_rules(prior, new, properties, work)
    found[PLAIN] = by_plain_rules(prior, new, properties)
    found[EACH] = _by_each(prior, new, properties, work)
    found[JUDGE] = _by_judge(prior, new)
    return tuple(prop.name for prop in properties), found


def _by_each(prior: Sequence[Run], new: Run, properties: Sequence[Property], work: Work | None) -> Flagged:
    """Return the counters whose level differs from all prior tests by Student's t, with Bonferroni."""
    from scipy.stats import t as students_t

    n = len(prior)
    if n < 2:
        return NOT_JUDGED
    before = np.array([_levels(run, properties, work) for run in prior])
    level = _levels(new, properties, work)
    floor = 0.01 * np.abs(before).mean(axis=0)
    error = np.hypot(before.std(axis=0, ddof=1), np.where(floor > 0, floor, 1.0)) * np.sqrt(1 + 1 / n)
    p_value = 2 * students_t.sf(np.abs(level - before.mean(axis=0)) / error, n - 1)
    return flagged(properties, p_value <= ALPHA / len(properties))


def _by_judge(prior: Sequence[Run], new: Run) -> Flagged:
    try:
        oracle = train(run_set([replace(run, test=TEST) for run in prior]), _SETTINGS)
        verdict = check(oracle, run_set([replace(new, test=TEST)]))
    except JudgeError:
        return NOT_JUDGED
    return Flagged(_named(verdict, new), verdict.status)


def _named(verdict: Verdict, run: Run) -> frozenset[str]:
    """Return the counters that findings name; a quantity stands for the properties that are added up."""
    subjects = {found.subject for found in verdict.findings}
    return frozenset(
        prop.name
        for prop in run.properties
        if is_counter(prop) and not subjects.isdisjoint({prop.name, quantity_of(prop).name})
    )


def _only(run: Run) -> Run:
    """Return a run with the counters that can be flagged, and what counts its work."""
    kept = [place for place, prop in enumerate(run.properties) if is_counter(prop) or is_rate(prop)]
    return replace(run, properties=tuple(run.properties[one] for one in kept), values=run.values[:, kept])


def _levels(run: Run, properties: Sequence[Property], work: Work | None) -> FloatArray:
    """Return one number of each counter: the growth in the window, or the mean of a gauge."""
    scale = 1.0 if work is None else float(work.scale(run, run.times_s[[0, -1]])[0])
    rows = [(run.series(prop.name), prop.kind) for prop in properties]
    return np.array([_level(values[~np.isnan(values)], kind, scale) for values, kind in rows])


def _level(values: FloatArray, kind: Kind, scale: float) -> float:
    if not len(values):
        return np.nan
    return scale * float(values[-1] - values[0]) if kind is Kind.COUNTER else float(values.mean())


def _common(runs: Sequence[Run]) -> tuple[Property, ...]:
    """Return the counters that all runs have, and that vary in any of them."""
    names = set.intersection(*({prop.name for prop in run.properties} for run in runs))
    chosen = [prop for prop in runs[0].properties if prop.name in names and is_counter(prop)]
    moving = [prop for prop in chosen if any(np.nanstd(run.series(prop.name)) > 0 for run in runs)]
    return tuple(sorted(moving, key=lambda prop: prop.name))
