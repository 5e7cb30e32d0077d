"""Warnings about the training runs of a bounds oracle."""

from __future__ import annotations

from buto.analysis.pipeline import Model
from buto.detectors.bounds.findings import Point
from buto.detectors.bounds.settings import BandSettings
from buto.steps import Advice, Setting
from buto.units import format_quantity, format_seconds

FEW_RUNS = 5
"""With fewer runs, Student's t makes bands more than ten times as wide as with many."""

_EXAMPLE = "jvm.memory.heap.used"


def few_runs(n_runs: int, model: Model, duration: Point | None, settings: BandSettings) -> tuple[str, ...]:
    """Return one sentence if the runs are too few, with what they let pass; none if they are enough."""
    if n_runs >= FEW_RUNS:
        return ()
    unnoticed = _unnoticed(model, duration, settings)
    example = f": for example, {' and '.join(unnoticed)} before that is detected" if unnoticed else ""
    many = Setting("runs", "10")
    return (Advice("10 are a good number (", many, ")", fact=f"{n_runs} runs are few{example}"),)


def _unnoticed(model: Model, duration: Point | None, settings: BandSettings) -> list[str]:
    examples = []
    columns = {prop.name: column for column, prop in enumerate(model.properties)}
    if settings.summaries and _EXAMPLE in columns:
        band, column = model.summaries, columns[_EXAMPLE]
        low, high = (format_quantity(side[0, column], "By") for side in (band.lower, band.upper))
        examples.append(f"the mean of {_EXAMPLE} may be anywhere from {low} to {high}")
    if duration is not None:
        low, high = format_seconds(duration.lower), format_seconds(duration.upper)
        examples.append(f"a run may take {low} to {high}")
    return examples
