"""The JSON schema of a configuration, with the settings that each detector declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from buto import schemas
from buto.detectors.judge import judge_schema

SCHEMA = "config"


def config_schema(third_party: Sequence[str] = ()) -> dict[str, Any]:
    """Return the schema as data.

    Args:
        third_party: names of other packages' detectors whose settings belong to it.
    """
    schema = schemas.load(SCHEMA)
    schema["definitions"]["judge"] = judge_schema(third_party)
    return schema
