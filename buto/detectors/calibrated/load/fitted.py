"""The judge under a load that varies: what the load explains is taken out before runs are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from buto.detectors.alarms import N_CHECKED
from buto.detectors.calibrated.load import data as plain
from buto.detectors.calibrated.load.evidence import ROUNDING, Evidence, Ranked, runs_needed
from buto.detectors.calibrated.load.explanation import explain
from buto.detectors.calibrated.load.extrapolation import beyond_training
from buto.detectors.calibrated.load.findings import findings
from buto.detectors.calibrated.load.judged import Judged, judged
from buto.detectors.calibrated.load.listed import ALL_OF_PROCESS, GATE, OF_A_LIFETIME, REACH, WITHOUT_ANSWERS
from buto.detectors.calibrated.load.observed import FEWEST_SAMPLES, Observed, matching, observed
from buto.detectors.calibrated.load.rates import RATES, range_words
from buto.detectors.calibrated.load.view import ByLoadView
from buto.detectors.calibrated.settings import NAME, JudgeSettings
from buto.detectors.explanation import Explanation
from buto.detectors.protocol import FittedDetector
from buto.detectors.readable import judged_properties, readable
from buto.detectors.settings import ALSO_JUDGED
from buto.detectors.views import View
from buto.errors import JudgeError
from buto.properties import Property
from buto.runs import FloatArray, Run, RunSet
from buto.steps import Action, Advice, Step
from buto.verdicts import Finding, Status, Verdict

BY_RANK = (
    "rank alone, whatever the values are distributed like; runs need only be exchangeable given their load"
)


@dataclass(frozen=True, eq=False, slots=True)
class FittedLoad(FittedDetector):
    """The observations of the training runs; models are made in each check, which treats all runs alike.

    Attributes:
        properties: the columns of the observations, by name.
        runs: of the training.
        left_out: properties that cannot be judged, each with the reason.
    """

    settings: JudgeSettings
    properties: tuple[Property, ...]
    runs: tuple[Observed, ...]
    left_out: Mapping[str, str]

    @property
    def adjusted(self) -> str:
        """What is adjusted for, in words."""
        columns = matching(self.properties, [RATES])
        totals: FloatArray = np.array([run.rows[:, columns].mean(axis=0).sum() for run in self.runs])
        return f"adjusted for the load: {range_words(totals)} in training"

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        Inconclusive if the load is beyond that of training, or if the training runs are too few for alpha; a
        first run alone that is ordinary is a pass. Else a regression if the p-value of differences that
        matter is at most alpha. Else inconclusive if several runs would fail without the training run that
        deviates most, or if a property could not be read; else a pass, with what is certain and does not
        matter noted.
        """
        if not len(runs):
            raise JudgeError("there is no run to judge")
        usable = self._usable(runs)
        unread = tuple(
            f"{prop.name} could not be read in enough samples"
            for prop, read in zip(self.properties, usable, strict=True)
            if not read and not fnmatchcase(prop.name, WITHOUT_ANSWERS)
        )
        blank = Verdict(Status.INCONCLUSIVE, NAME, reasons=unread, adjusted=self.adjusted)
        if any(run.n_samples < FEWEST_SAMPLES for run in runs):
            return replace(blank, reasons=("a run has fewer than two samples",))
        if not usable.any():
            return blank
        check, alpha = self.judged(runs), self.settings.alpha
        evidence, hidden = check.evidence, self._hidden(check)
        found = evidence.mattering
        stands_out = found.highest or (hidden is not None and hidden.mattering.highest)
        goes_on = len(runs) == 1 and (stands_out or found.p_value <= GATE + ROUNDING)
        beyond = beyond_training(check, REACH)
        notable = stands_out or found.p_value <= max(alpha, evidence.smallest) or beyond
        named = self._findings(check, found, runs) if notable else ()
        certain = self._findings(check, evidence.any, runs) if evidence.any.p_value <= alpha else ()
        verdict = replace(
            blank,
            status=Status.PASS,
            reasons=(),
            findings=named,
            noted=tuple(one for one in certain if one.subject not in {other.subject for other in named}),
            p_value=found.p_value,
            alpha=alpha,
            guarantee=BY_RANK,
            stands_out=stands_out,
            needs_more=f"the run is not ordinary enough to decide alone (p = {found.p_value:.3g})"
            if goes_on
            else "",
        )
        if beyond:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=(beyond, *unread))
        if found.p_value <= alpha:
            return replace(verdict, status=Status.REGRESSION, warnings=unread)
        if alpha < evidence.smallest and (len(runs) > 1 or goes_on):
            return replace(
                verdict,
                status=Status.INCONCLUSIVE,
                reasons=(self._too_few(evidence.smallest, len(runs)), *unread),
                runs_needed=runs_needed(len(runs), alpha),
            )
        hides: tuple[str, ...] = ()
        if hidden is not None and hidden.mattering.p_value <= alpha and len(runs) > 1:
            hides = (self._hides(found.worst, hidden.mattering),)
        if hides or unread:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=(*hides, *unread))
        return verdict

    def judged(self, runs: RunSet) -> Judged:
        """Return the numbers between runs and verdict, for reports and experiments."""
        usable = self._usable(runs)
        properties = [prop for prop, read in zip(self.properties, usable, strict=True) if read]
        known = [run.of(usable) for run in self.runs]
        new = [plain.rounded(observed(run, properties)) for run in runs]
        return judged(properties, known, new, self.settings)

    def why_confirm(self, verdict: Verdict) -> str | None:
        return verdict.needs_more or None

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        alpha, needed = self.settings.alpha, runs_needed(N_CHECKED, self.settings.alpha)
        if len(runs) >= needed:
            return ()
        warning = (
            f"{len(runs)} training runs cannot tell a share of {alpha:g} from chance, not even with "
            f"three checked runs: {needed} could"
        )
        return (warning,)

    def view(self, runs: Sequence[Run]) -> View:
        return ByLoadView(runs, self.properties, lambda some: self.judged(RunSet(tuple(some))))

    def explain(self, verdict: Verdict) -> Explanation:
        columns = matching(self.properties, [RATES])
        names = [self.properties[column].name for column in columns]
        return explain(verdict, len(self.properties) - len(columns), names)

    def to_data(self) -> dict[str, Any]:
        return plain.write(self.properties, self.runs, self.left_out)

    def _usable(self, runs: RunSet) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = np.all([readable(run, self.properties) for run in runs], axis=0)
        return found

    def _findings(self, check: Judged, ranked: Ranked, runs: RunSet) -> tuple[Finding, ...]:
        return findings(check, ranked, runs, [float(run.times_s[0]) for run in runs])

    def _hidden(self, check: Judged) -> Evidence | None:
        """Return the evidence without the training run that deviates most, if that run may hide the check."""
        found = check.evidence.mattering
        return check.without_worst if found.exceeded and found.p_value > self.settings.alpha else None

    def _hides(self, worst: int | None, hidden: Ranked) -> str:
        assert worst is not None
        return (
            f"training run {worst + 1} of {len(self.runs)}, in the order of their start, "
            f"deviates most and hides what is smaller: without it, p would be {hidden.p_value:.3g}. If you "
            "know what disturbed it, remove it, train with another in its place, and check new runs"
        )

    def _too_few(self, smallest: float, n_checked: int) -> str:
        alpha = self.settings.alpha
        more = ", and so could three under test" if n_checked == 1 else ""
        return (
            f"{len(self.runs)} training runs cannot tell a share of {alpha:g} from chance with "
            f"{n_checked} under test, only one of {smallest:.2g}: {runs_needed(n_checked, alpha)} could{more}"
        )


def learn(runs: RunSet, settings: JudgeSettings) -> FittedLoad:
    """Learn from valid runs whose load differs. Raise JudgeError if no property was read in all of them."""
    ordered = sorted(runs, key=lambda run: run.id)
    wanted = [
        prop for prop in runs.properties if not any(fnmatchcase(prop.name, one) for one in OF_A_LIFETIME)
    ]
    more = replace(settings, values={ALSO_JUDGED: ALL_OF_PROCESS})
    properties, left_out = judged_properties(ordered, wanted, more)
    if not properties or any(run.n_samples < FEWEST_SAMPLES for run in ordered):
        raise JudgeError(
            "no property was read twice in every training run",
            advice=Advice("see why: ", Step(Action.SHOW_RUN, ordered[0].test, run_id=ordered[0].id)),
        )
    learned = tuple(plain.rounded(observed(run, properties)) for run in ordered)
    return FittedLoad(settings, properties, learned, left_out)
