"""A history as CSV for Apache Otava: a row for each check, a column for each property.

Otava reads it with ``type: csv``, ``time_column: time``, ``attributes: [commit]`` and, as ``metrics``, the
properties to analyse. It accepts no empty cell, so only properties that every check has are columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from buto.report.history import Entry
from buto.report.sanitize import one_line

TIME, COMMIT = "time", "commit"


def otava_text(entries: Sequence[Entry], names: Sequence[str] = ()) -> str:
    """Return the text of the file, quoted as Otava expects by default.

    Args:
        entries: trainings are left out.
        names: properties to write; empty for all.
    """
    checks = [entry for entry in entries if not entry.is_training]
    shared = set.intersection(*(set(entry.levels) for entry in checks)) if checks else set()
    columns = [name for name in names if name in shared] if names else sorted(shared)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([TIME, COMMIT, *map(one_line, columns)])
    for entry in checks:
        levels = [repr(entry.levels[name]) for name in columns]
        writer.writerow([entry.at.isoformat(timespec="seconds"), one_line(entry.commit or ""), *levels])
    return text.getvalue()
