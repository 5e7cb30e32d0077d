"""Labels as a table in CSV or JSON: a row for each label that a run has or had."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from buto.report.sanitize import one_line
from buto.runs.labels import Labelling, RunLabel, run_labels

FORMAT, VERSION = "buto-labels", 2

_COLUMNS = ("test", "run", "label", "command", "person", "at", "reason", "meant", "replaced")


def labels_csv(labellings: Sequence[Labelling]) -> str:
    """Return the table as CSV, with a header; texts are one line, truth values ``true`` or ``false``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in run_labels(labellings):
        *cells, meant, replaced = _row(one)
        truths = [str(truth).lower() for truth in (meant, replaced)]
        writer.writerow([*(one_line(str(cell)) for cell in cells), *truths])
    return text.getvalue()


def labels_json(labellings: Sequence[Labelling]) -> str:
    """Return the table as JSON: format, version, and an object for each row."""
    rows = [dict(zip(_COLUMNS, _row(one), strict=True)) for one in run_labels(labellings)]
    return json.dumps({"format": FORMAT, "version": VERSION, "labels": rows}, indent=1) + "\n"


def _row(one: RunLabel) -> tuple[str | bool, ...]:
    given = one.labelling
    at = given.at.isoformat()
    words = (given.label.value, given.command, given.person, at, given.reason)
    return (given.test, one.run_id, *words, given.meant, one.is_replaced)
