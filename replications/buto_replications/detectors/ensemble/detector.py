"""The ensemble of association rules: judges a run by prior tests from unlike environments.

Each training run is a prior test with rules between its counters, see
:mod:`buto_replications.detectors.ensemble.rules`. A new run is held against the rules of each, and the prior
tests vote on every counter, those of like environments with more weight (Foo and
others, ICSE 2015). See ``replications/docs/foo.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from buto.errors import JudgeError
from buto.judging.protocol import Detector, FittedDetector, Reasoning
from buto.judging.settings import Settings, judges
from buto.judging.verdict import Status, Verdict
from buto.judging.views import View
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import Kind
from buto.steps import Action, Advice, Step
from buto_replications.detectors.ensemble import data as ensemble_data
from buto_replications.detectors.ensemble.data import LearnedEnsemble
from buto_replications.detectors.ensemble.findings import (
    explain,
    findings,
    not_comparable,
    of_judgement,
    of_training,
)
from buto_replications.detectors.ensemble.mining import interval_for, intervals_of
from buto_replications.detectors.ensemble.rules import Judgement, judge, learn
from buto_replications.detectors.ensemble.settings import (
    FOO,
    INTERVAL,
    KEYS,
    WORK,
    EnsembleView,
    environment_of,
    judging_of,
    learning_of,
)
from buto_replications.detectors.machines.numbers import learn_work, unknown_work

MOST_UNREAD = 1 / 3
"""If more intervals of a counter are missing, the run cannot pass, because only the rest is judged."""


@dataclass(frozen=True, eq=False, slots=True)
class FittedEnsemble(FittedDetector):
    """The rules of all prior tests."""

    settings: Settings
    learned: LearnedEnsemble

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        A regression if a counter is flagged in most of them, unless the environment may be the cause. Else
        inconclusive if a counter could not be read in a large part of a run; else a pass.
        """
        if not len(runs):
            raise JudgeError("there is no run to judge")
        intervals = [self.intervals(run) for run in runs]
        unread = tuple(
            dict.fromkeys(
                sentence
                for run, values in zip(runs, intervals, strict=True)
                for sentence in self._unread(run, values)
            )
        )
        judged = [
            (run, self.judgement(run, values))
            for run, values in zip(runs, intervals, strict=True)
            if len(values)
        ]
        how = judging_of(self.settings)
        flags = findings(self.learned, judged, how) if judged else ()
        ensemble = self.learned.ensemble
        asked = [(environment_of(run.metadata, self.settings), judgement) for run, judgement in judged]
        unlike = {not_comparable(ensemble, *counter) for counter in asked} - {""} if flags else set()
        reasons = (*sorted(unlike), *unread)
        status = Status.REGRESSION if flags and not unlike else Status.PASS
        if status is Status.PASS and reasons:
            status = Status.INCONCLUSIVE
        is_inconclusive = status is Status.INCONCLUSIVE
        likeness = dict.fromkeys(
            sentence for counter in asked for sentence in of_judgement(ensemble, *counter, how)
        )
        return Verdict(
            status,
            self.settings.method,
            flags,
            reasons=reasons if is_inconclusive else (),
            warnings=(*(() if is_inconclusive else unread), *likeness),
        )

    def intervals(self, run: Run) -> FloatArray:
        """Return a run's values in intervals, shape (n_intervals, n_counters)."""
        return intervals_of(run, self.learned.properties, self.learned.interval_s, self.learned.work)

    def judgement(self, run: Run, values: FloatArray) -> Judgement:
        """Return what the prior tests say of a run with these values in intervals."""
        environment = environment_of(run.metadata, self.settings)
        return judge(self.learned.ensemble, environment, values, judging_of(self.settings))

    @property
    def left_out(self) -> Mapping[str, str]:
        return self.learned.left_out

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        return of_training(self.learned.ensemble)

    def view(self, runs: Sequence[Run]) -> View:
        return EnsembleView(runs, self.learned.properties, self._votes)

    def explain(self, verdict: Verdict) -> Reasoning:
        return explain(verdict, self.learned, judging_of(self.settings))

    def to_data(self) -> dict[str, Any]:
        return ensemble_data.write(self.learned)

    def _votes(self, run: Run) -> FloatArray:
        values = self.intervals(run)
        if not len(values):
            return np.full(values.shape[1], np.nan)
        return self.judgement(run, values).share

    def _unread(self, run: Run, values: FloatArray) -> list[str]:
        if not len(values):
            return [f"run {run.id} has no samples"]
        shares = np.isnan(values).mean(axis=0)
        unread = [
            (self.learned.properties[place], shares[place]) for place in np.flatnonzero(shares > MOST_UNREAD)
        ]
        unknown = unknown_work(self.learned.work, [run])
        return [
            unknown
            if unknown and prop.kind is Kind.COUNTER
            else f"{prop.name} could not be read in {share:.0%} of {run.id}"
            for prop, share in unread
        ]


class FooDetector(Detector[Settings]):
    """Learns a :class:`FittedEnsemble`."""

    name = FOO.method
    defaults = FOO
    keys = KEYS
    exchangeable = False

    def fit(self, runs: RunSet) -> FittedEnsemble:
        """Learn from valid runs of any environments. Raise JudgeError if no property was read in all."""
        runs = RunSet(tuple(sorted(runs, key=lambda run: run.id)))
        interval_s = self.settings.values.get(INTERVAL) or interval_for(runs)
        work = learn_work(runs.runs, self.settings.values[WORK])
        given = set() if work is None else set(work.names)
        judged = (prop for prop in runs.properties if judges(self.settings, prop) and prop.name not in given)
        wanted = sorted(judged, key=lambda prop: prop.name)
        values = [intervals_of(run, wanted, interval_s, work) for run in runs]
        without = [
            sum(bool(np.isnan(run_values[:, place]).all()) for run_values in values)
            for place in range(len(wanted))
        ]
        unknown = unknown_work(work, runs)
        left_out = {
            prop.name: unknown
            if unknown and prop.kind is Kind.COUNTER
            else f"not read in {'any' if number == len(runs) else f'{number} of {len(runs)}'} of the "
            "training runs"
            for prop, number in zip(wanted, without, strict=True)
            if number
        }
        kept = [place for place, number in enumerate(without) if not number]
        if not kept:
            raise JudgeError(
                f"no property was read in every training run{f'; {unknown}' if unknown else ''}",
                advice=Advice("see why: ", Step(Action.SHOW_RUN, runs.runs[0].test, run_id=runs.runs[0].id)),
            )
        tests = [
            (run.id, environment_of(run.metadata, self.settings), run_values[:, kept])
            for run, run_values in zip(runs, values, strict=True)
        ]
        properties = tuple(wanted[place] for place in kept)
        times = np.array([prop.unit == "s" for prop in properties])
        ensemble = learn(tests, learning_of(self.settings), times)
        return FittedEnsemble(
            self.settings, LearnedEnsemble(interval_s, properties, ensemble, left_out, work)
        )

    def from_data(self, data: Mapping[str, Any]) -> FittedEnsemble:
        return FittedEnsemble(self.settings, ensemble_data.read(data))
