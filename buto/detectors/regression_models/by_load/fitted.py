"""The method ``regression-models`` as a FittedDetector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from buto.detectors.explanation import Explanation
from buto.detectors.protocol import FittedDetector
from buto.detectors.readable import judged_properties, readable
from buto.detectors.regression_models.by_load import data as plain
from buto.detectors.regression_models.by_load.evidence import ROUNDING, Evidence, runs_needed
from buto.detectors.regression_models.by_load.explanation import explain
from buto.detectors.regression_models.by_load.extrapolation import beyond_training
from buto.detectors.regression_models.by_load.findings import findings
from buto.detectors.regression_models.by_load.judged import Asked, Judged, judged
from buto.detectors.regression_models.by_load.observed import FEWEST_SAMPLES, Observed, matching, observed
from buto.detectors.regression_models.by_load.view import ByLoadView
from buto.detectors.regression_models.settings import (
    BLOCKS,
    COSTS,
    GATE,
    KEPT,
    NAME,
    NOT_JUDGED,
    PREDICTORS,
    REACH,
    STRETCHES,
    WITHOUT_ANSWERS,
)
from buto.detectors.settings import Settings
from buto.detectors.views import View
from buto.errors import JudgeError
from buto.properties import Property
from buto.runs import Run, RunSet
from buto.steps import Action, Advice, Step
from buto.verdicts import Status, Verdict

BY_RANK = (
    "rank alone, whatever the values are distributed like; runs need only be exchangeable given their load"
)
OF_BLOCKS = (
    "rank of blocks of time within runs, which takes blocks of both runs for exchangeable; a difference from "
    "run to run counts as a change"
)


@dataclass(frozen=True, eq=False, slots=True)
class FittedByLoad(FittedDetector):
    """The observations of the training runs; models are made in each check, which treats all runs alike.

    Attributes:
        properties: the columns of the observations, by name.
        runs: of the training.
        left_out: properties that cannot be judged, each with the reason.
    """

    settings: Settings
    properties: tuple[Property, ...]
    runs: tuple[Observed, ...]
    left_out: Mapping[str, str]

    @property
    def alpha(self) -> float:
        return float(self.settings.values["alpha"])

    @property
    def blocks(self) -> int:
        return int(self.settings.values[BLOCKS])

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        Inconclusive if the load is beyond that of training, or if the training runs are too few for alpha; a
        first run alone that is ordinary is a pass. Else a regression if the p-value is at most alpha. Else
        inconclusive if several runs would fail without the training run that deviates most, or if a property
        could not be read; else a pass.
        """
        if not len(runs):
            raise JudgeError("there is no run to judge")
        usable = self._usable(runs)
        unread = tuple(
            f"{prop.name} could not be read in enough samples"
            for prop, read in zip(self.properties, usable, strict=True)
            if not read and not fnmatchcase(prop.name, WITHOUT_ANSWERS)
        )
        if not usable.any() or any(run.n_samples < FEWEST_SAMPLES for run in runs):
            short = () if not usable.any() else ("a run has fewer than two samples",)
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=(*unread, *short))
        check = self.judged(runs)
        found, hidden = check.evidence, self._hidden(check)
        verdict = Verdict(
            Status.PASS,
            NAME,
            p_value=found.p_value,
            alpha=self.alpha,
            guarantee=OF_BLOCKS if self.blocks > 1 else BY_RANK,
            stands_out=found.highest or (hidden is not None and hidden.highest),
        )
        beyond = beyond_training(check, float(self.settings.values[REACH]))
        notable = verdict.stands_out or found.p_value <= max(self.alpha, found.smallest)
        if notable or beyond:
            starts_s = [float(run.times_s[0]) for run in runs]
            verdict = replace(verdict, findings=findings(check, runs, starts_s))
        if beyond:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=(beyond, *unread))
        if found.p_value <= self.alpha:
            return replace(verdict, status=Status.REGRESSION, warnings=unread)
        if self.alpha < found.smallest and (self.blocks > 1 or len(runs) > 1 or self._goes_on(verdict)):
            needed = None if self.blocks > 1 else runs_needed(len(runs), self.alpha)
            return replace(
                verdict,
                status=Status.INCONCLUSIVE,
                reasons=(self._too_few(found.smallest, len(runs), needed), *unread),
                runs_needed=needed,
            )
        hides: tuple[str, ...] = ()
        if hidden is not None and found.worst is not None and hidden.p_value <= self.alpha and len(runs) > 1:
            hides = (self._hides(found.worst, hidden),)
        if hides or unread:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=(*hides, *unread))
        return verdict

    def judged(self, runs: RunSet) -> Judged:
        """Return the numbers between runs and verdict, for reports and experiments."""
        usable = self._usable(runs)
        properties = [prop for prop, read in zip(self.properties, usable, strict=True) if read]
        known = [run.of(usable) for run in self.runs]
        stretches = self.settings.values[STRETCHES] * self.blocks
        values = self.settings.values
        new = [plain.rounded(observed(run, properties, stretches, values[KEPT])) for run in runs]
        asked = Asked(
            predictors=values[PREDICTORS],
            costs=values[COSTS],
            kept=values[KEPT],
            blocks=self.blocks,
            alpha=self.alpha,
        )
        return judged(properties, known, new, asked)

    def why_confirm(self, verdict: Verdict) -> str | None:
        if self.blocks > 1 or verdict.p_value is None or not self._goes_on(verdict):
            return None
        return f"the run is not ordinary enough to decide alone (p = {verdict.p_value:.3g})"

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        needed = runs_needed(3, self.alpha)
        if self.blocks > 1 or len(runs) >= needed:
            return ()
        warning = (
            f"{len(runs)} training runs cannot tell a share of {self.alpha:g} from chance, not even with "
            f"three checked runs: {needed} could"
        )
        return (warning,)

    def view(self, runs: Sequence[Run]) -> View:
        return ByLoadView(runs, self.properties, lambda some: self.judged(RunSet(tuple(some))))

    def explain(self, verdict: Verdict) -> Explanation:
        columns = matching(self.properties, self.settings.values[PREDICTORS])
        names = [self.properties[column].name for column in columns]
        limit = float(self.settings.values[REACH])
        return explain(verdict, len(self.properties) - len(columns), names, self.blocks, limit)

    def to_data(self) -> dict[str, Any]:
        return plain.write(self.properties, self.runs, self.left_out)

    def _usable(self, runs: RunSet) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = np.all([readable(run, self.properties) for run in runs], axis=0)
        return found

    def _hidden(self, check: Judged) -> Evidence | None:
        """Return the evidence without the training run that deviates most, if that run may hide the check."""
        found = check.evidence
        return check.without_worst if found.exceeded and found.p_value > self.alpha else None

    def _hides(self, worst: int, hidden: Evidence) -> str:
        return (
            f"training run {worst + 1} of {len(self.runs)}, in the order of their start, "
            f"deviates most and hides what is smaller: without it, p would be {hidden.p_value:.3g}. If you "
            "know what disturbed it, remove it, train with another in its place, and check new runs"
        )

    def _goes_on(self, verdict: Verdict) -> bool:
        gate = float(self.settings.values[GATE])
        return verdict.stands_out or (verdict.p_value is not None and verdict.p_value <= gate + ROUNDING)

    def _too_few(self, smallest: float, n_checked: int, needed: int | None) -> str:
        if needed is None:
            return (
                f"{self.blocks} blocks cannot tell a share of {self.alpha:g} from chance, only one of "
                f"{smallest:.2g}: state that alpha, or divide longer runs into more blocks"
            )
        more = ", and so could three under test" if n_checked == 1 else ""
        return (
            f"{len(self.runs)} training runs cannot tell a share of {self.alpha:g} from chance with "
            f"{n_checked} under test, only one of {smallest:.2g}: {needed} could{more}"
        )


def learn(runs: RunSet, settings: Settings) -> FittedByLoad:
    """Learn from valid runs. Raise JudgeError if no property was read in all of them."""
    ordered = sorted(runs, key=lambda run: run.id)
    patterns = settings.values[NOT_JUDGED]
    wanted = [prop for prop in runs.properties if not any(fnmatchcase(prop.name, one) for one in patterns)]
    properties, left_out = judged_properties(ordered, wanted, settings)
    stretches = settings.values[STRETCHES] * settings.values[BLOCKS]
    if not properties or any(run.n_samples < FEWEST_SAMPLES for run in ordered):
        raise JudgeError(
            "no property was read twice in every training run",
            advice=Advice("see why: ", Step(Action.SHOW_RUN, ordered[0].test, run_id=ordered[0].id)),
        )
    learned = tuple(
        plain.rounded(observed(run, properties, stretches, settings.values[KEPT])) for run in ordered
    )
    return FittedByLoad(settings, properties, learned, left_out)
