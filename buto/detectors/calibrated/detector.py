"""The calibrated oracle: one p-value for a check, over all properties and all times together.

The run is the replicate. Each run is a row of features (:mod:`buto.analysis.features`); the runs under
test and the training runs are put together, and each way of choosing as many of them gets a score
(:mod:`buto.analysis.contrasts`). How ordinary the score of the runs under test is among all these is the
p-value (:mod:`buto.analysis.evidence`); it depends on no threshold of any single property.
``docs/methods/judging.md`` has the assumptions and what breaks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buto.analysis.evidence import Significance
from buto.analysis.pipeline import Comparison
from buto.detectors.alarms import Selftest
from buto.detectors.bounds.detector import BoundsDetector, FittedBounds
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.explanation import explain
from buto.detectors.calibrated.judging.evidence import (
    FEWEST_RUNS,
    Evidence,
    could_not_be_read,
    goes_on,
    may_leave_to_three,
    passes,
    runs_needed,
    weigh,
)
from buto.detectors.calibrated.judging.findings import findings, outlier_shares
from buto.detectors.calibrated.judging.obvious import obvious
from buto.detectors.calibrated.judging.resolution import at_resolution
from buto.detectors.calibrated.selftest import selftest
from buto.detectors.calibrated.sensitivity.strength import MOST_ASKED, strengths, usual_names
from buto.detectors.calibrated.sensitivity.sufficiency import AUTO, is_enough
from buto.detectors.calibrated.settings import CALIBRATED, KEYS, PRESETS, gate_of
from buto.detectors.calibrated.training import data as calibrated_data
from buto.detectors.calibrated.training.long import learn_long
from buto.detectors.calibrated.training.profile import Profile, learn
from buto.detectors.calibrated.view import CalibratedView
from buto.detectors.calibrated.warnings import few_runs, unlike_runs
from buto.detectors.effects import smallest_effects
from buto.detectors.explanation import Explanation
from buto.detectors.levels import Level
from buto.detectors.protocol import Detector, FittedDetector
from buto.detectors.settings import judges
from buto.detectors.sharing import Share, here
from buto.detectors.strength import Strengths
from buto.detectors.views import View
from buto.errors import JudgeError
from buto.properties import DURATION, LIVE_CLASSES, is_judged
from buto.runs import FloatArray, Run, RunSet
from buto.runs.long import LongRun
from buto.runs.names import start_of
from buto.steps import Advice, Setting
from buto.verdicts import Status, Verdict


@dataclass(frozen=True, eq=False, slots=True)
class FittedCalibrated(FittedDetector):
    """Features of the training runs, and bands over time to show beside them.

    Attributes:
        bands: what is drawn and tells times; it decides nothing.
    """

    settings: BandSettings
    profile: Profile
    bands: FittedBounds

    @property
    def n_training(self) -> int:
        return len(self.profile.values)

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        A regression if the p-value is at most alpha. Inconclusive if alpha is smaller than what the number of
        runs can show, or if no change was found but a property could not be read, or not in a large part of a
        run. A pass with an obvious difference has a warning. Where a gate decides whether two more runs
        follow, a single run that does not pass it is a pass.
        """
        evidence = self.evidence(runs)
        found = evidence.significance
        unreadable = could_not_be_read(evidence) or self._partly_unread(runs)
        lacking = could_not_be_read(evidence, usual=False)
        needed = runs_needed(len(runs), self.settings.alpha)
        far = obvious(evidence, len(runs))
        verdict = Verdict(
            Status.PASS,
            CALIBRATED.detector,
            findings=findings(evidence, runs, self.settings),
            warnings=(),
            p_value=found.p_value,
            alpha=self.settings.alpha,
            guarantee=_guarantee(found, self.n_training, len(runs)),
            stands_out=found.highest,
            obvious=tuple(one.quantity.name for one in far),
        )
        is_first = len(runs) == 1 and may_leave_to_three(self.settings)
        leaves = is_first and not (goes_on(found, self.settings) or far)
        if self.settings.alpha < found.smallest and not leaves:
            reason = (
                f"{self.n_training} training runs cannot tell a share of {self.settings.alpha:g} from chance "
                f"with {len(runs)} under test: {needed} could"
                f"{', and so could three under test' if is_first else ''}"
            )
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=(reason,), runs_needed=needed)
        if found.p_value <= self.settings.alpha:
            return replace(verdict, status=Status.REGRESSION, warnings=(*unreadable, *lacking))
        if unreadable:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=unreadable)
        return replace(verdict, warnings=(*map(str, far), *lacking))

    def evidence(self, runs: RunSet) -> Evidence:
        """Return the evidence between runs and verdict, for reports and experiments. Raise JudgeError for no
        runs.
        """
        if not len(runs):
            raise JudgeError("there is no run to judge")
        profile = self.profile.hearing(runs.runs)
        values = np.vstack([profile.values, [profile.measure(run) for run in runs]])
        return weigh(profile, values, len(runs), self.settings)

    @property
    def left_out(self) -> Mapping[str, str]:
        return self.bands.left_out

    def why_confirm(self, verdict: Verdict) -> str | None:
        """Return why the run differs enough that two more should decide with it; None if it does not.

        Three runs have the power that one lacks. Without a gate in the settings, the run must differ more
        than every training run differs from the others, and of good builds one in n + 1 pays for two more
        runs.
        """
        p_value, alpha, gate = verdict.p_value, verdict.alpha, gate_of(self.settings)
        if p_value is None or alpha is None:
            return None
        if gate is None and verdict.stands_out:
            return "the run is an outlier"
        if p_value <= alpha:
            return f"the run's p-value of {p_value:.3g} is not above alpha"
        if gate is not None and passes(p_value, gate):
            return f"the run is not ordinary enough to decide alone (p = {p_value:.3g}, gate {gate:g})"
        if gate is not None and verdict.obvious:
            return f"the run is far beyond all training runs in {verdict.obvious[0]}"
        return None

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        return (
            *few_runs(len(runs), self.settings.alpha),
            *unlike_runs(runs, self.profile, self.settings),
        )

    def levels(self) -> Iterable[Level]:
        return self.bands.levels()

    def strengths(self, *, everything: bool) -> Strengths:
        n_quantities = len(self.profile.quantities)
        too_many = everything and n_quantities > MOST_ASKED
        names = None if everything and not too_many else (*usual_names(self.profile), DURATION.name)
        return Strengths(strengths(self.profile, self.settings, names), n_quantities, too_many)

    def view(self, runs: Sequence[Run]) -> View:
        return CalibratedView(
            self.bands.view(runs), lambda judged: outlier_shares(self.evidence(judged), self.settings)
        )

    def explain(self, verdict: Verdict) -> Explanation:
        return explain(verdict, self.settings)

    def compare(self, run: Run) -> Comparison:
        """Return a run beside the bands, for plots."""
        return self.bands.compare(run)

    def to_data(self) -> dict[str, Any]:
        return calibrated_data.write(self.profile, self.bands.to_data())

    def _partly_unread(self, runs: RunSet) -> tuple[str, ...]:
        # Others are read seldom, at times that differ from run to run.
        judged = {quantity.name for quantity in self.profile.quantities if is_judged(quantity, cost=True)}
        return tuple(
            sentence
            for run in runs
            for name, sentence in self.bands.partly_unread(run, self.compare(run)).items()
            if name in judged
        )


class CalibratedDetector(Detector[BandSettings]):
    """Learns a :class:`FittedCalibrated`."""

    name = CALIBRATED.detector
    presets = PRESETS
    keys = KEYS
    fewest_runs = FEWEST_RUNS
    auto = AUTO
    promises_alarm_rate = True

    def fit(self, runs: RunSet) -> FittedCalibrated:
        """Learn from valid runs.

        Raises:
            JudgeError: they are fewer than five, or no property can be judged.
            UsageError: the smallest change that counts has another unit than its property.
        """
        if len(runs) < FEWEST_RUNS:
            raise JudgeError(
                f"a calibrated oracle needs at least {FEWEST_RUNS} runs, and here are {len(runs)}",
                advice=Advice("record more: ", Setting("runs", "10"), ", or judge: {preset: sustained}"),
            )
        if any(isinstance(run, LongRun) for run in runs):
            profile, bands = learn_long(runs, self.settings)
        else:
            bands = BoundsDetector(self.settings).fit(runs)
            by_class = judges(self.settings, LIVE_CLASSES)
            profile = learn(runs.runs, bands.model.properties, by_class=by_class)
        profile = replace(profile, values=calibrated_data.rounded(profile.values))
        profile = at_resolution(profile, self.settings)
        smallest_effects(profile.quantities, profile.levels(profile.values), self.settings.minimum_effect)
        return FittedCalibrated(self.settings, profile, bands)

    def from_data(self, data: Mapping[str, Any]) -> FittedCalibrated:
        profile, bands = calibrated_data.read(data)
        return FittedCalibrated(self.settings, profile, BoundsDetector(self.settings).from_data(bands))

    def upgraded(self, data: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        return calibrated_data.upgraded(data) if version == 1 else data

    def n_values(self, data: Mapping[str, Any]) -> int:
        n_runs = data["n_runs"] if type(data["n_runs"]) is int else 0
        blocks = data["properties"]
        bands = BoundsDetector(self.settings).n_values({**data["bands"], "properties": blocks})
        n_features = sum(len(block.get("features", ())) for block in blocks)
        return bands + n_runs * (n_features + len(data.get(calibrated_data.CLASSES, {}).get("sizes", ())))

    def enough_runs(self, runs: RunSet) -> bool:
        if not AUTO.fewest <= len(runs) < AUTO.most:
            return len(runs) >= AUTO.most
        return is_enough(self.fit(runs).profile, self.settings)

    def selftest(self, runs: RunSet, n_training: int, share: Share = here) -> Selftest:
        starts_s = _starts_s(runs)
        return selftest(self.fit(runs).profile, self.settings, n_training, starts_s=starts_s, share=share)


def _starts_s(runs: RunSet) -> FloatArray | None:
    """Return when the runs began, in seconds; None if an id does not tell it."""
    starts = [start_of(run.id) for run in runs]
    known = [start.timestamp() for start in starts if start is not None]
    return np.array(known) if len(known) == len(starts) else None


def _guarantee(found: Significance, n_training: int, n_checked: int) -> str:
    if found.exact:
        return "rank alone, whatever the values are distributed like; runs need only be exchangeable"
    if found.smallest_rank <= 0.05:
        return (
            "free of assumptions on distributions down to 0.05; below, the scores of "
            f"{n_training} training runs are taken for Student's t"
        )
    return f"parametric: the scores of {n_training} training runs are taken for Student's t"
