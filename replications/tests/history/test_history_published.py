"""The printed accuracies follow from the printed errors."""

import pytest

from buto_replications.history.tables import ROWS, TOLERANCE


def test_all_twenty_rows_are_there():
    assert [sum(row.table == table for row in ROWS) for table in (4, 5, 6, 7, 8)] == [3, 4, 3, 3, 7]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"table-{row.table}-{row.classifier}")
def test_a_printed_accuracy_follows_from_the_errors(row):
    assert row.errors.balanced_accuracy == pytest.approx(row.printed, abs=TOLERANCE)
