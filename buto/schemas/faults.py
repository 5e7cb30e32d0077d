"""Where data does not follow a JSON schema of draft 7: all faults at once, each with its place.

The keywords are known that a configuration needs; docs/methods/detectors.md and docs/measuring/sources.md let
others bring such schemas. ``jsonschema``, which takes long to import, is the reference of the tests.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct

from buto.errors import UsageError

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]


class Fault(Struct, frozen=True):
    """One fault.

    Attributes:
        at: keys and indices from the top of the data to the value, or to the mapping with the name.
        keyword, schema: what the value does not follow, and the schema that has it.
        value: the value, or the name.
        is_name: whether it is a name in a mapping, and no value.
    """

    at: Path
    keyword: str
    schema: Schema
    value: Any
    is_name: bool = False


def faults(data: Any, schema: Schema, definitions: Mapping[str, Schema]) -> Iterator[Fault]:
    """Yield all faults of data.

    Args:
        definitions: what ``#/definitions/NAME`` refers to; looked up only for data that need it.

    Raises:
        UsageError: the schema, which may be another package's, has a keyword that is not known here.
    """
    return _Walk(definitions).faults(data, schema, ())


class _Walk(Struct, frozen=True):
    definitions: Mapping[str, Schema]

    def faults(self, value: Any, schema: Any, at: Path, *, is_name: bool = False) -> Iterator[Fault]:
        if not isinstance(schema, Mapping):
            raise _unknown(f"has {str(schema)[:60]!r} in place of a schema of one value")
        if "$ref" in schema:
            # In draft 7, it replaces everything beside it.
            name = schema["$ref"].removeprefix("#/definitions/")
            if name not in self.definitions:
                raise _unknown(f"refers to {name[:60]!r}")
            yield from self.faults(value, self.definitions[name], at, is_name=is_name)
            return
        for keyword, wanted in schema.items():
            if keyword in _RULES:
                kind, follows = _RULES[keyword]
                if _is(kind, value) and not follows(value, wanted):
                    yield Fault(at, keyword, schema, value, is_name)
            elif keyword in ("anyOf", "oneOf", "not"):
                ways = [wanted] if keyword == "not" else wanted
                n_followed = sum(self._follows(value, way) for way in ways)
                if not {"anyOf": n_followed >= 1, "oneOf": n_followed == 1, "not": n_followed == 0}[keyword]:
                    yield Fault(at, keyword, schema, value, is_name)
            elif keyword == "allOf":
                for part in wanted:
                    yield from self.faults(value, part, at, is_name=is_name)
            elif keyword == "if":
                branch = schema.get("then" if self._follows(value, wanted) else "else", {})
                yield from self.faults(value, branch, at, is_name=is_name)
            elif keyword in _OF_PARTS:
                yield from self._of_parts(value, keyword, schema, at)
            elif keyword not in _WITHOUT_RULE:
                raise _unknown(f"has the keyword {keyword!r}")

    def _follows(self, value: Any, schema: Schema) -> bool:
        return next(self.faults(value, schema, ()), None) is None

    def _of_parts(self, value: Any, keyword: str, schema: Schema, at: Path) -> Iterator[Fault]:
        wanted = schema[keyword]
        if keyword == "items" and isinstance(value, list):
            for place, part in enumerate(value):
                yield from self.faults(part, wanted, (*at, place))
        if keyword == "items" or not isinstance(value, dict):
            return
        known = schema.get("properties", {})
        for name, part in value.items():
            if keyword == "propertyNames":
                yield from self.faults(name, wanted, at, is_name=True)
            elif keyword == "properties" and name in known:
                yield from self.faults(part, known[name], (*at, name))
            elif keyword == "additionalProperties" and name not in known:
                if wanted is False:
                    yield Fault((*at, name), keyword, schema, name, is_name=True)
                elif wanted is not True:
                    yield from self.faults(part, wanted, (*at, name))
        if keyword == "required":
            for name in wanted:
                if name not in value:
                    yield Fault(at, keyword, schema, name, is_name=True)


def _unknown(what: str) -> UsageError:
    return UsageError(
        f"a schema {what}, which buto does not know",
        advice="leave it out, and check the value where it is used",
    )


_OF_PARTS = ("items", "properties", "additionalProperties", "propertyNames", "required")
_WITHOUT_RULE = ("$schema", "title", "description", "examples", "default", "definitions", "then", "else")

_ANYTHING, _NUMBER, _TEXT, _LIST, _MAPPING = "anything", "number", "string", "array", "object"
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    _ANYTHING: object,
    _NUMBER: (int, float),
    _TEXT: str,
    _LIST: list,
    _MAPPING: dict,
    "boolean": bool,
    "null": type(None),
}


def _is(kind: str, value: Any) -> bool:
    if kind == "integer":
        return _is(_NUMBER, value) and (isinstance(value, int) or value.is_integer())
    return isinstance(value, _KINDS[kind]) and not (kind == _NUMBER and isinstance(value, bool))


def _is_any(value: Any, kinds: Any) -> bool:
    return any(_is(kind, value) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _same(value: Any, other: Any) -> bool:
    """Return whether two values of JSON are the same: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(
            _same(value, other[name]) for name, value in value.items()
        )
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def _is_multiple(value: Any, of: Any) -> bool:
    return math.isfinite(value) and not Fraction(value) % Fraction(of)


_RULES: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "type": (_ANYTHING, _is_any),
    "const": (_ANYTHING, _same),
    "enum": (_ANYTHING, lambda value, wanted: any(_same(value, allowed) for allowed in wanted)),
    "minimum": (_NUMBER, lambda value, wanted: not value < wanted),
    "maximum": (_NUMBER, lambda value, wanted: not value > wanted),
    "exclusiveMinimum": (_NUMBER, lambda value, wanted: not value <= wanted),
    "exclusiveMaximum": (_NUMBER, lambda value, wanted: not value >= wanted),
    "multipleOf": (_NUMBER, _is_multiple),
    "pattern": (_TEXT, lambda value, wanted: re.search(wanted, value) is not None),
    "minLength": (_TEXT, lambda value, wanted: len(value) >= wanted),
    "maxLength": (_TEXT, lambda value, wanted: len(value) <= wanted),
    "minItems": (_LIST, lambda value, wanted: len(value) >= wanted),
    "maxItems": (_LIST, lambda value, wanted: len(value) <= wanted),
    "minProperties": (_MAPPING, lambda value, wanted: len(value) >= wanted),
    "maxProperties": (_MAPPING, lambda value, wanted: len(value) <= wanted),
}
"""Keywords that one value alone decides: of which kind of value, and the rule."""
