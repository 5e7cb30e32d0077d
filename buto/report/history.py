"""The checks of one test over time, from the stored results (see :mod:`buto.run.entries`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from buto.report.levels import median_levels
from buto.report.result import FORMAT, TRAINED, VERSION
from buto.report.sanitize import one_line
from buto.run.entries import ResultStore
from buto.run.names import start_of
from buto.run.stored import parse_json, plain, read

ENTRIES = f"history 3 of {FORMAT} {VERSION}"
"""Version of an entry's data, for the cache."""

ACCEPT = "accept"
"""The command of a result with which a change was accepted."""

ACCEPTED_ORACLE, TRAINED_ORACLE = "ORACLE ACCEPTED", "ORACLE TRAINED"
_SHORT = 9
_DIRTY = "+dirty"


@dataclass(frozen=True, slots=True)
class Entry:
    """One check, or one training.

    Attributes:
        at: start of the first run of a check, end of a training.
        status: a verdict's, or ``trained``.
        is_accepted: of a training, whether a change was accepted with it.
        commit: that of the runs, None where it is not known.
        levels: property to the median of its level over the valid runs.
        subjects: of the findings; of each group the leading one, what matters most to people first.
        run_ids: the valid runs.
    """

    at: datetime
    status: str
    commit: str | None
    levels: Mapping[str, float]
    subjects: tuple[str, ...]
    run_ids: tuple[str, ...]
    p_value: float | None = None
    is_accepted: bool = False

    @property
    def result(self) -> str:
        """What a reader sees: the status, or whether the oracle was trained or accepted."""
        if not self.is_training:
            return self.status
        return ACCEPTED_ORACLE if self.is_accepted else TRAINED_ORACLE

    @property
    def is_training(self) -> bool:
        return self.status == TRAINED

    @property
    def short_commit(self) -> str:
        """The first digits, with ``+`` if files had changed; empty if it is not known."""
        digits, dirty, _ = (self.commit or "").partition(_DIRTY)
        return one_line(digits[:_SHORT], _SHORT) + ("+" if dirty else "")


def stored_entries(store: ResultStore, test: str) -> list[Entry]:
    """Return the stored results of a test by time, see :func:`in_order`; BadFileError if one is damaged."""
    found = store.found(
        test, ENTRIES, lambda content: plain(entry_of(content)), lambda data: read(data, Entry)
    )
    return in_order(found)


def entry_of(content: bytes) -> Entry:
    """Return the entry of one stored result; ValueError if it is not a result, or of another version."""
    data = parse_json(content)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    if data.get("version") != VERSION:
        raise ValueError(f"it is of version {data.get('version')!r}; this buto reads {VERSION}")
    try:
        return _entry(data)
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"it is not a result: {error!r}") from error


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries by time; of several checks of the same runs, only the last in ``entries``."""
    judged = {entry.run_ids if not entry.is_training else (str(entry.at),): entry for entry in entries}
    return sorted(judged.values(), key=lambda entry: entry.at)


def usual_properties(entries: Sequence[Entry], at_most: int) -> list[str]:
    """Return default properties to show: those with most findings, else the first one."""
    found = [subject for entry in entries for subject in entry.subjects]
    known = {name for entry in entries for name in entry.levels}
    often = sorted({name for name in found if name in known}, key=lambda name: (-found.count(name), name))
    return often[:at_most] or sorted(known)[:1]


def series(entries: Sequence[Entry], name: str) -> np.ndarray:
    """Return the levels of a property, shape (n_entries,), NaN where there is none."""
    return np.array([entry.levels.get(name, np.nan) for entry in entries], dtype=np.float64)


def _entry(data: dict[str, object]) -> Entry:
    tests = data["tests"]
    test = tests[0]  # type: ignore[index]
    runs = [run for run in test["runs"] if run["valid"]]
    verdict = test["verdict"]
    start = start_of(runs[0]["id"]) if runs and verdict is not None else None
    commits = [str(run["commit"]) for run in runs if run["commit"] is not None]
    findings = verdict["findings"] if verdict else []
    levels = [{str(name): float(level) for name, level in run["levels"].items()} for run in runs]
    return Entry(
        at=start or datetime.fromisoformat(str(data["finished"])),
        status=str(test["status"]),
        is_accepted=data["command"] == ACCEPT,
        commit=commits[-1] if commits else None,
        levels=median_levels(levels),
        subjects=tuple(str(findings[group[0]]["subject"]) for group in verdict["groups"]) if verdict else (),
        run_ids=tuple(str(run["id"]) for run in runs),
        p_value=None if verdict is None or verdict["p_value"] is None else float(verdict["p_value"]),
    )
