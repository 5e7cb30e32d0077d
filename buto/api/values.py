"""Functions on what is stored or in memory; none launches a program.

They open stores, load and save oracles, learn and judge from runs in memory, return the history of a test,
label stored runs, and read those labels. ``test`` is the name of a test;
``options`` say where its files are, see :class:`buto.project.options.Location`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack, get_args

from buto import oracle
from buto.actions import labels as labelling
from buto.actions import report
from buto.api.options import locate
from buto.errors import UsageError
from buto.judging.configuration import settings_from
from buto.judging.verdict import Verdict
from buto.oracle import DEFAULT, Oracle
from buto.project.options import Location
from buto.report.history import HistoryEntry
from buto.run.labels import Label, Labelling
from buto.run.model import Run, run_set
from buto.run.storage import place_of
from buto.run.store import RunStore


def open_store(root: str | Path = ".buto") -> RunStore:
    """Open the runs that are stored in a directory or a bucket (``s3://BUCKET/PREFIX``).

    A directory need not exist yet, a bucket must.

    ``tests()`` and ``ids(test)`` list what it has, ``summaries(test)`` how each run went, ``load(test, id)``
    and ``load_set(test)`` load runs, ``add(run)`` and ``delete(test, ids)`` change it.
    """
    return RunStore(place_of(root))


def load_oracle(path: str | Path) -> Oracle:
    """Read an oracle of this or an older version.

    Raises:
        BadFileError: it is missing, cannot be read, is damaged, or of a newer version.
    """
    return oracle.load(Path(path))


def save_oracle(path: str | Path, known: Oracle) -> None:
    """Write an oracle wholly or not at all; missing directories are made.

    Raises:
        StorageError: it cannot be written.
    """
    oracle.save(Path(path), known)


def learn(runs: Iterable[Run], judge: Mapping[str, Any] | None = None) -> Oracle:
    """Learn what is usual from the usable ones of some runs of one test; writes no file.

    Args:
        runs: of one test.
        judge: how to judge, as ``judge`` in ``buto.yaml``: ``{"alpha": 0.05, "fail-on": "worse"}``;
            None for the default method.

    Raises:
        ConfigError, UsageError: a setting means nothing.
        JudgeError: there are too few usable runs, or they are unlike.
    """
    settings = DEFAULT if judge is None else settings_from(judge)
    return oracle.train(run_set(list(runs)).valid(), settings)


def judge(
    known: Oracle, runs: Run | Iterable[Run], *, alpha: float | None = None, of_any_test: bool = False
) -> Verdict:
    """Judge a run, or several together, by an oracle; launches nothing and confirms nothing.

    Args:
        runs: if some of them are usable, only those are judged.
        alpha: to judge by, instead of the oracle's own.
        of_any_test: whether the runs may have been recorded for another test, as another variant of the
            program; else that is an error.

    Raises:
        JudgeError: there are no runs, or they are of another test.
    """
    every = [runs] if isinstance(runs, Run) else list(runs)
    if of_any_test:
        every = [replace(run, test=known.test) for run in every]
    all_runs = run_set(every)
    valid = all_runs.valid()
    by = known if alpha is None else oracle.at_alpha(known, alpha)
    return oracle.check(by, valid if valid.runs else all_runs)


def history(test: str, **options: Unpack[Location]) -> list[HistoryEntry]:
    """Return the checks and trainings of a test, oldest first; :func:`buto.frames.history` makes a frame.

    Raises:
        BadFileError: there are no results, or one is damaged.
    """
    return locate(options).carry_out(report.history, test)


LabelName = Literal["good", "bad", "invalid"]


def label(
    test: str,
    runs: str | Run | Iterable[Run],
    label: LabelName,
    *,
    reason: str = "",
    meant: bool = False,
    **options: Unpack[Location],
) -> Labelling:
    """Say what is true of stored runs; their earlier labels stay in the record.

    Args:
        runs: runs, or which of the stored ones: ``"last"`` for those of the newest check or recording,
            ``"all"``, ids with commas between them, or ``"FIRST..LAST"``.
        label: what they are.
        reason: why, for those who read it later.
        meant: of good runs, whether the program was changed on purpose, so that its check was right to fail;
            else a failed check of them was a false alarm.

    Raises:
        UsageError: there is no such label, or no run.
        BadFileError: a run does not exist.
        StorageError: the label cannot be written.
    """
    if label not in get_args(LabelName):
        raise UsageError(f"a label must be good, bad or invalid, got {label!r}")
    if not isinstance(runs, str):
        every = [runs] if isinstance(runs, Run) else list(runs)
        if not every:
            raise UsageError("there is no run to label")
        runs = ",".join(run.id for run in every)
    request = labelling.LabelRequest(test, runs, Label(label), reason, meant)
    return locate(options).carry_out(labelling.label, request)


def labels(test: str, **options: Unpack[Location]) -> list[Labelling]:
    """Return all labels that were given to runs of a test, by time; :func:`buto.frames.labels` makes a frame.

    Raises:
        BadFileError: there is neither a label nor a run of the test, or a stored label is damaged.
    """
    return locate(options).carry_out(labelling.labels, test)
