"""The results of ``train`` and ``check`` as one JSON document for other programs.

The shape is ``buto/schemas/result.schema.json``, described in ``docs/formats/result.md``. Numbers
that JSON does not know (NaN, infinities) become null: not read, or no limit on that side.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from buto.errors import ButoError
from buto.judging.alarms import Strength
from buto.judging.verdict import Finding, Verdict, grouped
from buto.report.levels import levels
from buto.report.result import FORMAT, VERSION, Commit, LeftOut, Result
from buto.run.model import COMMIT, WORKER, Run
from buto.run.stored import plain
from buto.version import __version__


def result_document(
    command: str,
    results: Sequence[Result],
    exit_code: int,
    finished: datetime,
    *,
    left_out: Sequence[LeftOut] | None = None,
    first_bad: Commit | None = None,
) -> dict[str, Any]:
    """Return the whole document as plain data.

    Args:
        command: ``train`` or ``check``.
        results: one for each test, in the order of execution.
        exit_code: that of the command.
        finished: an aware time; written in UTC.
        left_out: the tests that the command did not run; None if it was not asked to leave any out.
        first_bad: of bisect, the commit that it found.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "buto": __version__,
        "command": command,
        "exit_code": exit_code,
        "finished": finished.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "tests": [_test(result) for result in results],
        **({} if left_out is None else {"left_out": [asdict(one) for one in left_out]}),
        **({} if first_bad is None else {"first_bad": asdict(first_bad)}),
    }


def result_text(document: dict[str, Any]) -> str:
    """Return the text of a file."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # UTF-8 has no lone surrogates; JSON may have them escaped.
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def _test(result: Result) -> dict[str, Any]:
    strengths = {"strengths": [_strength(one) for one in result.strengths]} if result.strengths else {}
    return {
        "test": result.test,
        "status": result.status,
        "oracle": None if result.oracle is None else str(result.oracle),
        "runs": [_run(run) for run in result.runs],
        "verdict": None if result.verdict is None else _verdict(result.verdict),
        "warnings": list(result.warnings),
        "error": None if result.error is None else _error(result.error),
        **strengths,
        **_classes(result),
        **_likes(result),
    }


def _classes(result: Result) -> dict[str, Any]:
    """Return the classes whose live objects changed; nothing if there are none."""
    changes = () if result.report is None else result.report.classes
    rows = [
        {
            "name": one.name,
            "instances": [one.before.instances, one.after.instances],
            "bytes": [one.before.size_bytes, one.after.size_bytes],
        }
        for one in changes
    ]
    return {"classes": rows} if rows else {}


def _likes(result: Result) -> dict[str, Any]:
    """Return the labelled runs that changed like the judged ones; nothing if there are none."""
    likes = () if result.report is None else result.report.likes
    rows = [
        {
            "runs": list(one.run_ids),
            "at": one.at.isoformat(),
            "label": one.labelling.label.value,
            "meant": one.labelling.meant,
            "command": one.labelling.command,
            "person": one.labelling.person,
            "reason": one.labelling.reason,
            "distance": one.distance,
        }
        for one in likes
    ]
    return {"likes": rows} if rows else {}


def _strength(strength: Strength) -> dict[str, Any]:
    return {
        "quantity": strength.quantity.name,
        "unit": strength.quantity.unit,
        "level": strength.level,
        "more": _plain(strength.more),
        "less": _plain(strength.less),
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "valid": run.quality.valid,
        "problems": plain(run.quality.problems),
        "outcome": _plain(asdict(run.outcome)),
        "n_samples": run.n_samples,
        "n_properties": len(run.properties),
        "commit": str(run.metadata[COMMIT]) if run.metadata.get(COMMIT) else None,
        **({"host": str(run.metadata[WORKER])} if run.metadata.get(WORKER) else {}),
        "levels": levels(run),
        "missed_share": _plain(run.quality.missed_share),
        "largest_gap_s": _plain(run.quality.largest_gap_s),
        "foreign_load": _plain(run.quality.foreign_load),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": verdict.status.value,
        "detector": verdict.detector,
        "settings": _plain(dict(verdict.settings)),
        "n_training": verdict.n_training,
        "adjusted": verdict.adjusted,
        "run_ids": list(verdict.run_ids),
        "p_value": _plain(verdict.p_value),
        "alpha": _plain(verdict.alpha),
        "guarantee": verdict.guarantee,
        "runs_needed": verdict.runs_needed,
        "reasons": list(verdict.reasons),
        "warnings": list(verdict.warnings),
        "findings": [_finding(finding) for finding in verdict.findings],
        "noted": [_finding(finding) for finding in verdict.noted],
        "groups": _groups(verdict.findings),
    }


def _groups(findings: Sequence[Finding]) -> list[list[int]]:
    """Return the groups in reading order, each as places in ``findings``, the leading one first."""
    place = {id(finding): number for number, finding in enumerate(findings)}
    return [[place[id(finding)] for finding in group.findings] for group in grouped(findings)]


def _finding(finding: Finding) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(asdict(finding))
    return plain


def _error(error: ButoError) -> dict[str, Any]:
    return {"message": error.message, "advice": error.advice, "exit_code": error.exit_code}


def _plain(value: Any) -> Any:
    """Return enumerations as their values, tuples as lists, and numbers that JSON lacks as null."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
