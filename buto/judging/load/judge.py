"""The judge under a load that varies: what the load explains is taken out before runs are compared.

What is counted once, at the end, is compared given the number of requests: live heap, and live objects of
each class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buto.errors import JudgeError
from buto.judging.evidence import Evidence as PlainEvidence
from buto.judging.evidence import weigh
from buto.judging.features import significant
from buto.judging.findings import findings as plain_findings
from buto.judging.fitted_judge import FittedJudge, Weighed, first_look_by_rank
from buto.judging.judge_settings import NAME, JudgeSettings
from buto.judging.load.check import UnderLoad, beyond_training, under_load
from buto.judging.load.evidence import RankedCounters, most_choices
from buto.judging.load.findings import ByLoadView, explain, findings
from buto.judging.load.observed import (
    ALL_OF_PROCESS,
    COUNTED_ONCE,
    FEWEST_SAMPLES,
    OF_A_LIFETIME,
    RATES,
    REACH,
    ROWS_FOR_EACH,
    WITHOUT_ANSWERS,
    Observed,
    matching,
    observe,
    range_words,
)
from buto.judging.profile import TrainingProfile
from buto.judging.profile import learn as learn_profile
from buto.judging.profile_data import profile_of, profile_to_data
from buto.judging.protocol import Reasoning
from buto.judging.rank import training_needed
from buto.judging.readable import EACH_SECOND, Level, find_judged_properties, has, readable, see_why
from buto.judging.settings import ALSO_JUDGED, judges
from buto.judging.stored import (
    array_of,
    array_to_data,
    count_of,
    property_of,
    property_to_data,
    reading,
    size_of,
    texts_of,
)
from buto.judging.verdict import Finding, Status, Verdict
from buto.judging.views import View
from buto.judging.warnings import few_runs, too_few
from buto.run.model import FloatArray, Run, RunSet
from buto.run.patterns import fits
from buto.run.properties import LIVE_CLASSES, Kind, Property, is_exact

BY_RANK = (
    "rank alone, whatever the values are distributed like; runs need only be exchangeable given their load"
)

OBSERVATIONS = "observations"
"""The key of how many rows each run has."""

FEWEST_BESIDE = 3
"""So many runs are needed beside those that tell what each kind of requests leaves."""

ONCE = "counted_once"
"""The key of what is counted once, if there is any."""


@dataclass(frozen=True, eq=False, slots=True)
class FittedLoad(FittedJudge):
    """The observations of the training runs; models are made in each check, which treats all runs alike.

    Attributes:
        properties: the columns of the observations, by name.
        runs: of the training.
        left_out: properties that cannot be judged, each with the reason.
        once: what is counted once, at the end; None if there is nothing.
    """

    settings: JudgeSettings
    properties: tuple[Property, ...]
    runs: tuple[Observed, ...]
    left_out: Mapping[str, str]
    once: TrainingProfile | None = None

    @property
    def adjusted(self) -> str:
        """What is adjusted for, in words."""
        columns = matching(self.properties, [RATES])
        totals: FloatArray = np.array([run.rows[:, columns].mean(axis=0).sum() for run in self.runs])
        return f"adjusted for the load: {range_words(totals)} in training"

    def weigh(self, runs: RunSet) -> Weighed[RankedCounters] | Verdict:
        """Compare what the load does not explain.

        Nothing can be decided on a load beyond that of training. Runs that would fail without the training
        run that deviates most do not pass.
        """
        usable, alpha = readable(runs, self.properties), self.settings.alpha
        unread = tuple(
            f"{prop.name} could not be read in enough samples"
            for prop, read in zip(self.properties, usable, strict=True)
            if not read and not fits(prop.name, WITHOUT_ANSWERS)
        )
        blank = Verdict(Status.INCONCLUSIVE, NAME, reasons=unread, adjusted=self.adjusted)
        if any(run.n_samples < FEWEST_SAMPLES for run in runs):
            return replace(blank, reasons=("a run has fewer than two samples",))
        if not usable.any():
            return blank
        check, needed = self.examine(runs), training_needed(len(runs), alpha)
        evidence, mattering = check.evidence, check.evidence.mattering
        smallest = mattering.significance.smallest
        hidden = self._find_hidden(check, len(runs))
        beyond = beyond_training(check, REACH)
        notable = beyond or hidden or mattering.highest or mattering.p_value <= max(alpha, smallest)

        def find_named(ranked: RankedCounters) -> tuple[Finding, ...]:
            once = check.once
            others: tuple[Finding, ...] = ()
            if once is not None:
                ours = once.mattering if ranked is mattering else once.any
                others = plain_findings(once, ours, runs, self.settings)
            return (*findings(check, ranked, runs), *others) if notable or ranked is not mattering else ()

        return Weighed(
            evidence,
            find_named,
            BY_RANK,
            first_look_by_rank(evidence),
            evidence.exact.p_value,
            adjusted=self.adjusted,
            beyond=(beyond,) if beyond else (),
            too_few=too_few(len(self.runs), len(runs), alpha, needed) if alpha < smallest else "",
            runs_needed=needed,
            hidden=hidden,
            unread=unread,
        )

    def examine(self, runs: RunSet) -> UnderLoad:
        """Return the numbers between runs and verdict, for reports and experiments."""
        usable = readable(runs, self.properties)
        properties = [prop for prop, read in zip(self.properties, usable, strict=True) if read]
        known = [run.of(usable) for run in self.runs]
        new = [observe(run, properties) for run in runs]
        rates = usable[list(matching(self.properties, [RATES]))]
        requests = _requests([*known, *new], properties)
        once = self._once(runs, requests) if rates.all() else None
        return under_load(properties, known, new, self.settings, once)

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        return few_runs(len(runs), self.settings.alpha)

    def levels(self) -> Iterable[Level]:
        """Yield the mean of each gauge over each run, and how much each counter counts in a second."""
        means = np.array([run.rows.mean(axis=0) for run in self.runs])
        for prop, values in zip(self.properties, means.T, strict=True):
            yield Level.of(prop, EACH_SECOND if prop.kind is Kind.COUNTER else "mean", values)

    def view(self, runs: Sequence[Run]) -> View:
        return ByLoadView(runs, self.properties, lambda some: self.examine(RunSet(tuple(some))))

    def explain(self, verdict: Verdict) -> Reasoning:
        columns = matching(self.properties, [RATES])
        names = [self.properties[column].name for column in columns]
        return explain(verdict, len(self.properties) - len(columns), names)

    def to_data(self) -> dict[str, Any]:
        steps = np.array([run.step for run in self.runs])
        positive = np.where(steps > 0, steps, np.inf).min(axis=0)
        growth = np.vstack([run.growth for run in self.runs])
        data = observations_to_data(self.properties, [run.rows for run in self.runs], self.left_out)
        for column, (block, step) in enumerate(zip(data["properties"], positive.tolist(), strict=True)):
            block |= {"step": step} if np.isfinite(step) else {}
            block |= {"growth": growth[:, column].tolist()} if growth[:, column].any() else {}
        once = {} if self.once is None else {ONCE: profile_to_data(self.once)}
        return {"seconds": [run.stretch_s for run in self.runs], **data, **once}

    def _once(self, runs: RunSet, requests: FloatArray | None) -> PlainEvidence | None:
        """Return the evidence of what is counted once; None if some run lacks all of them.

        Args:
            requests: see :func:`_requests`.
        """
        if self.once is None:
            return None
        profile = self.once.hearing(runs.runs)
        values = np.vstack([profile.values, [profile.measure(run) for run in runs]])
        # Neither the duration nor notifications: these depend on the load.
        exact = [is_exact(profile.quantities[feature.column]) for feature in profile.catalogue]
        values = np.where(exact, values, np.nan)
        if np.isnan(values).any(axis=0).all():
            return None
        most = most_choices(self.settings.alpha)
        return weigh(profile, values, len(runs), self.settings, most=most, load=requests)

    def _find_hidden(self, check: UnderLoad, n_checked: int) -> tuple[str, ...]:
        """Return that the training run that deviates most hides a difference, if it does."""
        mattering, alpha = check.evidence.mattering, self.settings.alpha
        if not mattering.exceeded or mattering.p_value <= alpha or check.without_worst is None:
            return ()
        without = check.without_worst.mattering
        hides = without.highest if n_checked == 1 else without.p_value <= alpha
        if mattering.worst is None or not hides:
            return ()
        sentence = (
            f"training run {mattering.worst + 1} of {len(self.runs)}, in the order of their start, deviates "
            f"most and hides what is smaller: without it, p would be {without.p_value:.3g}. If you know what "
            "disturbed it, remove it, train with another in its place, and check new runs"
        )
        return (sentence,)


def _requests(runs: Sequence[Observed], properties: Sequence[Property]) -> FloatArray | None:
    """Return how many requests of each kind each run answered, shape (n_runs, n_kinds).

    If there are too many kinds for so few runs, they are one kind. None if all runs answered as many.
    """
    rates = matching(properties, [RATES])
    requests: FloatArray = np.array([run.rows[:, rates].sum(axis=0) * run.stretch_s for run in runs])
    requests = requests[:, np.ptp(requests, axis=0) > 0]
    if not requests.shape[1]:
        return None
    many = ROWS_FOR_EACH * requests.shape[1] > len(runs) - FEWEST_BESIDE
    return requests.sum(axis=1, keepdims=True) if many else requests


def learn(runs: RunSet, settings: JudgeSettings) -> FittedLoad:
    """Learn from valid runs whose load differs. Raise JudgeError if no property was read in all of them."""
    ordered = sorted(runs, key=lambda run: run.id)
    wanted = [prop for prop in runs.properties if not any(fits(prop.name, name) for name in OF_A_LIFETIME)]
    more = replace(settings, values={ALSO_JUDGED: ALL_OF_PROCESS})
    properties, left_out = find_judged_properties(ordered, wanted, more)
    if not properties or any(run.n_samples < FEWEST_SAMPLES for run in ordered):
        raise JudgeError("no property was read twice in every training run", advice=see_why(ordered[0]))
    once = [
        prop
        for prop in wanted
        if prop.name in left_out and prop.name in COUNTED_ONCE and all(has(run, prop) for run in ordered)
    ]
    profile = learn_profile(ordered, once, by_class=judges(settings, LIVE_CLASSES))
    profile = replace(profile, values=significant(profile.values))
    return FittedLoad(
        settings,
        properties,
        tuple(observe(run, properties) for run in ordered),
        {name: why for name, why in left_out.items() if name not in {prop.name for prop in once}},
        profile if once or profile.classes else None,
    )


def read(data: Mapping[str, Any], settings: JudgeSettings) -> FittedLoad:
    """Return what was stored by :meth:`FittedLoad.to_data`; raise BadFileError for data of another shape."""
    properties, rows, left_out = observations_of(data)
    with reading("the observations"):
        seconds = [size_of(run_seconds) for run_seconds in data["seconds"]]
        steps = np.array([size_of(block.get("step", 0.0)) for block in data["properties"]])
        lengths = [len(row) for row in rows]
        growth = np.array([array_of(block.get("growth", 0.0), sum(lengths)) for block in data["properties"]])
        growths = np.split(growth.T, np.cumsum(lengths)[:-1])
        runs = [Observed(*row) for row in zip(rows, seconds, [steps] * len(rows), growths, strict=True)]
        once = profile_of(data[ONCE]) if ONCE in data else None
    return FittedLoad(settings, properties, tuple(runs), left_out, once)


def observations_to_data(
    properties: Sequence[Property], runs: Sequence[FloatArray], left_out: Mapping[str, str]
) -> dict[str, Any]:
    """Return observations of runs, shape (n_observations, n_properties) each, as plain data."""
    together = np.vstack(runs)
    return {
        OBSERVATIONS: [len(run) for run in runs],
        "properties": [
            {**property_to_data(prop), "values": array_to_data(together[:, column])}
            for column, prop in enumerate(properties)
        ],
        "left_out": dict(sorted(left_out.items())),
    }


def observations_of(
    data: Mapping[str, Any],
) -> tuple[tuple[Property, ...], tuple[FloatArray, ...], dict[str, str]]:
    """Invert :func:`observations_to_data`; raise BadFileError for data of another shape."""
    with reading("the observations"):
        counts = [count_of(observation, "observations of a run") for observation in data[OBSERVATIONS]]
        properties = tuple(map(property_of, data["properties"]))
        columns = np.array([array_of(block["values"], sum(counts)) for block in data["properties"]])
        if not counts or not properties:
            raise ValueError("there are none")
        rows = tuple(np.split(columns.T.copy(), np.cumsum(counts)[:-1]))
        return properties, rows, texts_of(data["left_out"])
