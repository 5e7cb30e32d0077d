"""Labels for other programs: a table in CSV or JSON, with a row for each label that a run has or had."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from buto.report.sanitize import one_line
from buto.run.labels import Labelling, RunLabel, run_labels

LABELS_FORMAT, LABELS_VERSION = "buto-labels", 2

_COLUMNS = ("test", "run", "label", "command", "person", "at", "reason", "meant", "replaced")


def labels_csv(labellings: Sequence[Labelling]) -> str:
    """Return the table as CSV, with a header; texts are one line, truth values ``true`` or ``false``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for label in run_labels(labellings):
        *cells, meant, replaced = _row(label)
        truths = [str(truth).lower() for truth in (meant, replaced)]
        writer.writerow([*(one_line(str(cell)) for cell in cells), *truths])
    return text.getvalue()


def labels_json(labellings: Sequence[Labelling]) -> str:
    """Return the table as JSON: format, version, and an object for each row."""
    rows = [dict(zip(_COLUMNS, _row(label), strict=True)) for label in run_labels(labellings)]
    return json.dumps({"format": LABELS_FORMAT, "version": LABELS_VERSION, "labels": rows}, indent=1) + "\n"


def _row(label: RunLabel) -> tuple[str | bool, ...]:
    given = label.labelling
    at = given.at.isoformat()
    words = (given.label.value, given.command, given.person, at, given.reason)
    return (given.test, label.run_id, *words, given.meant, label.is_replaced)
