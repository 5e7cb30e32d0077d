"""What ``buto suggest`` found, as a JSON document; replications/docs/suggestions.md describes its shape."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from buto_replications.suggestions.suggestion import CheckShare, JudgedCheck, PastCheck, Rates, Suggestion

FORMAT, VERSION = "buto-suggestion", 1


def suggestion_json(suggestion: Suggestion) -> str:
    data = {
        "format": FORMAT,
        "version": VERSION,
        "test": suggestion.test,
        "minimum_effect": {"present": dict(suggestion.present), "suggested": dict(suggestion.effects)},
        "causes": [asdict(cause) for cause in suggestion.causes],
        "now": _rates(suggestion.now),
        "then": _rates(suggestion.then),
        "held_out": None if suggestion.held_out is None else _rates(suggestion.held_out),
        "n_held_out": suggestion.n_held_out,
        "checks": [
            {**_check(check.check), "now": _judge(check.now), "then": _judge(check.then)}
            for check in suggestion.checks
        ],
        "not_judged": [
            {**_check(unjudged.check), "why": unjudged.why.value} for unjudged in suggestion.unjudged
        ],
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _rates(rates: Rates) -> dict[str, Any]:
    return {"alarms": _share(rates.alarms), "found": _share(rates.found), "meant": _share(rates.meant)}


def _share(share: CheckShare) -> dict[str, Any] | None:
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


def _judge(judged: JudgedCheck) -> dict[str, Any]:
    changes = [{**asdict(change), "direction": change.direction.value} for change in judged.changes]
    return {"status": judged.status.value, "fails": judged.fails, "changes": changes}
