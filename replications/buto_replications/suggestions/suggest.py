"""Suggest minimum effects from labelled checks of the past; nothing is launched or changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from buto import oracle
from buto.actions.check import warn_of_settings
from buto.actions.events import Reporter, ignore
from buto.actions.like_runs import baseline_of
from buto.actions.project import Project
from buto.actions.stored import load_stored_runs, name_training
from buto.actions.workspace import Workspace
from buto.api.options import check_count, locate
from buto.errors import JudgeError, UsageError
from buto.judging.effects import MINIMUM_EFFECT
from buto.judging.registry import detector
from buto.oracle import Oracle
from buto.project.options import Location
from buto.report.history import HistoryEntry
from buto.run.model import RunSet, run_set
from buto.run.units import format_count
from buto.steps import Action, Advice, Step
from buto_replications.suggestions.past import past_checks
from buto_replications.suggestions.rejudge import Rejudge, present_effects
from buto_replications.suggestions.rejudge import suggest as suggestion_for
from buto_replications.suggestions.suggestion import (
    Key,
    PastCheck,
    Suggestion,
    Truth,
    Unjudged,
    UnjudgedReason,
)

NEWEST = 200
"""Checks without a label that are judged again, because each takes a moment."""


@dataclass(frozen=True, slots=True)
class SuggestRequest:
    """What to look at.

    Attributes:
        test: a test that has an oracle.
        last: number of checks without a label, the newest ones; labelled ones all count.
    """

    test: str
    last: int = NEWEST


@dataclass(frozen=True, slots=True)
class SuggestOutcome:
    """What is suggested.

    Attributes:
        suggestion: the suggestion.
        next_step: trains again from the same runs, once the settings are in the configuration; without a
            suggestion, labels a false alarm.
    """

    suggestion: Suggestion
    next_step: Advice


def suggest(
    test: str, *, last: int = NEWEST, on_event: Reporter = ignore, **options: Unpack[Location]
) -> Suggestion:
    """Return the suggestion for one test, from Python.

    Args:
        last: see :class:`SuggestRequest`.
        options: where the files of the test are, see :class:`buto.project.options.Location`.

    Raises:
        ButoError: as :func:`suggest_for`.
    """
    check_count("last", last)
    call = locate(options)
    return call.carry_out(suggest_for, SuggestRequest(test, last), call.reporter(on_event)).suggestion


def suggest_for(project: Project, request: SuggestRequest, reporter: Reporter = ignore) -> SuggestOutcome:
    """Return which minimum effects would have avoided false alarms without missing a regression.

    Each check is judged again by the detector, with the training of its time and the settings of the oracle.

    Raises:
        UsageError: the oracle's detector has no minimum effects.
        JudgeError: no check of the past can be judged again.
        BadFileError: there is no oracle, or a label, result or run is damaged.
    """
    test = request.test
    known = project.oracle(test, Action.SELFTEST)
    _refuse_without_effects(known)
    configured, workspace = project.find_test(test), project.workspace()
    if configured is not None:
        warn_of_settings(workspace, known, configured, None, reporter)
    checks, trainings = past_checks(workspace, test)
    unlabelled = [check for check in checks if check.truth is Truth.UNKNOWN]
    old = {check.run_ids for check in unlabelled[: max(0, len(unlabelled) - request.last)]}
    checks = [check for check in checks if check.run_ids not in old]
    past = _Past(workspace, known, trainings)
    usable = [check for check in checks if past.prepare(check)]
    if not usable:
        raise JudgeError(
            f"no check of {test!r} can be judged again{_because(past.unjudged)}",
            advice=Advice(Step(Action.CHECK, test, plain=True)),
        )
    suggestion = suggestion_for(test, present_effects(known), usable, past.judge, past.unjudged)
    label = Advice(Step(Action.LABEL, test, label="good", plain=True))
    again = Advice(Step(Action.TRAIN, test, from_runs=name_training(workspace, known) or None))
    return SuggestOutcome(suggestion, again if suggestion.effects else label)


class _Past:
    """What judges checks of the past: the oracle, and older ones that are trained again."""

    def __init__(self, workspace: Workspace, known: Oracle, trainings: Sequence[HistoryEntry]) -> None:
        self._workspace, self._known, self._trainings = workspace, known, trainings
        self._trained: dict[Key, Oracle | None] = {_sort(known.run_ids): known}
        self._oracles: dict[Key, Oracle] = {}
        self._kept: dict[Key, RunSet] = {}
        self._stored = set(workspace.runs.ids(known.test))
        self.judge = Rejudge(self._oracles, self._runs)
        self.unjudged: list[Unjudged] = []

    def prepare(self, check: PastCheck) -> bool:
        """Return whether a check can be judged again; if not, remember why."""
        why = self._why_not(check)
        if why is not None:
            self.unjudged.append(Unjudged(check, why))
        return why is None

    def _why_not(self, check: PastCheck) -> UnjudgedReason | None:
        key = check.run_ids
        if not self._stored.issuperset(key):
            return UnjudgedReason.RUNS_GONE
        known = self._oracle_at(check)
        if known is None:
            return UnjudgedReason.BASELINE_GONE
        self._oracles[key] = known
        try:
            if check.truth in (Truth.UNCHANGED, Truth.REGRESSION):
                # The search judges these many times.
                self._kept[key] = self._runs(key)
            self.judge(key, {})
        except JudgeError:
            return UnjudgedReason.NOT_JUDGED
        return None

    def _runs(self, key: Key) -> RunSet:
        if key in self._kept:
            return self._kept[key]
        return run_set(load_stored_runs(self._workspace, self._known.test, ",".join(key)))

    def _oracle_at(self, check: PastCheck) -> Oracle | None:
        """Return the oracle of a check's time with today's settings; None if it cannot be trained again."""
        training = baseline_of(check.at, self._trainings)
        if training is None:
            # The oracle may have come from elsewhere.
            return self._known
        key = _sort(training.run_ids)
        if key not in self._trained:
            self._trained[key] = self._train(key)
        return self._trained[key]

    def _train(self, key: Key) -> Oracle | None:
        if not self._stored.issuperset(key):
            return None
        try:
            return oracle.train(self._runs(key), self._known.settings)
        except JudgeError:
            return None


def _refuse_without_effects(known: Oracle) -> None:
    keys = detector(known.settings.method).keys
    if any(key.name == MINIMUM_EFFECT for key in keys):
        return
    raise UsageError(
        f"the method of {known.test!r} must have minimum effects, as the default has, "
        f"got {known.settings.method}",
        advice=Advice("leave out judge: method; then ", Step(Action.TRAIN, known.test)),
    )


def _because(unjudged: Sequence[Unjudged]) -> str:
    counts = Counter(reason.why for reason in unjudged)
    reasons = "; ".join(f"of {format_count(count, 'check')} {why.value}" for why, count in counts.items())
    return f": {reasons}" if reasons else ": the store has none"


def _sort(run_ids: Sequence[str]) -> Key:
    return tuple(sorted(run_ids))
