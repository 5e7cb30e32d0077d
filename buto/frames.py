"""Pandas views of runs, their samples and labels, of findings, histories and data sets.

Pandas is imported when a frame is made. Nothing here reads files or computes: a frame has the numbers of the
values it is made of, to the bit. It has a row for each finding, check or training, run, label that a run has
or had, mark, or sample; a frame of samples has a column for each property. Columns have the same types
whatever the data are, in an empty frame too: numbers are ``float64`` with NaN for what is not known, counts
that may be unknown are ``Int64``, texts are ``string``, both with NA.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from buto.errors import JudgeError, UsageError
from buto.extensions import optional_packages
from buto.judging.verdict import Difference, Verdict
from buto.report.history import HistoryEntry
from buto.report.words import unit_of
from buto.run.labels import Labelling, run_labels
from buto.run.model import Quality, Run, run_set
from buto.run.names import start_of
from buto.run.properties import Property
from buto.run.window import Window, cut_to_window, parse_moment, with_window

if TYPE_CHECKING:
    import pandas as pd


@optional_packages("a frame")
def findings(verdict: Verdict) -> pd.DataFrame:
    """Return the findings of a verdict, worst first as there, and then what is noted.

    Returns:
        A frame with the columns of :class:`buto.judging.verdict.Finding`: source, subject, run_id, direction,
        effect, unit, measure and text as ``string``, the enumerations by their values; observed, lower,
        upper, expected, at_s, window_start_s, window_end_s, outside_share, severity and evidence as
        ``float64``, NaN where the detector gives no number; and noted as ``bool``, false for a finding.
        ``frame.attrs`` has the verdict's ``status``,
        ``detector``, ``p_value`` and ``alpha``.
    """
    import pandas as pd

    every = (*verdict.findings, *verdict.noted)
    numbered = [finding if isinstance(finding, Difference) else None for finding in every]
    windows = [(None, None) if finding is None else finding.window_s or (None, None) for finding in numbered]
    texts = {
        "source": [finding.source for finding in every],
        "subject": [finding.subject for finding in every],
        "run_id": [finding.run_id for finding in every],
        "direction": [finding.direction.value for finding in every],
        "effect": [finding.effect.value for finding in every],
        "unit": [finding.unit if isinstance(finding, Difference) else "" for finding in every],
        "measure": [finding.measure if isinstance(finding, Difference) else "" for finding in every],
    }
    numbers = {
        **{
            name: [None if finding is None else getattr(finding, name) for finding in numbered]
            for name in ("observed", "lower", "upper", "expected", "at_s")
        },
        "window_start_s": [start for start, _ in windows],
        "window_end_s": [end for _, end in windows],
        "outside_share": [None if finding is None else finding.outside_share for finding in numbered],
        "severity": [finding.severity for finding in every],
        "evidence": [finding.evidence for finding in every],
    }
    frame = pd.DataFrame(
        {
            **{name: pd.Series(column, dtype="string") for name, column in texts.items()},
            **{name: pd.Series(column, dtype="float64") for name, column in numbers.items()},
            "text": pd.Series([finding.text for finding in every], dtype="string"),
            "noted": pd.Series([False] * len(verdict.findings) + [True] * len(verdict.noted), dtype="bool"),
        }
    )
    frame.attrs.update(
        status=verdict.status.value, detector=verdict.detector, p_value=verdict.p_value, alpha=verdict.alpha
    )
    return frame


@optional_packages("a frame")
def history(entries: Iterable[HistoryEntry]) -> pd.DataFrame:
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


@optional_packages("a frame")
def labels(of: Iterable[Labelling]) -> pd.DataFrame:
    """Return every label that runs of one test have or had, by run and time.

    Returns:
        A frame with the run's id as its index, named ``run``, and the columns test, label, command, person
        and reason (``string``, the last two empty if not known), at (UTC), meant (``bool``): of good runs,
        whether the program was changed on purpose, and replaced (``bool``): whether another label of this run
        counts instead.
    """
    import pandas as pd

    every = run_labels(of)
    given = [label.labelling for label in every]
    texts = {
        "test": [labelling.test for labelling in given],
        "label": [labelling.label.value for labelling in given],
        "command": [labelling.command for labelling in given],
        "person": [labelling.person for labelling in given],
        "reason": [labelling.reason for labelling in given],
    }
    columns = {
        **{name: pd.array(column, dtype="string") for name, column in texts.items()},
        "at": pd.array([labelling.at for labelling in given], dtype="datetime64[ns, UTC]"),
        "meant": pd.array([labelling.meant for labelling in given], dtype="bool"),
        "replaced": pd.array([label.is_replaced for label in every], dtype="bool"),
    }
    return pd.DataFrame(columns, pd.Index([label.run_id for label in every], dtype="string", name="run"))


@optional_packages("a frame")
def runs(of: Iterable[Run]) -> pd.DataFrame:
    """Return how each run went and whether it may be used, in the given order.

    Returns:
        A frame with the run's id as its index and the columns: test; start (UTC; NaT if the id does not
        say it); exit_code and signal (``Int64``, NA as in :class:`buto.run.Outcome`); timed_out;
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


@optional_packages("a frame")
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


@optional_packages("a frame")
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


@optional_packages("a frame")
def _ids(every: list[Run]) -> pd.Index:
    import pandas as pd

    return pd.Index([run.id for run in every], dtype="string", name="run")


def _kinds(run: Run) -> str:
    return " ".join(problem.kind.value for problem in run.quality.problems)


TIME, RUN, TEST = "time", "run", "test"


@optional_packages("a frame")
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
    levels = [_repeat([run.id for run in every], every), _times(every)]
    index = pd.MultiIndex.from_arrays(levels, names=[RUN, TIME])
    return _frame(every, _columns(every, properties), index)


@optional_packages("a frame")
def data_set(tests: Mapping[str, Iterable[Run]], properties: Sequence[str] = ()) -> pd.DataFrame:
    """Return the samples of several tests, as of a recorded data set: as :func:`samples`, by test.

    Args:
        tests: the name of a test or variant to its runs.
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
            _repeat([name for name, _ in groups], every),
            _repeat([run.id for run in every], every),
            _times(every),
        ],
        names=[TEST, RUN, TIME],
    )
    return _frame(every, columns, index)


def _part(run: Run, window: tuple[str, str] | bool) -> Run:
    if isinstance(window, bool):
        return cut_to_window(run)
    start, end = map(parse_moment, window)
    part = with_window(replace(run, quality=Quality()), Window(start, end))
    if not part.quality.valid:
        raise JudgeError(part.quality.describe())
    return cut_to_window(part)


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


@optional_packages("a frame")
def _frame(runs: Sequence[Run], columns: Sequence[Property], index: pd.Index) -> pd.DataFrame:
    import pandas as pd

    values = np.full((len(index), len(columns)), np.nan)
    start = 0
    for run in runs:
        rows = values[start : start + run.n_samples]
        for column, prop in enumerate(columns):
            if prop.name in run.column_of:
                rows[:, column] = run.series(prop.name)
        start += run.n_samples
    frame = pd.DataFrame(values, index, pd.Index([prop.name for prop in columns], name="property"))
    frame.attrs["units"] = {prop.name: prop.unit for prop in columns}
    frame.attrs["kinds"] = {prop.name: prop.kind.value for prop in columns}
    return frame


@optional_packages("a frame")
def _times(runs: Sequence[Run]) -> pd.TimedeltaIndex:
    import pandas as pd

    times_s = [run.times_s for run in runs]
    whole = np.concatenate(times_s) if times_s else np.empty(0)
    return pd.TimedeltaIndex(np.rint(whole * 1e9).astype("timedelta64[ns]"), name=TIME)


@optional_packages("a frame")
def _repeat(labels: Sequence[str], runs: Sequence[Run]) -> pd.Index:
    import pandas as pd

    repeated = [label for label, run in zip(labels, runs, strict=True) for _ in range(run.n_samples)]
    return pd.Index(repeated, dtype="string")
