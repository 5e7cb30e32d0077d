"""The JSON schema of a configuration: the table of options, and the settings that each detector declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from buto import schemas
from buto.judging.configuration import judge_schema
from buto.measure.sources import chosen
from buto.measure.sources.chosen import BrokenSourceError
from buto.project.options import SCHEDULER, TEST

SCHEMA = "config"

RESERVED = ("jvm", "process", "mbean", "buto", "run", "load", "driver")
"""Names that no source may have: those of other properties begin with them."""


def config_schema(third_party: Sequence[str] = ()) -> dict[str, Any]:
    """Return the schema as data.

    Args:
        third_party: names of other packages' detectors whose settings belong to it.
    """
    schema = schemas.load(SCHEMA)
    schema["properties"]["scheduler"] = SCHEDULER._replace(default="").key_schema()
    schema["definitions"]["test"] = {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {key: option.key_schema() for key, option in TEST.items()},
    }
    schema["definitions"]["judge"] = judge_schema(third_party)
    schema["definitions"] |= _sources()
    return schema


def _sources() -> dict[str, Any]:
    """Return the definitions of ``sources``: a source that is called like a kind is of that kind."""
    kinds = chosen.kinds()
    named = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": [*kinds]}}}
    by_kind = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"$ref": f"#/definitions/source-{kind}"},
        }
        for kind in kinds
    ]
    sources = {
        "title": "a mapping of sources by their names",
        "type": "object",
        "minProperties": 1,
        "propertyNames": {
            "title": "a source's name: small letters, digits, '-' and '_', beginning with a letter, and not "
            + ", ".join(RESERVED),
            "pattern": rf"^(?!({'|'.join(RESERVED)})$)[a-z][a-z0-9_-]{{0,49}}$",
        },
        "properties": {
            kind: {"$ref": f"#/definitions/source-{kind}"} for kind in kinds if kind not in RESERVED
        },
        "additionalProperties": {**named, "allOf": by_kind},
        "examples": ["{host: {}}"],
    }
    return {"sources": sources} | {f"source-{kind}": _source(kind) for kind in kinds}


def _source(kind: str) -> dict[str, Any]:
    try:
        source = chosen.source(kind)
    except BrokenSourceError:
        # Only a test that uses it fails, and then with the reason.
        return {"type": ["object", "null"]}
    time = {"$ref": "#/definitions/duration"}
    required = {"required": [*source.required]} if source.required else {}
    return {
        "title": f"a source of kind {kind}: a mapping",
        "type": "object" if source.required else ["object", "null"],
        "additionalProperties": False,
        **required,
        "properties": {
            "kind": {"description": "Which source it is; default is its name.", "const": kind},
            "interval": {
                "description": "Time between two readings; default 1s, or the test's if longer.",
                **time,
            },
            "timeout": {"description": "The longest time that a reading may take; default 1s.", **time},
            **{key: dict(schema) for key, schema in source.keys.items()},
        },
    }
