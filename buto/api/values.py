"""Open stores, load and save oracles, and learn and judge from runs that are in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from buto import oracle
from buto.api.options import located
from buto.detectors.judge import settings_from
from buto.experiments.dataset import archive
from buto.options import Location
from buto.oracle import DEFAULT, Oracle
from buto.report.history import Entry
from buto.runs import Run, RunSet, RunStore, run_set
from buto.runs.storage.place import place_of
from buto.verdicts import Verdict
from buto.workflow import history as histories


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


def history(test: str, **options: Unpack[Location]) -> list[Entry]:
    """Return the checks and trainings of a test, oldest first; :func:`buto.frames.history` makes a frame.

    Args:
        test: its name.
        options: see :class:`buto.api.options.Location`.

    Raises:
        BadFileError: there are no results, or one is damaged.
    """
    return histories.history(located(options), test)


def load_data_set(directory: str | Path, host: str = "parallel") -> dict[str, RunSet]:
    """Return a recorded data set, as ``data/experiments`` of buto's repository: its runs by variant.

    Args:
        host: the garbage collector that the runs were recorded with, ``parallel`` or ``g1``.

    Raises:
        BadFileError: a file is missing, damaged, of a newer format, or does not belong to the others.
    """
    return archive.load(Path(directory), host)
