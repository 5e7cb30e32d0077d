"""The JSON schema of a configuration: the table of options, and the settings that each detector declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from buto import schemas
from buto.judging.configuration import DEFAULT, judge_schema, settings_schema
from buto.judging.registry import DETECTORS
from buto.measure.sources import chosen
from buto.measure.sources.chosen import BrokenSourceError
from buto.project.options import SCHEDULER, TEST

SCHEMA = "config"

_SOURCE = "source-"
"""How the definition of a kind of source begins."""

RESERVED = ("jvm", "process", "command", "mbean", "buto", "run", "load", "driver")
"""Names that no source may have: those of other properties begin with them."""


@dataclass(frozen=True, slots=True)
class Definitions(Mapping[str, Mapping[str, Any]]):
    """A schema and what it refers to by ``#/definitions/NAME``; each is made when it is needed.

    So a check imports only the detector and the sources that its tests name.

    Attributes:
        whole: the schema, without definitions.
        makers: what returns each definition, by name. Sources of other packages have none.
    """

    whole: Mapping[str, Any]
    makers: Mapping[str, Callable[[], Mapping[str, Any]]]

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        return self.makers[name]() if name in self.makers else _source(name.removeprefix(_SOURCE))

    def __iter__(self) -> Iterator[str]:
        return iter(self.makers)

    def __len__(self) -> int:
        return len(self.makers)


def definitions_of(name: str, third_party: Sequence[str] = ()) -> Definitions:
    """Return a schema by its name.

    Args:
        third_party: names of other packages' detectors whose settings belong to that of a configuration.
    """
    whole = schemas.load(name)
    written = whole.pop("definitions", {})
    makers: dict[str, Callable[[], dict[str, Any]]]
    makers = {part: partial(dict[str, Any], schema) for part, schema in written.items()}
    if name == SCHEMA:
        whole["properties"]["scheduler"] = SCHEDULER._replace(default="").key_schema()
        makers |= {"test": _test, "judge": partial(judge_schema, third_party), "sources": _sources}
        makers |= {
            f"judge-{method}": partial(settings_schema, method)
            for method in (*DETECTORS, *third_party)
            if method != DEFAULT.method
        }
        makers |= {f"{_SOURCE}{kind}": partial(_source, kind) for kind in chosen.SOURCES}
    return Definitions(whole, {part: cache(make) for part, make in makers.items()})


def config_schema(third_party: Sequence[str] = ()) -> dict[str, Any]:
    """Return the whole schema of a configuration as data, for editors; arguments as of definitions_of."""
    definitions = definitions_of(SCHEMA, third_party)
    added = {f"{_SOURCE}{kind}": _source(kind) for kind in chosen.third_party()}
    return {**definitions.whole, "definitions": dict(definitions) | added}


def _test() -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {key: option.key_schema() for key, option in TEST.items()},
    }


def _sources() -> dict[str, Any]:
    """Return the schema of ``sources``: a source that is called like a kind is of that kind."""
    kinds = chosen.kinds()
    named = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": [*kinds]}}}
    by_kind = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"$ref": f"#/definitions/{_SOURCE}{kind}"},
        }
        for kind in kinds
    ]
    return {
        "title": "a mapping of sources by their names",
        "type": "object",
        "minProperties": 1,
        "propertyNames": {
            "title": "a source's name: small letters, digits, '-' and '_', beginning with a letter, and not "
            + ", ".join(RESERVED),
            "pattern": rf"^(?!({'|'.join(RESERVED)})$)[a-z][a-z0-9_-]{{0,49}}$",
        },
        "properties": {
            kind: {"$ref": f"#/definitions/{_SOURCE}{kind}"} for kind in kinds if kind not in RESERVED
        },
        "additionalProperties": {**named, "allOf": by_kind},
        "examples": ["{host: {}}"],
    }


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
