"""Labels and suggestions as lists for other programs.

What ``buto suggest`` found is a JSON document, whose shape is described in docs/methods/labels.md. Labels are
a table in CSV or JSON, with a row for each label that a run has or had.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from buto.oracle.suggestion import Judged, PastCheck, Rates, Share, Suggestion
from buto.report.sanitize import one_line
from buto.run.labels import Labelling, RunLabel, run_labels

FORMAT, VERSION = "buto-suggestion", 1


def suggestion_json(found: Suggestion) -> str:
    data = {
        "format": FORMAT,
        "version": VERSION,
        "test": found.test,
        "minimum_effect": {"present": dict(found.present), "suggested": dict(found.effects)},
        "causes": [asdict(one) for one in found.causes],
        "now": _rates(found.now),
        "then": _rates(found.then),
        "held_out": None if found.held_out is None else _rates(found.held_out),
        "n_held_out": found.n_held_out,
        "checks": [
            {**_check(one.check), "now": _judged(one.now), "then": _judged(one.then)} for one in found.checks
        ],
        "not_judged": [{**_check(one.check), "why": one.why.value} for one in found.unjudged],
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _rates(rates: Rates) -> dict[str, Any]:
    return {"alarms": _share(rates.alarms), "found": _share(rates.found), "meant": _share(rates.meant)}


def _share(share: Share) -> dict[str, Any] | None:
    if not share.of:
        return None
    least, most = share.bounds
    return {"count": share.count, "of": share.of, "at_least": round(least, 4), "at_most": round(most, 4)}


def _check(check: PastCheck) -> dict[str, Any]:
    return {
        "runs": list(check.run_ids),
        "at": check.at.isoformat(),
        "truth": check.truth.value,
        "command": check.command,
        "person": check.person,
        "reason": check.reason,
    }


def _judged(judged: Judged) -> dict[str, Any]:
    changes = [{**asdict(one), "direction": one.direction.value} for one in judged.changes]
    return {"status": judged.status.value, "fails": judged.fails, "changes": changes}


LABELS_FORMAT, LABELS_VERSION = "buto-labels", 2

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
    return json.dumps({"format": LABELS_FORMAT, "version": LABELS_VERSION, "labels": rows}, indent=1) + "\n"


def _row(one: RunLabel) -> tuple[str | bool, ...]:
    given = one.labelling
    at = given.at.isoformat()
    words = (given.label.value, given.command, given.person, at, given.reason)
    return (given.test, one.run_id, *words, given.meant, one.is_replaced)
