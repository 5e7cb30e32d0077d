"""The judge: one p-value for a check, over all properties and all times together.

The run is the replicate. Each run is a row of features (:mod:`buto.judging.features`); the runs under test
and the training runs are put together, and each way of choosing as many of them gets a score. How ordinary
the score of the runs under test is among all these is the p-value (:mod:`buto.judging.rank`); it depends on
no threshold of any single property. ``docs/methods/judging.md`` has the assumptions and what breaks them.

Here are also the words in which the calibrated oracle, and a comparison that works like it, explain verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buto.errors import JudgeError
from buto.judging import machines, profile_data
from buto.judging.alarms import Selftest, Strengths
from buto.judging.beyond import Beyond, beyond, find_counted_columns
from buto.judging.builds import over_builds
from buto.judging.envelope import CalibratedView, Envelope, envelope
from buto.judging.environments import environment_of
from buto.judging.evidence import (
    Evidence,
    Ranked,
    could_not_be_read,
    find_moved_counters,
    sizes_that_matter,
    weigh,
)
from buto.judging.features import significant
from buto.judging.findings import findings, note_first_run, outlier_shares
from buto.judging.fitted_judge import FittedJudge, Weighed
from buto.judging.judge_settings import CALIBRATED, KEYS, NAME, JudgeSettings
from buto.judging.load import judge as load
from buto.judging.load.observed import load_varies
from buto.judging.load.warnings import another_load
from buto.judging.monitor import OverBuilds
from buto.judging.procedure import N_CHECKED
from buto.judging.profile import TrainingProfile, learn, levels_of, waits_of
from buto.judging.protocol import Detector, FittedDetector, Reasoning, Share, here
from buto.judging.rank import FEWEST_RUNS
from buto.judging.readable import Level, read_at_all
from buto.judging.selfknowledge.selftest import selftest
from buto.judging.selfknowledge.strength import AUTO, MOST_ASKED, is_enough, strengths, usual_names
from buto.judging.settings import judges
from buto.judging.turns import Before
from buto.judging.verdict import Effect, Status, Verdict
from buto.judging.views import View
from buto.judging.warnings import GOOD_RUNS, few_runs, unlike_runs
from buto.judging.weighing import weigh_rows
from buto.run.model import FloatArray, Run, RunSet
from buto.run.names import start_of
from buto.run.properties import DURATION, LIVE_CLASSES, is_judged
from buto.run.units import format_count
from buto.steps import Advice, Setting

_ROWS = "each run is one row of numbers: levels, growth, scatter and extremes of every property"


def explain(verdict: Verdict) -> Reasoning:
    """Return what a run is reduced to, and what the p-value compares."""
    known = f"{verdict.n_training} {verdict.roles.known_runs}"
    return Reasoning(
        f"{known} defined what is normal; {_ROWS}. {_envelope()}",
        _rule(f"{format_count(len(verdict.run_ids), 'run')} under test", verdict),
    )


def explain_comparison(verdict: Verdict) -> Reasoning:
    """Return the same of two programs, neither of which is the better known one."""
    around = f" around the {verdict.n_training} {verdict.roles.known_runs}"
    return Reasoning(
        f"The runs of both programs show the usual scatter; {_ROWS}. {_envelope(around)}",
        _rule(f"{len(verdict.run_ids)} {verdict.roles.judged_runs}", verdict),
    )


def _envelope(around: str = "") -> str:
    return f"The shaded range{around} is their smallest to largest value at each time; it decides nothing."


def _rule(judged: str, verdict: Verdict) -> str:
    return (
        f"The {judged} and the {verdict.roles.known_runs} are put together, and every way of choosing as "
        "many runs gets a score: how far the chosen runs differ from the others. If nothing has changed, "
        "each choice is as likely as any other to have the highest score. The p-value says how unusual the "
        "score of the runs under test is among all of them; at or below alpha it is a regression. A "
        "difference smaller than the size that matters counts in no choice; if it is certain, it is noted."
    )


@dataclass(frozen=True, eq=False, slots=True)
class FittedCalibrated(FittedJudge):
    """Features of the training runs, and their envelope over time, which is drawn and decides nothing.

    Attributes:
        mood: later runs of the program of the training, see :meth:`with_mood`.
    """

    settings: JudgeSettings
    profile: TrainingProfile
    envelope: Envelope
    mood: tuple[Run, ...] = ()

    @property
    def n_training(self) -> int:
        return len(self.profile.values)

    def weigh(self, runs: RunSet) -> Weighed[Ranked] | Verdict:
        """Compare runs as they are; a verdict if their load is another one than that of training."""
        alpha, n_checked = self.settings.alpha, len(runs)
        if another := another_load(self.profile, [self.profile.measure(run) for run in runs]):
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=(another,), alpha=alpha)
        evidence = self.evidence(runs)
        return replace(
            weigh_rows(evidence, n_checked, alpha, self._mood_of(evidence.profile)),
            findings=lambda ranked: findings(evidence, ranked, runs, self.settings),
            notes=note_first_run(evidence, runs, self.settings) if n_checked == 1 else (),
            reach=outlier_shares(evidence, self.settings),
            unread=could_not_be_read(evidence) or self._partly_unread(runs),
        )

    def evidence(self, runs: RunSet) -> Evidence:
        """Return the evidence between runs and verdict, for reports and experiments."""
        profile = self.profile.hearing(runs.runs)
        values = np.vstack([profile.values, [profile.measure(run) for run in runs]])
        waits = np.concatenate([profile.waits_s, waits_of(runs.runs)])
        return weigh(profile, values, len(runs), self.settings, waits_s=waits)

    def with_mood(self, runs: Sequence[Run]) -> FittedDetector:
        return replace(self, mood=tuple(runs))

    def _mood_of(self, profile: TrainingProfile) -> FloatArray | None:
        return np.array([profile.measure(run) for run in self.mood]) if self.mood else None

    def beyond_training(self, runs: RunSet) -> tuple[Beyond, ...]:
        columns = find_counted_columns(self.profile.catalogue, self.profile.quantities)
        places = [*columns.values()]
        quantities = [self.profile.quantities[self.profile.catalogue[place].column] for place in places]
        rows = np.array([self.profile.measure(run) for run in runs])
        known = self.profile.values[:, places]
        excesses = beyond(quantities, known, rows[:, places], self.settings.minimum_effect)
        is_any = self.settings.fail_on == "any"
        return tuple(excess for excess in excesses if is_any or excess.effect is Effect.WORSE)

    def moved_by_machine(self, runs: RunSet) -> frozenset[str]:
        values = np.vstack([self.profile.values, [self.profile.measure(run) for run in runs]])
        waits_s = np.concatenate([self.profile.waits_s, waits_of(runs.runs)])
        return find_moved_counters(self.profile, values, len(runs), self.settings, waits_s)

    def over_builds(self) -> OverBuilds:
        return over_builds(self.profile, self.settings.minimum_effect)

    def before(self, runs: RunSet) -> Before | None:
        profile = self.profile.hearing(runs.runs)
        return Before(profile, profile.values, np.array([profile.measure(run) for run in runs]))

    @property
    def left_out(self) -> Mapping[str, str]:
        return self.envelope.left_out

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        alpha = self.settings.alpha
        return (*few_runs(len(runs), alpha), *unlike_runs(runs, self.profile))

    def levels(self) -> Iterable[Level]:
        """Return how much there was of each property in training, see :func:`levels_of`, with its range."""
        return levels_of(self.profile.catalogue, self.profile.quantities, self.profile.values)

    def strengths(self, *, everything: bool, roughly: bool = False) -> Strengths:
        n_quantities = len(self.profile.quantities)
        too_many = everything and n_quantities > MOST_ASKED
        names = None if everything and not too_many else (*usual_names(self.profile), DURATION.name)
        of_quantities = strengths(self.profile, self.settings, names, roughly=roughly)
        return Strengths(of_quantities, n_quantities, too_many)

    def view(self, runs: Sequence[Run]) -> View:
        return CalibratedView(
            self.envelope, lambda judged: outlier_shares(self.evidence(judged), self.settings)
        )

    def explain(self, verdict: Verdict) -> Reasoning:
        return explain(verdict)

    def to_data(self) -> dict[str, Any]:
        return profile_data.write(self.profile, self.envelope)

    def _partly_unread(self, runs: RunSet) -> tuple[str, ...]:
        # Exact counters are read seldom, at times that differ from run to run.
        judged = {quantity.name for quantity in self.profile.quantities if is_judged(quantity)}
        return tuple(sentence for run in runs for sentence in self.envelope.partly_unread(run, judged))


class CalibratedDetector(Detector[JudgeSettings]):
    """Learns a :class:`FittedCalibrated`."""

    name = NAME
    defaults = CALIBRATED
    keys = KEYS
    fewest_runs = FEWEST_RUNS
    auto = AUTO
    promises_alarm_rate = True
    settles_in_turns = True
    learns_environments = True

    def fit(self, runs: RunSet) -> FittedDetector:
        """Learn from valid runs, and adjust for what varies between them: machines, and the load.

        Raises:
            JudgeError: they are fewer than five, or no property can be judged.
            UsageError: the smallest change that matters has another unit than its property.
        """
        if len(runs) < FEWEST_RUNS:
            raise JudgeError(
                f"an oracle needs at least {FEWEST_RUNS} runs, and here are {len(runs)}",
                advice=Advice("record more: ", Setting("runs", "10")),
            )
        environments = [environment_of(run.metadata, self.settings.metadata) for run in runs]
        if any(environment != environments[0] for environment in environments):
            return self.fit_machines(runs)
        return self.fit_alike(runs)

    def fit_machines(self, runs: RunSet) -> FittedDetector:
        """Learn from runs of several environments."""
        return machines.learn(runs, self.settings, self.fit_alike)

    def fit_alike(self, runs: RunSet) -> FittedDetector:
        """Learn from runs of one environment."""
        return load.learn(runs, self.settings) if load_varies(runs.runs) else self.plain(runs)

    def plain(self, runs: RunSet) -> FittedCalibrated:
        """Learn from runs that are compared as they are."""
        properties, left_out = read_at_all(runs.runs, runs.properties, self.settings)
        by_class = judges(self.settings, LIVE_CLASSES)
        profile = learn(runs.runs, properties, by_class=by_class)
        profile = replace(profile, values=significant(profile.values))
        sizes_that_matter(profile, profile.catalogue, np.nan_to_num(profile.values), self.settings)
        return FittedCalibrated(self.settings, profile, envelope(runs.runs, properties, left_out))

    def from_data(self, data: Mapping[str, Any]) -> FittedDetector:
        if _has(data, machines.MACHINES):
            return self.read_machines(data)
        if _has(data, load.OBSERVATIONS):
            return load.read(data, self.settings)
        return FittedCalibrated(self.settings, *profile_data.read(data))

    def read_machines(self, data: Mapping[str, Any]) -> FittedDetector:
        """Return the inverse of ``to_data`` for runs of several environments."""
        return machines.read(data, self.settings, self.from_data)

    def n_values(self, data: Mapping[str, Any]) -> int:
        if machines.MACHINES in data:
            return sum(max(0, self.n_values(machine["model"])) for machine in data[machines.MACHINES])
        if load.OBSERVATIONS in data:
            return int(sum(data[load.OBSERVATIONS]) * len(data["properties"]))
        n_runs = data["n_runs"] if type(data["n_runs"]) is int else 0
        n_features = sum(len(block.get("features", ())) for block in data["properties"])
        return n_runs * (n_features + len(data.get(profile_data.CLASSES, {}).get("sizes", ())))

    def enough_runs(self, runs: RunSet) -> bool:
        if not AUTO.fewest <= len(runs) < AUTO.most:
            return len(runs) >= AUTO.most
        fitted = self.fit(runs)
        if isinstance(fitted, FittedCalibrated):
            return is_enough(fitted.profile, self.settings)
        return len(runs) >= GOOD_RUNS

    def selftest(self, runs: RunSet, n_training: int, share: Share = here) -> Selftest:
        fitted = self.fit(runs)
        if isinstance(fitted, machines.FittedMachines):
            return self._of_machines(runs, fitted, n_training, share)
        return self._selftest(fitted, runs, n_training, share)

    def _selftest(self, fitted: FittedDetector, runs: RunSet, n_training: int, share: Share) -> Selftest:
        if isinstance(fitted, FittedCalibrated):
            starts_s = _starts_s(runs)
            return selftest(fitted.profile, self.settings, n_training, starts_s=starts_s, share=share)
        raise JudgeError(
            "the load of these runs varies, and how often an unchanged program fails under such a load "
            "cannot be measured yet",
            advice="name runs of one load: --from-runs FIRST..LAST",
        )

    def _of_machines(
        self, runs: RunSet, fitted: machines.FittedMachines, n_training: int, share: Share
    ) -> Selftest:
        """Judge the runs of the commonest environment by each other."""
        if not fitted.known:
            raise JudgeError(
                f"no environment has {FEWEST_RUNS} runs",
                advice=f"record more: {n_training + N_CHECKED} of one environment are needed",
            )
        most = [run for run in runs if fitted.find_known(fitted.environment(run)) is fitted.known[0]]
        return self._selftest(fitted.known[0].fitted, RunSet(tuple(most)), n_training, share)


def _has(data: object, key: str) -> bool:
    """Return whether stored data have a key; damaged data may be anything."""
    return isinstance(data, Mapping) and key in data


def _starts_s(runs: RunSet) -> FloatArray | None:
    """Return when the runs began, in seconds; None if an id does not tell it."""
    starts = [start_of(run.id) for run in runs]
    known = [start.timestamp() for start in starts if start is not None]
    return np.array(known) if len(known) == len(starts) else None
