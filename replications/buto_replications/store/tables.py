"""The comparison of predictions with measurements, as tables and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from buto.judging.verdict import Status
from buto_replications.report.content import Columns, csv_text
from buto_replications.store.evaluation import CORES
from buto_replications.store.measured import Change, Evaluation, Number
from buto_replications.store.near import near_table
from buto_replications.store.recorded import Index
from buto_replications.store.simulated import Judged, Outcome, counts, published

BUSY = 0.7
"""Above this measured utilisation, response times depend on what no model knows."""

_RIGHT = (Outcome.FOUND, Outcome.QUIET)


def tables(evaluation: Evaluation, index: Index) -> Iterator[Columns]:
    yield _versions(evaluation.changed)
    yield _scores(evaluation, index)
    yield _errors(evaluation.numbers)
    yield near_table(evaluation.changes, (one.version for one in evaluation.changed))
    wrong = _wrong(evaluation)
    if wrong.rows:
        yield wrong


def numbers_csv(evaluation: Evaluation) -> str:
    names = ("version", "load", "what", "predicted", "measured", "utilisation")
    rows = [
        (
            *(getattr(one, name) for name in names[:3]),
            *(f"{getattr(one, name):.6g}" for name in names[3:]),
        )
        for one in evaluation.numbers
    ]
    return csv_text(names, rows)


def _versions(changed: Sequence[Judged]) -> Columns:
    return Columns(
        "Changed versions: the largest Cliff's delta of an endpoint's response times",
        ("load", "changed", "slower by", "measured", "predicted", "status", "outcome"),
        tuple(
            (
                one.load,
                one.location,
                f"{100 * one.intensity:.0f} %",
                f"{one.truth:.3f}",
                f"{one.predicted:.3f}",
                one.status.value,
                one.outcome.value,
            )
            for one in changed
        ),
        left=2,
    )


def _scores(evaluation: Evaluation, index: Index) -> Columns:
    fixed = [one for one in evaluation.changed if one.load == index.fixed]
    varied = [one for one in evaluation.changed if one.load != index.fixed]
    rows = (
        ("fixed load", published("fixed load"), fixed),
        ("varied loads", published("varied loads"), varied),
        ("no change, or one too small to matter", "", evaluation.unchanged),
    )
    return Columns(
        "How often the prediction was right; by delta alone: without its interval, as in the paper",
        ("", "paper", "ours", "versions", "right", "right by delta alone"),
        tuple(
            (
                what,
                paper,
                counts(judged),
                str(len(judged)),
                str(sum(one.outcome in _RIGHT for one in judged)),
                str(sum(one.agrees for one in judged)),
            )
            for what, paper, judged in rows
        ),
        left=3,
        notes=tuple(_notes(evaluation)),
    )


def _notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield which unchanged versions were not rightly judged, and how much they differ as measured."""
    for one in evaluation.unchanged:
        if one.outcome not in _RIGHT:
            yield f"{one.outcome.value}: {one.version}, load {one.load}"
    names = {one.version for one in evaluation.unchanged}
    measured = [one for one in evaluation.changes if one.version in names]
    if measured:
        most = max(measured, key=lambda one: one.measured_delta)
        yield (
            "the largest measured delta without a change that matters is "
            f"{most.measured_delta:.3f}: {most.version}, load {most.load}, {most.endpoint}"
        )


def _errors(numbers: Sequence[Number]) -> Columns:
    below = [one for one in numbers if one.utilisation < BUSY]
    rows = []
    for what in sorted({one.what for one in below}, key=lambda name: (name == CORES, name)):
        errors = np.abs([one.error for one in below if one.what == what])
        middle, high = np.quantile(errors, [0.5, 0.9])
        rows.append((what, str(len(errors)), f"{100 * middle:.1f} %", f"{100 * high:.1f} %"))
    return Columns(
        f"Errors of predicted mean response times and utilisation, below a utilisation of {100 * BUSY:.0f} %",
        ("", "versions and loads", "median error", "90 % within"),
        tuple(rows),
        notes=(f"{len(numbers) - len(below)} of {len(numbers)} numbers are at or above this utilisation",),
    )


def _wrong(evaluation: Evaluation) -> Columns:
    """Return each endpoint at which a version was not rightly judged, with what was expected there."""
    judged = (*evaluation.changed, *evaluation.unchanged)
    wrong = {(one.version, one.load) for one in judged if one.outcome not in _RIGHT}
    return Columns(
        "Versions that were not rightly judged, by endpoint",
        ("version", "load", "endpoint", "change measured", "predicted", "delta measured", "predicted",
         "interval", "status"),
        tuple(_row(one) for one in evaluation.changes if (one.version, one.load) in wrong),
        left=3,
    )  # fmt: skip


def _row(one: Change) -> tuple[str, ...]:
    low, high = one.interval
    return (
        one.version,
        one.load,
        one.endpoint,
        f"{100 * one.measured:+.1f} %",
        f"{100 * one.predicted:+.1f} %",
        f"{one.measured_delta:.3f}{'' if one.significant else ' (not significant)'}",
        f"{one.predicted_delta:.3f}",
        f"{low:.3f} to {high:.3f}",
        "" if one.status is Status.PASS else one.status.value,
    )
