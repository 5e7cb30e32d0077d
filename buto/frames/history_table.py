"""The history of a test as a frame: a row for each check and training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from buto.report.history import Entry
from buto.report.words import unit_of

if TYPE_CHECKING:
    import pandas as pd


def history(entries: Iterable[Entry]) -> pd.DataFrame:
    """Return the checks and trainings of one test, in the given order.

    Returns:
        A frame with the time (UTC) as its index, named ``at``, and the columns status (a verdict's, or
        ``trained``), commit (NA if unknown), p_value (``float64``), n_runs, n_findings and worst (the
        subject of the worst finding, NA without findings); and one ``float64`` column for each property
        that any entry has: the median of its level over the valid runs, NaN where an entry lacks it.
        ``frame.attrs["units"]`` maps the columns of properties to their units.
    """
    import pandas as pd

    every = list(entries)
    names = list(dict.fromkeys(name for entry in every for name in entry.levels))
    columns = {
        "status": pd.array([entry.status for entry in every], dtype="string"),
        "commit": pd.array([entry.commit for entry in every], dtype="string"),
        "p_value": pd.array(_floats(entry.p_value for entry in every), dtype="float64"),
        "n_runs": pd.array([len(entry.run_ids) for entry in every], dtype="int64"),
        "n_findings": pd.array([len(entry.subjects) for entry in every], dtype="int64"),
        "worst": pd.array([entry.subjects[0] if entry.subjects else None for entry in every], dtype="string"),
        **{name: pd.array(_floats(entry.levels.get(name) for entry in every), "float64") for name in names},
    }
    at = pd.DatetimeIndex([entry.at for entry in every], dtype="datetime64[ns, UTC]", name="at")
    frame = pd.DataFrame(columns, index=at)
    frame.attrs["units"] = {name: unit_of(name) for name in names}
    return frame


def _floats(numbers: Iterable[float | None]) -> list[float]:
    return [float("nan") if number is None else number for number in numbers]
