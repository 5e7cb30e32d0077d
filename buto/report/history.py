"""The checks of one test over time, from the stored results (see :mod:`buto.run.entries`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from buto.judging.verdict import Status
from buto.report.levels import median_levels
from buto.report.result import FORMAT, TRAINED, VERSION
from buto.report.sanitize import one_line
from buto.report.stored_result import result_of
from buto.report.words import CHANGED
from buto.run.entries import ResultStore
from buto.run.names import start_of
from buto.run.stored import Moment, Share, plain, read

ENTRIES = f"history 6 of {FORMAT} {VERSION}"
"""Version of an entry's data, for the cache."""

ACCEPT = "accept"
"""The command of a result with which a change was accepted."""

ACCEPTED_ORACLE, TRAINED_ORACLE = "ORACLE ACCEPTED", "ORACLE TRAINED"
_SHORT = 9
_DIRTY = "+dirty"


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One check, or one training.

    Attributes:
        at: start of the first run of a check, end of a training.
        status: a verdict's, or ``trained``.
        is_accepted: of a training, whether a change was accepted with it.
        commit: that of the runs, None where it is not known.
        levels: property to the median of its level over the valid runs.
        subjects: of the headlines, what people mind most first.
        run_ids: the valid runs.
        first: levels of the first valid run of a check, where it has several; else empty.
        waived: of a check, the properties whose change a commit says is meant.
        is_welcome: of a check that fails, whether all that changed is for the better.
    """

    at: Moment
    status: str
    commit: str | None
    levels: Mapping[str, float]
    subjects: tuple[str, ...]
    run_ids: tuple[str, ...]
    p_value: Share | None = None
    is_accepted: bool = False
    first: Mapping[str, float] = field(default_factory=dict)
    waived: tuple[str, ...] = ()
    is_welcome: bool = False

    @property
    def first_levels(self) -> Mapping[str, float]:
        """Levels of the first run of a check, which no later run had a part in; of a training the median."""
        return self.first or self.levels

    @property
    def full_commit(self) -> str | None:
        """The full name of the commit; None if it is not known, or files had changed."""
        return None if self.has_changes else self.commit

    @property
    def has_changes(self) -> bool:
        """Whether files differed from the commit."""
        return self.commit is not None and self.commit.endswith(_DIRTY)

    @property
    def result(self) -> str:
        """What a reader sees: the word of a verdict, or whether the oracle was trained or accepted."""
        if not self.is_training:
            return CHANGED if self.is_welcome else self.status
        return ACCEPTED_ORACLE if self.is_accepted else TRAINED_ORACLE

    @property
    def is_training(self) -> bool:
        return self.status == TRAINED

    @property
    def short_commit(self) -> str:
        """The first digits, with ``+`` if files had changed; empty if it is not known."""
        digits, dirty, _ = (self.commit or "").partition(_DIRTY)
        return one_line(digits[:_SHORT], _SHORT) + ("+" if dirty else "")


def load_entries(store: ResultStore, test: str) -> list[HistoryEntry]:
    """Return the stored results of a test by time, see :func:`in_order`; BadFileError if one is damaged."""
    entries = store.read_all(
        test, ENTRIES, lambda content: plain(entry_of(content)), lambda data: read(data, HistoryEntry)
    )
    return in_order(entries)


def entry_of(content: bytes) -> HistoryEntry:
    """Return the entry of one stored result; ValueError if it is not a result, or of another version."""
    result = result_of(content)
    test = result.test
    runs = [run for run in test.runs if run.valid]
    start = start_of(runs[0].id) if runs and test.verdict is not None else None
    commits = [run.commit for run in runs if run.commit is not None]
    verdict = test.verdict
    return HistoryEntry(
        at=start or result.finished,
        status=test.status,
        is_accepted=result.command == ACCEPT,
        commit=commits[-1] if commits else None,
        levels=median_levels([dict(run.levels) for run in runs]),
        first=dict(runs[0].levels) if verdict is not None and len(runs) > 1 else {},
        subjects=tuple(verdict.findings[headline.finding].subject for headline in verdict.headlines)
        if verdict
        else (),
        run_ids=tuple(run.id for run in runs),
        p_value=None if verdict is None else verdict.p_value,
        waived=tuple(
            dict.fromkeys(
                waived_finding.finding.subject for waived_finding in verdict.waived if waived_finding.is_meant
            )
        )
        if verdict
        else (),
        # Earlier results say it also of what was only noted or not decided.
        is_welcome=verdict is not None and verdict.welcome and test.status == Status.REGRESSION.value,
    )


def in_order(entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    """Return the entries by time; of several checks of the same runs, only the last in ``entries``."""
    judged = {entry.run_ids if not entry.is_training else (str(entry.at),): entry for entry in entries}
    return sorted(judged.values(), key=lambda entry: entry.at)


def usual_properties(entries: Sequence[HistoryEntry], at_most: int) -> list[str]:
    """Return default properties to show: those with most findings, else the first one."""
    subjects = [subject for entry in entries for subject in entry.subjects]
    known = {name for entry in entries for name in entry.levels}
    often = sorted(
        {name for name in subjects if name in known}, key=lambda name: (-subjects.count(name), name)
    )
    return often[:at_most] or sorted(known)[:1]


def series(entries: Sequence[HistoryEntry], name: str) -> np.ndarray:
    """Return the levels of a property, shape (n_entries,), NaN where there is none."""
    return np.array([entry.levels.get(name, np.nan) for entry in entries], dtype=np.float64)
