"""What a reader of an oracle should know of the runs that it learned from."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from buto.detectors.bounds.detector import FittedBounds
from buto.detectors.calibrated.detector import FittedCalibrated
from buto.detectors.calibrated.diagnosis import Ailment, Diagnosis, Symptom, diagnose
from buto.detectors.calibrated.evidence import runs_needed
from buto.detectors.calibrated.findings import TEXTS
from buto.detectors.protocol import FittedDetector
from buto.runs import RunSet
from buto.units import format_quantity, format_seconds

FEW_RUNS = 5
"""Of fewer, Student's t makes bands of more than ten times the deviation that a large sample would give."""

GOOD_RUNS = 10

CONFIRMED_BY = 3
"""Runs of a check in which the first one stands out."""

_EXAMPLE = "jvm.memory.heap.used"


def few_runs(n_runs: int, fitted: FittedDetector) -> tuple[str, ...]:
    """One sentence if they are too few, with what they let pass; none if they are enough."""
    if isinstance(fitted, FittedCalibrated):
        return _few_for_rank(n_runs, fitted.settings.alpha)
    if n_runs >= FEW_RUNS:
        return ()
    unnoticed = _unnoticed(fitted) if isinstance(fitted, FittedBounds) else []
    example = f"for example, {' and '.join(unnoticed)} before that is noticed; " if unnoticed else ""
    return (f"{n_runs} runs tell little: {example}10 are a good number (--runs 10, in a test runs=10)",)


def _few_for_rank(n_runs: int, alpha: float) -> tuple[str, ...]:
    enough = runs_needed(CONFIRMED_BY, alpha)
    if n_runs >= enough:
        return ()
    good = max(GOOD_RUNS, enough)
    said = (
        f"{n_runs} runs tell little: small changes go unnoticed, and below {enough} even {CONFIRMED_BY} "
        f"runs of a check need an assumption on distributions; {good} are a good number "
        f"(--runs {good}, in a test runs={good})"
    )
    return (said,)


def unlike(runs: RunSet, fitted: FittedDetector) -> tuple[str, ...]:
    """A sentence for each way in which the training runs are not alike, with what shows it or helps.

    Args:
        runs: those that were learned from, in the order of their start.
    """
    if not isinstance(fitted, FittedCalibrated):
        return ()
    return tuple(_told(one, runs) for one in diagnose(fitted.profile, fitted.settings))


def _told(diagnosis: Diagnosis, runs: RunSet) -> str:
    test = shlex.quote(runs.runs[0].test)
    ids = [runs.runs[place].id for place in diagnosis.runs]
    if diagnosis.ailment is Ailment.DRIFT:
        what = _compared(diagnosis.symptoms, "in the later half of the runs", "in the earlier")
        return (
            f"the runs drifted while they were made, so that the oracle is wide: {what}; "
            f"record anew when the machine has come to rest: buto train {test}"
        )
    if diagnosis.ailment is Ailment.OUTLIER:
        what = _compared(diagnosis.symptoms, "in it", "in the others")
        return (
            f"run {ids[0]} stands apart from the others and makes the oracle wide: {what}; "
            f"see it: buto runs show {test} {ids[0]}; leave it out: buto runs delete {test} {ids[0]}, "
            f"then buto train {test} --from-runs all"
        )
    what = _compared(diagnosis.symptoms, f"in {len(ids)} runs", f"in the other {len(runs) - len(ids)}")
    return (
        f"the program behaves in two ways, and the oracle is wide enough for both: {what}; "
        f"see what differs: buto runs show {test} {ids[0]}; the runs: {', '.join(ids)}"
    )


def _compared(symptoms: Sequence[Symptom], there: str, elsewhere: str) -> str:
    return "; ".join(_symptom(one, there, elsewhere) for one in symptoms)


def _symptom(one: Symptom, there: str, elsewhere: str) -> str:
    ours, theirs = (format_quantity(value, one.quantity.unit) for value in (one.there, one.elsewhere))
    return f"{one.quantity.name} ({TEXTS[one.feature]}) {ours} {there}, {theirs} {elsewhere}"


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
