"""Suggest minimum effects from labelled checks of the past; nothing is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from buto import oracle
from buto.actions.advice import worded
from buto.actions.check import warn_of_settings
from buto.actions.events import OnEvent, ignore
from buto.actions.project import Project
from buto.actions.stored import Site, stored_runs
from buto.errors import BadFileError, JudgeError, UsageError
from buto.features.past import baseline_of, past_checks
from buto.judging.effects import MINIMUM_EFFECT
from buto.judging.registry import detector
from buto.oracle import Oracle
from buto.oracle.suggest import Rejudge, present_effects
from buto.oracle.suggest import suggest as suggestion_for
from buto.oracle.suggestion import Key, PastCheck, Suggestion, Truth, Unjudged, Why
from buto.report.history import Entry
from buto.run.model import RunSet, run_set
from buto.run.units import format_count
from buto.steps import Action, Step

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
        found: the suggestion.
        next_step: trains again from the same runs, once the settings are in the configuration; without a
            suggestion, labels a false alarm.
    """

    found: Suggestion
    next_step: str


@worded
def suggest(project: Project, request: SuggestRequest, on_event: OnEvent = ignore) -> SuggestOutcome:
    """Return which minimum effects would have avoided false alarms without missing a regression.

    Each check is judged again by the detector, with the training of its time and the settings of the oracle.

    Raises:
        UsageError: the oracle's detector has no minimum effects.
        JudgeError: no check of the past can be judged again.
        BadFileError: there is no oracle, or a label, result or run is damaged.
    """
    test = request.test
    known = project.oracle(test, Action.SUGGEST)
    _refuse_without_effects(project, known)
    configured, site = project.configured(test), project.site()
    if configured is not None:
        warn_of_settings(site.door, known, configured, None, on_event)
    checks, trainings = past_checks(site, test)
    unlabelled = [one for one in checks if one.truth is Truth.UNKNOWN]
    old = {one.run_ids for one in unlabelled[: max(0, len(unlabelled) - request.last)]}
    checks = [one for one in checks if one.run_ids not in old]
    past = _Past(site, known, trainings)
    usable = [one for one in checks if past.prepare(one)]
    if not usable:
        raise JudgeError(
            f"no check of {test!r} can be judged again{_because(past.unjudged)}",
            advice=project.door.step(Step(Action.CHECK, test, plain=True)),
        )
    found = suggestion_for(test, present_effects(known), usable, past.judge, past.unjudged)
    label = project.door.step(Step(Action.LABEL, test, label="good", plain=True))
    return SuggestOutcome(found, _again(site, known) if found.effects else label)


class _Past:
    """What judges checks of the past: the oracle, and older ones that are trained again."""

    def __init__(self, site: Site, known: Oracle, trainings: Sequence[Entry]) -> None:
        self._site, self._known, self._trainings = site, known, trainings
        self._trained: dict[Key, Oracle | None] = {_sorted(known.run_ids): known}
        self._oracles: dict[Key, Oracle] = {}
        self._kept: dict[Key, RunSet] = {}
        self._stored = set(site.runs.ids(known.test))
        self.judge = Rejudge(self._oracles, self._runs)
        self.unjudged: list[Unjudged] = []

    def prepare(self, check: PastCheck) -> bool:
        """Return whether a check can be judged again; if not, remember why."""
        why = self._why_not(check)
        if why is not None:
            self.unjudged.append(Unjudged(check, why))
        return why is None

    def _why_not(self, check: PastCheck) -> Why | None:
        key = check.run_ids
        if not self._stored.issuperset(key):
            return Why.RUNS_GONE
        known = self._oracle_at(check)
        if known is None:
            return Why.BASELINE_GONE
        self._oracles[key] = known
        try:
            if check.truth in (Truth.UNCHANGED, Truth.REGRESSION):
                # The search judges these many times.
                self._kept[key] = self._runs(key)
            self.judge(key, {})
        except JudgeError:
            return Why.NOT_JUDGED
        return None

    def _runs(self, key: Key) -> RunSet:
        if key in self._kept:
            return self._kept[key]
        return run_set(stored_runs(self._site, self._known.test, ",".join(key)))

    def _oracle_at(self, check: PastCheck) -> Oracle | None:
        """Return the oracle of a check's time with today's settings; None if it cannot be trained again."""
        training = baseline_of(check.at, self._trainings)
        if training is None:
            # The oracle may have come from elsewhere.
            return self._known
        key = _sorted(training.run_ids)
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


def _refuse_without_effects(project: Project, known: Oracle) -> None:
    keys = detector(known.settings.method).keys
    if any(key.name == MINIMUM_EFFECT for key in keys):
        return
    again = project.door.step(Step(Action.TRAIN, known.test))
    raise UsageError(
        f"the method of {known.test!r} must have minimum effects, as the default has, "
        f"got {known.settings.method}",
        advice=f"leave out judge: method; then {again}",
    )


def _because(unjudged: Sequence[Unjudged]) -> str:
    counts = Counter(one.why for one in unjudged)
    reasons = "; ".join(f"of {format_count(count, 'check')} {why.value}" for why, count in counts.items())
    return f": {reasons}" if reasons else ": the store has none"


def _again(site: Site, known: Oracle) -> str:
    try:
        runs = stored_runs(site, known.test, ",".join(known.run_ids))
    except (BadFileError, JudgeError):
        return site.door.step(Step(Action.TRAIN, known.test))
    ids = [run.id for run in runs]
    between = f"{ids[0]}..{ids[-1]}"
    same = [run.id for run in stored_runs(site, known.test, between, required=False)] == ids
    return site.door.step(Step(Action.TRAIN, known.test, from_runs=between if same else ",".join(ids)))


def _sorted(run_ids: Sequence[str]) -> Key:
    return tuple(sorted(run_ids))
