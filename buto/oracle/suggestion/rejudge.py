"""Judging checks of the past again, by the detector itself, as ``buto check`` judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from buto.detectors.effects import MINIMUM_EFFECT, share_that_matters
from buto.detectors.judge import changed
from buto.oracle.check import check, why_confirm, with_settings
from buto.oracle.model import Oracle
from buto.oracle.suggestion.model import Change, Judged
from buto.oracle.suggestion.search import Key
from buto.runs import RunSet
from buto.verdicts import Finding, Status


class Rejudge:
    """Judges checks by the oracles of their time, with other minimum effects; each question once.

    Args:
        oracles: by the runs of a check, what judges it; its detector has minimum effects.
        load: gives these runs.
    """

    def __init__(self, oracles: Mapping[Key, Oracle], load: Callable[[Key], RunSet]) -> None:
        self._oracles, self._load = oracles, load
        self._answers: dict[tuple[Key, tuple[tuple[str, str], ...]], Judged] = {}
        self._confirmed: dict[Key, bool] = {}

    def __call__(self, key: Key, effects: Mapping[str, str]) -> Judged:
        """Return the answer with these effects beside those of the oracle, of which the last one holds.

        Raises:
            BadFileError, JudgeError: the runs cannot be read, or are no runs of the oracle's test.
        """
        asked = (key, tuple(effects.items()))
        if asked not in self._answers:
            self._answers[asked] = self._judged(key, effects)
        return self._answers[asked]

    def _judged(self, key: Key, effects: Mapping[str, str]) -> Judged:
        runs, oracle = self._load(key), with_effects(self._oracles[key], effects)
        verdict = check(oracle, runs)
        fails = verdict.status is Status.REGRESSION
        if fails and self._was_confirmed(key, runs):
            fails = _is_followed(oracle, runs)
        changes = tuple(_change(one) for one in verdict.findings if _has_size(one))
        return Judged(verdict.status, fails, changes)

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
    return why_confirm(oracle, check(oracle, first)) is not None


def _has_size(finding: Finding) -> bool:
    return finding.observed is not None and finding.expected is not None


def _change(finding: Finding) -> Change:
    assert finding.observed is not None
    assert finding.expected is not None
    size = abs(finding.observed - finding.expected) / share_that_matters(finding.measure, finding.unit)
    return Change(finding.subject, finding.unit, size, finding.direction)
