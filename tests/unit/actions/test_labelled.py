"""Which labelled runs are loaded for a detector that learns from them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from buto.actions.labelled import choose_kept
from buto.run.labels import Label, Labelling

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LABELS = {"r1": Label.BAD, "r2": Label.GOOD, "r3": Label.INVALID, "r4": Label.GOOD, "r5": Label.GOOD}
KNOWN = {run_id: Labelling("shop", (run_id,), label, NOW, "label") for run_id, label in LABELS.items()}


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, ["r1", "r3"]),
        (2, ["r1", "r3"]),
        (3, ["r1", "r3", "r5"]),
        (4, ["r1", "r3", "r4", "r5"]),
        (9, ["r1", "r2", "r3", "r4", "r5"]),
    ],
)
def test_all_bad_and_invalid_runs_are_kept_and_the_newest_good_ones(most: int, expected: list[str]) -> None:
    assert choose_kept(KNOWN, most) == expected
