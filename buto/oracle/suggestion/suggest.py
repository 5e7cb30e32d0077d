"""From checks of the past to a suggestion, with what it would have changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from buto.oracle.suggestion.model import (
    Cause,
    Judged,
    PastCheck,
    Rejudged,
    Suggestion,
    Truth,
    Unjudged,
    Why,
    rates,
)
from buto.oracle.suggestion.search import Judge, Key, effects_that_avoid, sizes
from buto.verdicts import Status

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
    now = {one.run_ids: judge(one.run_ids, {}) for one in checks}
    lost = [Unjudged(one, Why.NOT_JUDGED) for one in checks if _is_open(now[one.run_ids])]
    known = [one for one in checks if not _is_open(now[one.run_ids])]
    alarms, regressions = (
        [one.run_ids for one in known if one.truth is truth and now[one.run_ids].fails]
        for truth in (Truth.UNCHANGED, Truth.REGRESSION)
    )
    effects = effects_that_avoid(judge, alarms, regressions)
    again = tuple(Rejudged(one, now[one.run_ids], judge(one.run_ids, effects)) for one in known)
    unconfirmed = {one.check.run_ids for one in again if one.check.is_unconfirmed}
    held_out = _held_out(judge, alarms, regressions, unconfirmed)
    fitted = {*alarms, *regressions} - held_out.keys()
    expected = {one.check.run_ids: one.then for one in again if one.check.run_ids not in fitted} | held_out
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


def _is_open(judged: Judged) -> bool:
    return judged.status is Status.INCONCLUSIVE


def _held_out(
    judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key], unconfirmed: Set[Key]
) -> dict[Key, Judged]:
    """Return how false alarms and regressions are judged by what is suggested without them.

    Args:
        unconfirmed: regressions that are not held out, because no rate contains them.
    """
    found = {}
    for held in spread(alarms, MOST_HELD_OUT):
        others = [one for one in alarms if one != held]
        found[held] = judge(held, effects_that_avoid(judge, others, regressions))
    confirmed = [one for one in regressions if one not in unconfirmed]
    for held in spread(confirmed, MOST_HELD_OUT) if alarms else ():
        others = [one for one in regressions if one != held]
        found[held] = judge(held, effects_that_avoid(judge, alarms, others))
    return found


def spread(keys: Sequence[Key], most: int) -> list[Key]:
    """Return at most so many of these, evenly spread over all."""
    if len(keys) <= most:
        return list(keys)
    return [keys[number * len(keys) // most] for number in range(most)]


def _causes(judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key]) -> tuple[Cause, ...]:
    in_alarms = sizes(judge(one, {}) for one in alarms)
    in_regressions = sizes(judge(one, {}) for one in regressions)
    units = {change.subject: change.unit for one in alarms for change in judge(one, {}).changes}
    causes = [
        Cause(
            subject,
            units[subject],
            len(found),
            max(found),
            len(in_regressions.get(subject, [])),
            min(in_regressions.get(subject, []), default=None),
        )
        for subject, found in in_alarms.items()
    ]
    return tuple(sorted(causes, key=lambda one: -one.n_alarms))
