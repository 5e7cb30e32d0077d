"""Samples as frames: a row for each sample, a column for each property."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from buto.errors import JudgeError, UsageError
from buto.properties import Property
from buto.runs import Quality, Run, run_set
from buto.runs.long import LongRun
from buto.runs.window import Window, measured, parse_moment, with_window

if TYPE_CHECKING:
    import pandas as pd

TIME, RUN, TEST = "time", "run", "test"


def samples(
    runs: Run | Iterable[Run], properties: Sequence[str] = (), *, window: tuple[str, str] | bool = False
) -> pd.DataFrame:
    """Return the samples of one run, or of several runs of one test.

    The index is the time since the program's start as ``timedelta64[ns]``, so that pandas can resample,
    roll and slice by time (``frame.loc["1s":"2s"]``). Times are rounded to a nanosecond; the exact seconds
    are ``run.times_s``. Several runs have the run's id as a first level: ``frame.loc[run.id]`` is one run.

    Args:
        runs: one run or several of one test; several are sorted by the order of their start.
        properties: names of the columns in this order; all properties if there are none.
        window: only the part of each run from one moment to another, as ``("load.start + 10s", "load.end")``,
            with its start as time zero and counters that begin with zero there; true for the part that is
            learned and judged.

    Returns:
        A frame of shape (n_samples, n_properties), all ``float64``, in each property's unit. NaN: could
        not be read, or the run does not have this property. ``frame.attrs["units"]`` and
        ``frame.attrs["kinds"]`` map each column to its unit and to ``gauge``, ``counter`` or ``constant``.

    Raises:
        UsageError: no run has a property of one of the names, or a moment is not valid.
        JudgeError: the runs belong to different tests, see :func:`data_set`; or one lacks a mark.
    """
    if window is not False:
        cut = [_part(run, window) for run in ([runs] if isinstance(runs, Run) else runs)]
        runs = cut[0] if isinstance(runs, Run) else cut
    if isinstance(runs, Run):
        return _frame([runs], _columns([runs], properties), _times([runs]))
    import pandas as pd

    every = run_set(list(runs)).runs
    levels = [_repeated([run.id for run in every], every), _times(every)]
    index = pd.MultiIndex.from_arrays(levels, names=[RUN, TIME])
    return _frame(every, _columns(every, properties), index)


def data_set(tests: Mapping[str, Iterable[Run]], properties: Sequence[str] = ()) -> pd.DataFrame:
    """Return the samples of several tests, as of a recorded data set: as :func:`samples`, by test.

    Args:
        tests: the name of a test or variant to its runs, as ``buto.load_data_set`` returns them.
        properties: as for :func:`samples`.

    Returns:
        A frame whose index has the levels test, run and time, sorted: ``frame.loc[test, run.id]`` is one run.

    Raises:
        UsageError: no run of any test has a property of one of the names.
    """
    import pandas as pd

    groups = [(name, run) for name, runs in sorted(tests.items()) for run in run_set(list(runs))]
    every = [run for _, run in groups]
    columns = _columns(every, properties)
    index = pd.MultiIndex.from_arrays(
        [
            _repeated([name for name, _ in groups], every),
            _repeated([run.id for run in every], every),
            _times(every),
        ],
        names=[TEST, RUN, TIME],
    )
    return _frame(every, columns, index)


def _part(run: Run, window: tuple[str, str] | bool) -> Run:
    if isinstance(window, bool):
        return measured(run)
    start, end = map(parse_moment, window)
    found = with_window(replace(run, quality=Quality()), Window(start, end))
    if not found.quality.valid:
        raise JudgeError(found.quality.describe())
    return measured(found)


def _columns(runs: Sequence[Run], names: Sequence[str]) -> list[Property]:
    known: dict[str, Property] = {}
    for run in runs:
        for prop in run.properties:
            known.setdefault(prop.name, prop)
    for name in names:
        if name not in known:
            raise UsageError(
                f"no run has a property {name!r}",
                advice="the names are those of run.properties; samples(runs).columns lists them",
            )
    return [known[name] for name in names] if names else list(known.values())


def _frame(runs: Sequence[Run], columns: Sequence[Property], index: pd.Index) -> pd.DataFrame:
    import pandas as pd

    values = np.full((len(index), len(columns)), np.nan)
    start = 0
    for run in runs:
        whole = run.part(columns) if isinstance(run, LongRun) else run
        rows = values[start : start + whole.n_samples]
        for column, prop in enumerate(columns):
            if prop.name in whole.column_of:
                rows[:, column] = whole.series(prop.name)
        start += whole.n_samples
    frame = pd.DataFrame(values, index, pd.Index([prop.name for prop in columns], name="property"))
    frame.attrs["units"] = {prop.name: prop.unit for prop in columns}
    frame.attrs["kinds"] = {prop.name: prop.kind.value for prop in columns}
    return frame


def _times(runs: Sequence[Run]) -> pd.TimedeltaIndex:
    import pandas as pd

    times_s = [run.whole_times_s if isinstance(run, LongRun) else run.times_s for run in runs]
    whole = np.concatenate(times_s) if times_s else np.empty(0)
    return pd.TimedeltaIndex(np.rint(whole * 1e9).astype("timedelta64[ns]"), name=TIME)


def _repeated(labels: Sequence[str], runs: Sequence[Run]) -> pd.Index:
    import pandas as pd

    repeated = [label for label, run in zip(labels, runs, strict=True) for _ in range(run.n_samples)]
    return pd.Index(repeated, dtype="string")
