"""An explanation as JSON; ``buto/schemas/causes.schema.json`` has its shape."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from buto.causes import Cause, Causes, Explanation
from buto.causes.flame import Flame
from buto.version import __version__

FORMAT = "buto-causes"
VERSION = 1


def explanation_json(explanation: Explanation) -> str:
    """Return the text of the file."""
    text = json.dumps(explanation_document(explanation), indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return the whole document as plain data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "buto": __version__,
        "test": explanation.test,
        "old": {"name": explanation.old, "launches": explanation.launches[0]},
        "new": {"name": explanation.new, "launches": explanation.launches[1]},
        "kinds": [_kind(one) for one in explanation.kinds],
        "growth": [asdict(one) for one in explanation.growth],
        "remarks": list(explanation.remarks),
    }


def _kind(causes: Causes) -> dict[str, Any]:
    return {
        "kind": causes.kind.value,
        "unit": causes.kind.about.unit,
        "old": causes.old,
        "new": causes.new,
        "without_code": causes.without_code,
        "found": [_cause(one) for one in causes.found],
        "remarks": list(causes.remarks),
        "stacks": _flame(causes.flame),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {**asdict(cause), "tier": cause.tier.value, "kind": cause.kind.value}


def _flame(flame: Flame) -> dict[str, Any]:
    parts = {"parts": [_flame(part) for part in flame.parts]} if flame.parts else {}
    return {"name": flame.name, "old": flame.old, "new": flame.new, **parts}
