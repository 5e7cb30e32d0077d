"""Labelled pasts of made-up tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from buto.run.labels import Label, Labelling, Past
from buto.run.model import Run

START = datetime(2026, 1, 1, tzinfo=UTC)


def past_of(
    taught: Sequence[Run], good: Sequence[Run] = (), bad: Sequence[Run] = (), invalid: Sequence[Run] = ()
) -> Past:
    """The past of a test that was trained, and of which later runs were labelled by a person."""
    test = taught[0].test
    said = (("train", Label.GOOD, taught), ("label", Label.GOOD, good))
    said += (("label", Label.BAD, bad), ("label", Label.INVALID, invalid))
    labellings = tuple(
        Labelling(test, tuple(run.id for run in runs), label, START + timedelta(minutes=number), command)
        for number, (command, label, runs) in enumerate(said)
        if runs
    )
    return Past(test, (*taught, *good, *bad, *invalid), labellings)
