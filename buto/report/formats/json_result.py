"""The results of ``train`` and ``check`` as one JSON document for other programs.

The shape is ``buto/schemas/result.schema.json``, described in ``docs/formats/result.md``. Numbers
that JSON does not know (NaN, infinities) become null: not read, or no limit on that side.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from buto.judging.alarms import Strength
from buto.judging.class_changes import ClassChange
from buto.judging.story import story_of
from buto.judging.verdict import Difference, Finding, Status, Verdict, Waived
from buto.report.growth import GrowthReport, growth_data
from buto.report.levels import levels
from buto.report.likeness import Like
from buto.report.phrases import phrase
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
        results: one for each test, in the order of execution.
        finished: an aware time; written in UTC.
        left_out: the tests that the command did not run; None if it was not asked to leave any out.
        first_bad: of bisect, the commit that it found.
    """
    optional = {
        "left_out": None if left_out is None else [asdict(left_out_test) for left_out_test in left_out],
        "first_bad": None if first_bad is None else asdict(first_bad),
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "buto": __version__,
        "command": command,
        "exit_code": exit_code,
        "finished": finished.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "tests": [_test(result) for result in results],
        **{key: value for key, value in optional.items() if value is not None},
    }


def result_text(document: dict[str, Any]) -> str:
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # UTF-8 has no lone surrogates; JSON may have them escaped.
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


GROWTH_FORMAT, GROWTH_VERSION = "buto-growth", 1


def growth_json(test: str, growth: GrowthReport) -> str:
    """Return the document of ``buto grow --json``; its shape is ``buto/schemas/growth.schema.json``."""
    document: dict[str, Any] = {
        "format": GROWTH_FORMAT,
        "version": GROWTH_VERSION,
        "buto": __version__,
        "test": test,
        "status": growth.status.value,
        **growth_data(growth),
    }
    return result_text(document)


def _test(result: Result) -> dict[str, Any]:
    report, error = result.report, result.error
    # Only where there are any.
    more = {
        "strengths": map(_strength, result.strengths),
        "classes": map(_class, report.classes if report else ()),
        "likes": map(_like, report.likes if report else ()),
        "causes": (
            {**asdict(cause), "diff": list(cause.diff)} for cause in (report.causes if report else ())
        ),
    }
    return {
        "test": result.test,
        "status": result.status,
        "oracle": None if result.oracle is None else str(result.oracle),
        "runs": [_run(run) for run in result.runs],
        "verdict": None if result.verdict is None else _verdict(result.verdict),
        "warnings": list(result.warnings),
        "error": None if error is None else {name: getattr(error, name) for name in _OF_ERROR},
        **({"growth": growth_data(report.growth)} if report and report.growth else {}),
        **{key: rows for key, rows in zip(more, map(list, more.values()), strict=True) if rows},
    }


_OF_ERROR = ("message", "advice", "exit_code")


def _class(change: ClassChange) -> dict[str, Any]:
    return {
        "name": change.name,
        "instances": [change.before.instances, change.after.instances],
        "bytes": [change.before.size_bytes, change.after.size_bytes],
    }


def _like(like: Like) -> dict[str, Any]:
    given = like.labelling
    return {
        "runs": list(like.run_ids),
        "at": like.at.isoformat(),
        "label": given.label.value,
        **{name: getattr(given, name) for name in ("meant", "command", "person", "reason")},
        "distance": like.distance,
    }


def _strength(strength: Strength) -> dict[str, Any]:
    limits = {"more": _plain(strength.more), "less": _plain(strength.less)}
    return {
        "quantity": strength.quantity.name,
        "unit": strength.quantity.unit,
        "level": strength.level,
        **limits,
    }


def _run(run: Run) -> dict[str, Any]:
    quality = run.quality
    return {
        "id": run.id,
        "valid": quality.valid,
        "problems": plain(quality.problems),
        "outcome": _plain(asdict(run.outcome)),
        "n_samples": run.n_samples,
        "n_properties": len(run.properties),
        "commit": str(run.metadata[COMMIT]) if run.metadata.get(COMMIT) else None,
        **({"host": str(run.metadata[WORKER])} if run.metadata.get(WORKER) else {}),
        "levels": levels(run),
        "missed_share": _plain(quality.missed_share),
        "largest_gap_s": _plain(quality.largest_gap_s),
        "foreign_load": _plain(quality.foreign_load),
    }


_OF_VERDICT = (
    *("status", "detector", "settings", "n_training", "adjusted", "run_ids", "p_value", "alpha", "guarantee"),
    *("runs_needed", "reasons", "warnings"),
)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    story = story_of(verdict)
    place = {id(finding): number for number, finding in enumerate(verdict.findings)}
    return {
        **{name: _plain(getattr(verdict, name)) for name in _OF_VERDICT},
        "welcome": verdict.status is Status.REGRESSION and story.is_welcome,
        "findings": list(map(_finding, verdict.findings)),
        "noted": list(map(_finding, verdict.noted)),
        # Only where there are any.
        **({"waived": list(map(_write_waived, verdict.waived))} if verdict.waived else {}),
        **({"since": [_plain(asdict(since)) for since in verdict.since]} if verdict.since else {}),
        # As places among the findings.
        "headlines": [
            {
                "finding": place[id(headline.finding)],
                "followers": [place[id(follower)] for follower in headline.followers],
                "text": phrase(headline),
            }
            for headline in story.headlines
        ],
    }


def _write_waived(waived_finding: Waived) -> dict[str, Any]:
    by = [
        {"commit": waiver.commit, "author": waiver.author, "size": waiver.size, "reason": waiver.reason}
        for waiver in waived_finding.waivers
    ]
    return {"finding": _finding(waived_finding.finding), "waivers": by}


def _finding(finding: Finding) -> dict[str, Any]:
    kind = "difference" if isinstance(finding, Difference) else "statement"
    return {"kind": kind, **_plain(asdict(finding))}


def _plain(value: Any) -> Any:
    """Return enumerations as their values, tuples as lists, and numbers that JSON lacks as null."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
