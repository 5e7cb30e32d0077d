"""The checks of the past, with what is known of them, and the trainings that they were judged by.

Labelled runs of the past can be found that are like those of a check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from buto.actions.hooks import Addition
from buto.actions.stored import Site
from buto.judging.readable import EACH_SECOND
from buto.oracle import METADATA_SOURCE, Checked
from buto.oracle.suggestion import PastCheck, Truth
from buto.report.history import Entry, stored_entries
from buto.report.levels import levels, median_levels
from buto.report.likeness import LabelledRuns, likes
from buto.run.entries import ResultStore
from buto.run.labels import LABEL, Label, Labelling, LabelStore, current
from buto.run.model import SESSION
from buto.run.names import start_of
from buto.run.storage import Place
from buto.steps import Action

_OF_GROUPS = (LABEL, Action.BISECT.value)
"""Commands whose labels make runs that no check has judged a check of their own."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def past_checks(site: Site, test: str) -> tuple[list[PastCheck], list[Entry]]:
    """Return checks and labelled recordings by time, and trainings by time; neither needs its runs.

    Runs that are labelled invalid are left out. If the labels of a check's runs differ, the last decision of
    a person counts, or the last label if there is none.
    """
    entries = stored_entries(ResultStore(site.store), test)
    given = current(LabelStore(site.store).all(test))
    trainings = [one for one in entries if one.is_training]
    judged = _whole([one.run_ids for one in entries if not one.is_training and one.run_ids])
    taken = {run for runs in (*judged, *(one.run_ids for one in trainings)) for run in runs}
    others = {run: one for run, one in given.items() if run not in taken and one.command in _OF_GROUPS}
    groups = (*judged, *_together(site, test, others))
    checks = [one for one in (_check(runs, given) for runs in groups) if one is not None]
    return sorted(checks, key=lambda one: one.at), sorted(trainings, key=known_since)


def known_since(training: Entry) -> datetime:
    """Return the start of a training's last run: checks that started later could be judged by it."""
    return max((_start(run) for run in training.run_ids), default=_LONG_AGO)


def baseline_of(at: datetime, trainings: Iterable[Entry]) -> Entry | None:
    """Return the last training before a time; None if there is none.

    Args:
        trainings: by time, see :func:`known_since`.
    """
    before = [one for one in trainings if one.run_ids and known_since(one) < at]
    return before[-1] if before else None


def _whole(groups: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the groups that are no part of another: some runs of a check may be judged again alone."""
    found: list[tuple[str, ...]] = []
    for runs in sorted(groups, key=len, reverse=True):
        if not any(set(runs) <= set(one) for one in found):
            found.append(runs)
    return found


def start_of_runs(run_ids: Iterable[str]) -> datetime:
    return min(map(_start, run_ids))


def _start(run_id: str) -> datetime:
    return start_of(run_id) or _LONG_AGO


def _check(run_ids: Sequence[str], given: Mapping[str, Labelling]) -> PastCheck | None:
    """Return a check with the truth of its runs; None if all of them are invalid."""
    invalid = {run for run in run_ids if run in given and given[run].label is Label.INVALID}
    usable = tuple(run for run in sorted(run_ids) if run not in invalid)
    if not usable:
        return None
    labels = [given[run] for run in usable if run in given]
    if not labels:
        return PastCheck(usable, _start(usable[0]), Truth.UNKNOWN)
    counts = max(labels, key=lambda one: (one.is_decision, one.at))
    # Who trains again on the runs of a check has accepted what they show.
    is_meant = counts.meant or counts.command == Action.TRAIN.value
    truth = Truth.MEANT if is_meant else Truth.UNCHANGED
    truth = Truth.REGRESSION if counts.label is Label.BAD else truth
    return PastCheck(usable, _start(usable[0]), truth, counts.command, counts.person, counts.reason)


def _together(site: Site, test: str, labelled: Mapping[str, Labelling]) -> list[tuple[str, ...]]:
    """Return labelled runs that no check has judged: those of one command with one label together."""
    if not labelled:
        return []
    found: dict[tuple[object, Labelling], list[str]] = {}
    for one in site.runs.summaries(test):
        if one.id in labelled and one.head is not None and one.head.quality.valid:
            session = one.head.metadata.get(SESSION, one.id)
            found.setdefault((session, labelled[one.id]), []).append(one.id)
    return [tuple(runs) for runs in found.values()]


def like_runs(site: Site, checked: Checked) -> Addition:
    """Return the labelled runs in which about the same changed; none for a verdict without findings.

    None for old and new in turns, either: labelled runs were judged by an oracle.
    """
    known, verdict = checked.oracle, checked.verdict
    if checked.against is not None or all(one.source == METADATA_SOURCE for one in verdict.findings):
        return Addition()
    labelled = list(_labelled(site.store, known.test, verdict.run_ids))
    if not labelled:
        return Addition()
    now = median_levels([levels(run) for run in checked.runs.valid()])
    usual = [one for one in known.fitted.levels() if one.number != EACH_SECOND]
    return Addition(likes=likes(now, usual, labelled))


def _labelled(store: Place, test: str, judged: Sequence[str]) -> Iterator[LabelledRuns]:
    """Yield the checks and acceptances of a test whose runs have a label of their own, without the judged."""
    given = {
        run: one
        for run, one in current(LabelStore(store).all(test)).items()
        if one.command != Action.TRAIN.value and one.label is not Label.INVALID
    }
    if not given:
        return
    entries = stored_entries(ResultStore(store), test)
    trainings = sorted((one for one in entries if one.is_training), key=known_since)
    for one in entries:
        labels = [given[run] for run in one.run_ids if run in given]
        labelling = max(labels, key=lambda one: (one.is_decision, one.at), default=None)
        if labelling is None or not set(one.run_ids).isdisjoint(judged):
            continue
        at = start_of_runs(one.run_ids)
        before = baseline_of(at, trainings)
        yield LabelledRuns(one.run_ids, at, labelling, one.levels, None if before is None else before.levels)
