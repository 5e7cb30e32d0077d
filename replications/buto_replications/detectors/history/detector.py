"""Learning from labelled history as a Detector: what people said of earlier changes judges the next one.

A run is compared with the training runs, which are the baseline version. The engine (Huang and others, 2015)
learns from the labelled runs of the test, and of other tests, which differences from a baseline were accepted
and which were regressions. ``replications/docs/history.md`` says what it is for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from buto.errors import JudgeError
from buto.judging.procedure import N_FIRST
from buto.judging.protocol import Detector, FittedDetector, Reasoning
from buto.judging.readable import find_judged_properties, readable
from buto.judging.settings import Settings
from buto.judging.verdict import Finding, Status, Verdict
from buto.judging.views import RunsView, View
from buto.run.labels import Past
from buto.run.model import FloatArray, Run, RunSet
from buto.steps import Action, Advice, Step
from buto_replications.detectors.history import data as history_data
from buto_replications.detectors.history.findings import (
    GUARANTEE,
    INVALID,
    JudgedByPast,
    explain,
    findings_of_distance,
    findings_of_score,
    judged,
    not_decided,
    training_warnings,
    unlike,
)
from buto_replications.detectors.history.known import LabelledColumns, disturbance_of, known_rows
from buto_replications.detectors.history.learning import Judge, learned_judge
from buto_replications.detectors.history.settings import ALPHA, DETECTOR, HISTORY, KEYS


@dataclass(frozen=True, eq=False, slots=True)
class FittedHistory(FittedDetector):
    """What the labels taught.

    Attributes:
        n_alone: labelled runs that could not be compared with a baseline.
        left_out: properties that cannot be judged, each with the reason.
    """

    settings: Settings
    columns: LabelledColumns
    judge: Judge
    n_alone: int
    left_out: Mapping[str, str]

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        A regression if the score is too high for a good check. Inconclusive if a property could not be read,
        if the runs look disturbed, if they are unlike all labelled runs, or if they are like bad runs and too
        few good checks are known to say how rarely a good one is. Else a pass. One run with a p-value that
        does not pass asks for more.
        """
        unread = self._unread(runs)
        if unread:
            return Verdict(Status.INCONCLUSIVE, DETECTOR, reasons=unread)
        values = np.array([self.columns.measure(run) for run in runs])
        judgement = judged(self.judge, values, [disturbance_of(run) for run in runs], self.settings)
        status, reason, findings = self._decide(judgement, runs.runs, values)
        is_doubtful = len(runs) == N_FIRST and judgement.p_value is not None and status is not Status.PASS
        return Verdict(
            status,
            DETECTOR,
            findings,
            reasons=(reason,) if reason else (),
            p_value=judgement.p_value,
            alpha=self.settings.values[ALPHA],
            guarantee=GUARANTEE if judgement.p_value is not None else "",
            needs_more=f"the first run does not pass (p = {judgement.p_value:.3g})" if is_doubtful else "",
        )

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        return tuple(training_warnings(self.judge, self.n_alone, self.settings))

    def view(self, runs: Sequence[Run]) -> View:
        known = {prop.name for prop in self.columns.properties}
        return RunsView(runs, lambda prop: prop.name in known)

    def explain(self, verdict: Verdict) -> Reasoning:
        return explain(verdict, self.judge, self.settings)

    def to_data(self) -> dict[str, Any]:
        return history_data.write(self.columns, self.judge, self.n_alone, self.left_out, self.settings)

    def _decide(
        self, judgement: JudgedByPast, runs: Sequence[Run], values: FloatArray
    ) -> tuple[Status, str, tuple[Finding, ...]]:
        judge, alpha = self.judge, self.settings.values[ALPHA]
        if judgement.is_invalid:
            return Status.INCONCLUSIVE, INVALID, ()
        if judgement.p_value is not None and judgement.p_value <= alpha:
            return Status.REGRESSION, "", findings_of_score(judge, self.columns, runs, values, self.settings)
        if judgement.score is not None and judgement.score > 0:
            named = findings_of_score(judge, self.columns, runs, values, self.settings)
            return Status.INCONCLUSIVE, not_decided(judge, judgement), named
        if judgement.distance > judge.usual:
            named = findings_of_distance(judge, self.columns, runs, values)
            return Status.INCONCLUSIVE, unlike(judge, judgement), named
        return Status.PASS, "", ()

    def _unread(self, runs: RunSet) -> tuple[str, ...]:
        usable = readable(runs, self.columns.properties)
        return tuple(
            f"{prop.name} could not be read in enough samples"
            for prop, read in zip(self.columns.properties, usable, strict=True)
            if not read
        )


class HistoryDetector(Detector[Settings]):
    """Learns a :class:`FittedHistory`."""

    name = DETECTOR
    defaults = HISTORY
    keys = KEYS
    learns_from_labels = True

    def fit(self, runs: RunSet) -> FittedHistory:
        """Learn from valid runs of which nothing else is known; see :meth:`fit_with_past`."""
        return self.fit_with_past(runs, ())

    def fit_with_past(self, runs: RunSet, pasts: Sequence[Past]) -> FittedHistory:
        """Learn from a new baseline and the labelled past.

        Raises:
            JudgeError: no property was read in all runs, or a person labelled one of them bad or invalid.
        """
        ordered = tuple(sorted(runs, key=lambda run: run.id))
        properties, left_out = find_judged_properties(ordered, runs.properties, self.settings)
        columns = LabelledColumns(properties)
        if not columns.properties:
            raise JudgeError(
                "no property was read in every training run",
                advice=Advice("see why: ", Step(Action.SHOW_RUN, ordered[0].test, run_id=ordered[0].id)),
            )
        known = known_rows(RunSet(ordered), pasts, columns, self.metadata)
        return FittedHistory(
            self.settings, columns, learned_judge(known, self.settings), known.n_alone, left_out
        )

    def from_data(self, data: Mapping[str, Any]) -> FittedHistory:
        return FittedHistory(self.settings, *history_data.read(data, self.settings))
