"""From checks of the past to a suggestion, with what it would have changed.

Checks of the past are judged again by the detector itself, as ``buto check`` judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from buto.judging.configuration import changed
from buto.judging.effects import MINIMUM_EFFECT, feature_called, share_that_matters
from buto.judging.verdict import Difference, Finding, Status
from buto.oracle.check import check, with_settings
from buto.oracle.model import Oracle
from buto.run.model import RunSet
from buto.run.properties import property_for
from buto_replications.suggestions.suggestion import (
    AlarmCause,
    Judge,
    JudgedCheck,
    Key,
    PastCheck,
    PropertyChange,
    Rejudged,
    Suggestion,
    Truth,
    Unjudged,
    UnjudgedReason,
    effects_that_avoid,
    rates,
    sizes,
)

MOST_HELD_OUT = 20
"""False alarms, and regressions, that are held out one after the other: each takes a search of its own."""


def suggest(
    test: str,
    present: Mapping[str, str],
    checks: Sequence[PastCheck],
    judge: Judge,
    unjudged: Sequence[Unjudged] = (),
) -> Suggestion:
    """Return which minimum effects would have avoided false alarms, and what they would have cost.

    Args:
        present: minimum effects of the oracle.
        checks: in the order of time.
        judge: judges each of them; its ``{}`` are the present settings.
        unjudged: checks that cannot be judged again.
    """
    now = {past_check.run_ids: judge(past_check.run_ids, {}) for past_check in checks}
    lost = [
        Unjudged(past_check, UnjudgedReason.NOT_JUDGED)
        for past_check in checks
        if _is_open(now[past_check.run_ids])
    ]
    known = [past_check for past_check in checks if not _is_open(now[past_check.run_ids])]
    alarms, regressions = (
        [
            past_check.run_ids
            for past_check in known
            if past_check.truth is truth and now[past_check.run_ids].fails
        ]
        for truth in (Truth.UNCHANGED, Truth.REGRESSION)
    )
    effects = effects_that_avoid(judge, alarms, regressions)
    again = tuple(
        Rejudged(past_check, now[past_check.run_ids], judge(past_check.run_ids, effects))
        for past_check in known
    )
    unconfirmed = {rejudged.check.run_ids for rejudged in again if rejudged.check.is_unconfirmed}
    held_out = _find_held_out(judge, alarms, regressions, unconfirmed)
    fitted = {*alarms, *regressions} - held_out.keys()
    expected = {
        rejudged.check.run_ids: rejudged.then for rejudged in again if rejudged.check.run_ids not in fitted
    } | held_out
    return Suggestion(
        test,
        dict(present),
        effects,
        again,
        _causes(judge, alarms, regressions),
        rates(expected, again) if alarms else None,
        len(held_out),
        (*unjudged, *lost),
    )


def _is_open(judged: JudgedCheck) -> bool:
    return judged.status is Status.INCONCLUSIVE


def _find_held_out(
    judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key], unconfirmed: Set[Key]
) -> dict[Key, JudgedCheck]:
    """Return how false alarms and regressions are judged by what is suggested without them.

    Args:
        unconfirmed: regressions that are not held out, because no rate contains them.
    """
    judged = {}
    for held in spread(alarms, MOST_HELD_OUT):
        others = [alarm for alarm in alarms if alarm != held]
        judged[held] = judge(held, effects_that_avoid(judge, others, regressions))
    confirmed = [regression for regression in regressions if regression not in unconfirmed]
    for held in spread(confirmed, MOST_HELD_OUT) if alarms else ():
        others = [regression for regression in regressions if regression != held]
        judged[held] = judge(held, effects_that_avoid(judge, alarms, others))
    return judged


def spread(keys: Sequence[Key], most: int) -> list[Key]:
    """Return at most so many of these, evenly spread over all."""
    if len(keys) <= most:
        return list(keys)
    return [keys[number * len(keys) // most] for number in range(most)]


def _causes(judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key]) -> tuple[AlarmCause, ...]:
    in_alarms = sizes(judge(alarm, {}) for alarm in alarms)
    in_regressions = sizes(judge(regression, {}) for regression in regressions)
    units = {change.subject: change.unit for alarm in alarms for change in judge(alarm, {}).changes}
    causes = [
        AlarmCause(
            subject,
            units[subject],
            len(largest),
            max(largest),
            len(in_regressions.get(subject, [])),
            min(in_regressions.get(subject, []), default=None),
        )
        for subject, largest in in_alarms.items()
    ]
    return tuple(sorted(causes, key=lambda cause: -cause.n_alarms))


class Rejudge:
    """Judges checks by the oracles of their time, with other minimum effects; each question once.

    Args:
        oracles: by the runs of a check, what judges it; its detector has minimum effects.
        load: gives these runs.
    """

    def __init__(self, oracles: Mapping[Key, Oracle], load: Callable[[Key], RunSet]) -> None:
        self._oracles, self._load = oracles, load
        self._answers: dict[tuple[Key, tuple[tuple[str, str], ...]], JudgedCheck] = {}
        self._confirmed: dict[Key, bool] = {}

    def __call__(self, key: Key, effects: Mapping[str, str]) -> JudgedCheck:
        """Return the answer with these effects beside those of the oracle, of which the last one holds.

        Raises:
            BadFileError, JudgeError: the runs cannot be read, or are no runs of the oracle's test.
        """
        asked = (key, tuple(effects.items()))
        if asked not in self._answers:
            self._answers[asked] = self._judged(key, effects)
        return self._answers[asked]

    def _judged(self, key: Key, effects: Mapping[str, str]) -> JudgedCheck:
        runs, oracle = self._load(key), with_effects(self._oracles[key], effects)
        verdict = check(oracle, runs)
        fails = verdict.status is Status.REGRESSION
        if fails and self._was_confirmed(key, runs):
            fails = _is_followed(oracle, runs)
        changes = tuple(map(_change, _with_size(verdict.findings)))
        return JudgedCheck(verdict.status, fails, changes)

    def _was_confirmed(self, key: Key, runs: RunSet) -> bool:
        """Return whether the first run alone is followed by others, by the oracle's own settings.

        If not, the number of runs was given, and the first run need not stand out.
        """
        if key not in self._confirmed:
            self._confirmed[key] = len(runs) > 1 and _is_followed(self._oracles[key], runs)
        return self._confirmed[key]


def with_effects(oracle: Oracle, effects: Mapping[str, str]) -> Oracle:
    """Return the same oracle with minimum effects beside its own."""
    if not effects:
        return oracle
    own = present_effects(oracle)
    merged = {**{name: text for name, text in own.items() if name not in effects}, **effects}
    return with_settings(oracle, changed(oracle.settings, {MINIMUM_EFFECT: merged}))


def present_effects(oracle: Oracle) -> dict[str, str]:
    """Return the minimum effects of an oracle."""
    return dict(oracle.settings.own().get(MINIMUM_EFFECT, {}))


def _is_followed(oracle: Oracle, runs: RunSet) -> bool:
    first = RunSet(runs.runs[:1])
    return bool(check(oracle, first).needs_more)


def _with_size(findings: Sequence[Finding]) -> list[Difference]:
    return [
        finding for finding in findings if isinstance(finding, Difference) and finding.expected is not None
    ]


def _change(finding: Difference) -> PropertyChange:
    assert finding.expected is not None
    share = share_that_matters(property_for(finding.subject), feature_called(finding.measure))
    size = abs(finding.observed - finding.expected) / share
    return PropertyChange(finding.subject, finding.unit, size, finding.direction)
