"""The comparison of predictions with measurements, as tables and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from buto.judging.verdict import Status
from buto_replications.report.content import TextTable, csv_text
from buto_replications.store.evaluation import CORES
from buto_replications.store.measured import MeasuredChange, PredictedNumber, RecordingEvaluation
from buto_replications.store.near import near_table
from buto_replications.store.recorded import RecordingIndex
from buto_replications.store.simulated import JudgedVersion, VersionOutcome, counts, published

BUSY = 0.7
"""Above this measured utilisation, response times depend on what no model knows."""

_RIGHT = (VersionOutcome.FOUND, VersionOutcome.QUIET)


def tables(evaluation: RecordingEvaluation, index: RecordingIndex) -> Iterator[TextTable]:
    yield _versions(evaluation.changed)
    yield _scores(evaluation, index)
    yield _errors(evaluation.numbers)
    yield near_table(evaluation.changes, (version.version for version in evaluation.changed))
    wrong = _wrong(evaluation)
    if wrong.rows:
        yield wrong


def numbers_csv(evaluation: RecordingEvaluation) -> str:
    names = ("version", "load", "what", "predicted", "measured", "utilisation")
    rows = [
        (
            *(getattr(number, name) for name in names[:3]),
            *(f"{getattr(number, name):.6g}" for name in names[3:]),
        )
        for number in evaluation.numbers
    ]
    return csv_text(names, rows)


def _versions(changed: Sequence[JudgedVersion]) -> TextTable:
    return TextTable(
        "Changed versions: the largest Cliff's delta of an endpoint's response times",
        ("load", "changed", "slower by", "measured", "predicted", "status", "outcome"),
        tuple(
            (
                version.load,
                version.location,
                f"{100 * version.intensity:.0f} %",
                f"{version.truth:.3f}",
                f"{version.predicted:.3f}",
                version.status.value,
                version.outcome.value,
            )
            for version in changed
        ),
        left=2,
    )


def _scores(evaluation: RecordingEvaluation, index: RecordingIndex) -> TextTable:
    fixed = [version for version in evaluation.changed if version.load == index.fixed]
    varied = [version for version in evaluation.changed if version.load != index.fixed]
    rows = (
        ("fixed load", published("fixed load"), fixed),
        ("varied loads", published("varied loads"), varied),
        ("no change, or one too small to matter", "", evaluation.unchanged),
    )
    return TextTable(
        "How often the prediction was right; by delta alone: without its interval, as in the paper",
        ("", "paper", "ours", "versions", "right", "right by delta alone"),
        tuple(
            (
                what,
                paper,
                counts(judged),
                str(len(judged)),
                str(sum(version.outcome in _RIGHT for version in judged)),
                str(sum(version.agrees for version in judged)),
            )
            for what, paper, judged in rows
        ),
        left=3,
        notes=tuple(_notes(evaluation)),
    )


def _notes(evaluation: RecordingEvaluation) -> Iterator[str]:
    """Yield which unchanged versions were not rightly judged, and how much they differ as measured."""
    for version in evaluation.unchanged:
        if version.outcome not in _RIGHT:
            yield f"{version.outcome.value}: {version.version}, load {version.load}"
    names = {version.version for version in evaluation.unchanged}
    measured = [change for change in evaluation.changes if change.version in names]
    if measured:
        most = max(measured, key=lambda change: change.measured_delta)
        yield (
            "the largest measured delta without a change that matters is "
            f"{most.measured_delta:.3f}: {most.version}, load {most.load}, {most.endpoint}"
        )


def _errors(numbers: Sequence[PredictedNumber]) -> TextTable:
    below = [number for number in numbers if number.utilisation < BUSY]
    rows = []
    for what in sorted({number.what for number in below}, key=lambda name: (name == CORES, name)):
        errors = np.abs([number.error for number in below if number.what == what])
        middle, high = np.quantile(errors, [0.5, 0.9])
        rows.append((what, str(len(errors)), f"{100 * middle:.1f} %", f"{100 * high:.1f} %"))
    return TextTable(
        f"Errors of predicted mean response times and utilisation, below a utilisation of {100 * BUSY:.0f} %",
        ("", "versions and loads", "median error", "90 % within"),
        tuple(rows),
        notes=(f"{len(numbers) - len(below)} of {len(numbers)} numbers are at or above this utilisation",),
    )


def _wrong(evaluation: RecordingEvaluation) -> TextTable:
    """Return each endpoint at which a version was not rightly judged, with what was expected there."""
    judged = (*evaluation.changed, *evaluation.unchanged)
    wrong = {(version.version, version.load) for version in judged if version.outcome not in _RIGHT}
    return TextTable(
        "Versions that were not rightly judged, by endpoint",
        ("version", "load", "endpoint", "change measured", "predicted", "delta measured", "predicted",
         "interval", "status"),
        tuple(_row(change) for change in evaluation.changes if (change.version, change.load) in wrong),
        left=3,
    )  # fmt: skip


def _row(change: MeasuredChange) -> tuple[str, ...]:
    low, high = change.interval
    return (
        change.version,
        change.load,
        change.endpoint,
        f"{100 * change.measured:+.1f} %",
        f"{100 * change.predicted:+.1f} %",
        f"{change.measured_delta:.3f}{'' if change.significant else ' (not significant)'}",
        f"{change.predicted_delta:.3f}",
        f"{low:.3f} to {high:.3f}",
        "" if change.status is Status.PASS else change.status.value,
    )
