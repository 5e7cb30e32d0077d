"""What a reader of an oracle should know of the runs that it learned from."""

from __future__ import annotations

from buto.oracle.bounds import FittedBounds
from buto.units import format_quantity, format_seconds
from buto.verdicts import FittedDetector

FEW_RUNS = 5
"""Of fewer, Student's t makes bands of more than ten times the deviation that a large sample would give."""

_EXAMPLE = "jvm.memory.heap.used"


def few_runs(n_runs: int, fitted: FittedDetector) -> tuple[str, ...]:
    """One sentence if they are too few, with what they let pass; none if they are enough."""
    if n_runs >= FEW_RUNS:
        return ()
    unnoticed = _unnoticed(fitted) if isinstance(fitted, FittedBounds) else []
    example = f"for example, {' and '.join(unnoticed)} before that is noticed; " if unnoticed else ""
    return (f"{n_runs} runs tell little: {example}10 are a good number (--runs 10)",)


def _unnoticed(fitted: FittedBounds) -> list[str]:
    examples = []
    columns = {prop.name: column for column, prop in enumerate(fitted.model.properties)}
    if fitted.settings.summaries and _EXAMPLE in columns:
        band, column = fitted.model.summaries, columns[_EXAMPLE]
        low, high = (format_quantity(side[0, column], "By") for side in (band.lower, band.upper))
        examples.append(f"the mean of {_EXAMPLE} may be anywhere from {low} to {high}")
    if fitted.duration is not None:
        low, high = format_seconds(fitted.duration.lower), format_seconds(fitted.duration.upper)
        examples.append(f"a run may take {low} to {high}")
    return examples
