"""Runs as frames: a row for each run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from buto.runs import Run
from buto.runs.names import start_of

if TYPE_CHECKING:
    import pandas as pd


def runs(of: Iterable[Run]) -> pd.DataFrame:
    """Return how each run went and whether it may be used, in the given order.

    Returns:
        A frame with the run's id as its index and the columns: test; start (UTC; NaT if the id does not
        say it); exit_code and signal (``Int64``, NA as in :class:`buto.runs.Outcome`); timed_out;
        duration_s; last_sample; n_samples; n_properties; valid; problem_kinds (joined by blanks) and
        problems (their texts, joined by ``; ``), both empty for a valid run; missed_share; largest_gap_s;
        foreign_load (NaN if unknown).
    """
    import pandas as pd

    every = list(of)
    columns = {
        "test": pd.array([run.test for run in every], dtype="string"),
        "start": pd.array([start_of(run.id) for run in every], dtype="datetime64[ns, UTC]"),
        "exit_code": pd.array([run.outcome.exit_code for run in every], dtype="Int64"),
        "signal": pd.array([run.outcome.signal for run in every], dtype="Int64"),
        "timed_out": pd.array([run.outcome.timed_out for run in every], dtype="bool"),
        "duration_s": pd.array([run.outcome.duration_s for run in every], dtype="float64"),
        "last_sample": pd.array([run.outcome.last_sample for run in every], dtype="string"),
        "n_samples": pd.array([run.n_samples for run in every], dtype="int64"),
        "n_properties": pd.array([len(run.properties) for run in every], dtype="int64"),
        "valid": pd.array([run.quality.valid for run in every], dtype="bool"),
        "problem_kinds": pd.array([_kinds(run) for run in every], dtype="string"),
        "problems": pd.array([run.quality.describe() for run in every], dtype="string"),
        "missed_share": pd.array([run.quality.missed_share for run in every], dtype="float64"),
        "largest_gap_s": pd.array([run.quality.largest_gap_s for run in every], dtype="float64"),
        "foreign_load": pd.array([run.quality.foreign_load for run in every], dtype="float64"),
    }
    return pd.DataFrame(columns, index=_ids(every))


def metadata(of: Iterable[Run]) -> pd.DataFrame:
    """Return the metadata of each run, in the given order.

    Returns:
        A frame with the run's id as its index and a column for each key that any run has, in order of
        first appearance. All columns are of type ``object`` and have the values as they were recorded:
        text, number, truth value or None. None also stands where a run does not have the key.
    """
    import pandas as pd

    every = list(of)
    index = _ids(every)
    keys = list(dict.fromkeys(key for run in every for key in run.metadata))
    columns = {
        key: pd.Series([run.metadata.get(key) for run in every], index, dtype="object") for key in keys
    }
    return pd.DataFrame(columns, index, pd.Index(keys, dtype="string"))


def marks(of: Iterable[Run]) -> pd.DataFrame:
    """Return the marks of runs, in the given order of the runs and by time in each.

    Returns:
        A frame with the columns run, name and text (texts) and time_s (``float64``, seconds from the
        program's start).
    """
    import pandas as pd

    every = [(run.id, mark) for run in of for mark in run.marks]
    return pd.DataFrame(
        {
            "run": pd.array([run_id for run_id, _ in every], dtype="string"),
            "time_s": pd.array([mark.time_s for _, mark in every], dtype="float64"),
            "name": pd.array([mark.name for _, mark in every], dtype="string"),
            "text": pd.array([mark.text for _, mark in every], dtype="string"),
        }
    )


def _ids(every: list[Run]) -> pd.Index:
    import pandas as pd

    return pd.Index([run.id for run in every], dtype="string", name="run")


def _kinds(run: Run) -> str:
    return " ".join(problem.kind.value for problem in run.quality.problems)
