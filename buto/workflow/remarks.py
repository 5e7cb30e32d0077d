"""What usable runs tell of the program itself that the user should know before trusting them."""

from __future__ import annotations

from buto.collect.jvm.program_faults import find_fault
from buto.runs import Run, RunSet
from buto.units import format_count


def remarks(runs: RunSet) -> tuple[str, ...]:
    """Return a sentence each on a JVM without a program, a hidden fault, and processes that were left."""
    found = (_without_program(runs), _hidden_fault(runs), _left_over(runs))
    return tuple(one for one in found if one is not None)


def _without_program(runs: RunSet) -> str | None:
    """Return a warning if no run has a main class, as of ``java -version``."""
    if not len(runs) or any(run.metadata.get("buto.jvm", "unknown") is not None for run in runs):
        return None
    return (
        "the measured JVM ran no main class, as with java -version: nothing of a program was measured; "
        "name the program's main class or jar in the command"
    )


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


def _n_left_over(run: Run) -> int:
    count = run.metadata.get("buto.left_over.processes")
    return count if isinstance(count, int) else 0
