"""Label stored runs and read their labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Unpack, get_args

from buto.api.options import check_count, located
from buto.errors import UsageError
from buto.options import Location
from buto.oracle.suggestion.model import Suggestion
from buto.runs import Run
from buto.runs.labels import Label, Labelling
from buto.workflow.events import OnEvent, ignore
from buto.workflow.labels import label as labelling
from buto.workflow.labels import suggest as suggesting
from buto.workflow.labels.suggest import NEWEST

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
        test: its name.
        runs: runs, or which of the stored ones: ``"last"`` for those of the newest check or recording,
            ``"all"``, ids with commas between them, or ``"FIRST..LAST"``.
        label: what they are.
        reason: why, for those who read it later.
        meant: of good runs, whether the program was changed on purpose, so that its check was right to fail;
            else a failed check of them was a false alarm.
        options: see :class:`buto.api.options.Location`.

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
    return labelling.label(located(options), request)


def suggest(
    test: str, *, last: int = NEWEST, on_event: OnEvent = ignore, **options: Unpack[Location]
) -> Suggestion:
    """Return which minimum effects would have avoided false alarms without missing a regression.

    Nothing is launched or changed: the stored runs of each check are judged again.

    Args:
        test: its name; it has an oracle.
        last: number of checks without a label that are judged again, the newest ones; all that have a label
            are.
        on_event: is called with every event, see :mod:`buto.workflow.events`.
        options: see :class:`buto.api.options.Location`.

    Raises:
        UsageError: the oracle's method has no minimum effects.
        JudgeError: no check of the past can be judged again.
        BadFileError: there is no oracle, or a label, result or run is damaged.
    """
    check_count("last", last)
    return suggesting.suggest(located(options), suggesting.SuggestRequest(test, last), on_event).found


def labels(test: str, **options: Unpack[Location]) -> list[Labelling]:
    """Return all labels that were given to runs of a test, by time; :func:`buto.frames.labels` makes a frame.

    Args:
        test: its name.
        options: see :class:`buto.api.options.Location`.

    Raises:
        BadFileError: there is neither a label nor a run of the test, or a stored label is damaged.
    """
    return labelling.labels(located(options), test)
