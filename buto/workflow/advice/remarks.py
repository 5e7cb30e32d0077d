"""What usable runs tell of the program itself that the user should know before trusting them."""

from __future__ import annotations

from buto.analysis.class_changes import histogram_at_end
from buto.collect.jvm.program_faults import GIVE_INPUT, find_fault
from buto.collect.target import NOT_IN_TRAINING
from buto.properties import LIVE_OBJECTS
from buto.runs import Run, RunSet
from buto.runs.model import INPUT_READ, PROGRAM
from buto.units import format_count


def remarks(runs: RunSet) -> tuple[str, ...]:
    """Return a sentence each on a hidden fault, left processes, other files, and objects not counted."""
    found = (_hidden_fault(runs), _left_over(runs), _of_several_programs(runs), _not_counted(runs))
    return tuple(one for one in found if one is not None)


def _hidden_fault(runs: RunSet) -> str | None:
    for run in runs:
        fault = find_fault(run.stderr)
        if fault is not None:
            count = sum(find_fault(other.stderr) is not None for other in runs)
            return (
                f"in {count} of {format_count(len(runs), 'run')} the program printed a fault and still "
                f"{run.outcome.describe()}: {fault.text}; {fault.advice}"
            )
    return None


def _left_over(runs: RunSet) -> str | None:
    most = max((_n_left_over(run) for run in runs), default=0)
    if most == 0:
        return None
    return (
        f"the command left {format_count(most, 'process')} running at its end, which buto ended: "
        "what they do is not part of the measurement; let the command wait for its children"
    )


def _of_several_programs(runs: RunSet) -> str | None:
    known = {run.metadata.get(PROGRAM) for run in runs} - {None}
    if len(known) < 2:
        return None
    return f"the program's files changed between these {len(runs)} runs, which are of {len(known)} versions"


def _not_counted(runs: RunSet) -> str | None:
    """Return why live objects were not counted at the end, though that was wanted; None if they were."""
    missing = [
        run
        for run in runs
        if LIVE_OBJECTS in run.column_of
        and histogram_at_end(run) is None
        and run.nan_reasons.get(LIVE_OBJECTS) != NOT_IN_TRAINING
    ]
    if not missing:
        return None
    where = "" if len(missing) == len(runs) else f" in {len(missing)} of {format_count(len(runs), 'run')}"
    reason = missing[0].nan_reasons.get(LIVE_OBJECTS, "")
    return f"live objects were not counted at the end{where}: {reason}"


def input_remark(runs: RunSet) -> str | None:
    """Return a sentence on runs that read their standard input, which is empty, and yet ended well."""
    count = sum(run.metadata.get(INPUT_READ) is True for run in runs)
    if not count:
        return None
    return (
        f"in {count} of {format_count(len(runs), 'run')} the program read its standard input, which is empty "
        f"under buto; if it needs input, {GIVE_INPUT}"
    )


def _n_left_over(run: Run) -> int:
    count = run.metadata.get("buto.left_over.processes")
    return count if isinstance(count, int) else 0
