"""A configuration is checked by a schema; jsonschema, which is not part of buto, finds the same faults."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import UsageError
from buto.project.schema import SCHEMA, config_schema, definitions_of
from buto.schemas.faults import faults
from perf.fuzz import examples
from perf.fuzz.edits import ByteSource, edited

CONFIG = jsonschema.Draft7Validator(config_schema())
KEYWORDS = {
    "numbers": {
        "type": ["integer", "null"],
        "minimum": -2,
        "exclusiveMaximum": 7,
        "not": {"multipleOf": 2},
    },
    "shares": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "texts": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-c]*$"},
    "values": {"enum": [1, True, "a", None, [1], {"a": 1.0}]},
    "lists": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"const": 1}},
    "mappings": {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 2,
        "required": ["a"],
        "propertyNames": {"pattern": "^[a-c]$"},
        "properties": {"a": {"type": "boolean"}},
        "additionalProperties": {"type": "string"},
    },
    "alternatives": {"anyOf": [{"type": "integer"}, {"const": "auto"}]},
    "one way": {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": False},
    "branches": {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}},
    "all": {"allOf": [{"type": "string"}, {"minLength": 2}]},
    "reference": {"$ref": "#/definitions/short", "minLength": 9},
    "closed": {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
}
DEFINITIONS = {"short": {"type": "string", "maxLength": 2}}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text("abcd", max_size=4),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.sampled_from("abcd"), parts, max_size=3),
    max_leaves=6,
)


def of_reference(validator: jsonschema.Draft7Validator, data: Any) -> set[tuple[tuple[Any, ...], str]]:
    found = set()
    for error in validator.iter_errors(data):
        at = tuple(error.absolute_path)
        if error.validator == "additionalProperties":
            known = error.schema.get("properties", {})
            found |= {((*at, name), error.validator) for name in error.instance if name not in known}
        else:
            found.add((at, error.validator))
    return found


def of_ours(data: Any, schema: Any, definitions: Any) -> set[tuple[tuple[Any, ...], str]]:
    return {(fault.at, fault.keyword) for fault in faults(data, schema, definitions)}


@given(VALUES)
@pytest.mark.parametrize("name", KEYWORDS)
def test_every_keyword_means_what_it_does_for_the_reference(name: str, data: Any) -> None:
    reference = jsonschema.Draft7Validator({**KEYWORDS[name], "definitions": DEFINITIONS})
    assert of_ours(data, KEYWORDS[name], DEFINITIONS) == of_reference(reference, data)


@given(st.binary(min_size=4, max_size=40))
def test_a_changed_configuration_has_the_faults_that_the_reference_finds(changes: bytes) -> None:
    data = edited(examples.CONFIG, ByteSource(changes))
    definitions = definitions_of(SCHEMA)
    assert of_ours(data, definitions.whole, definitions) == of_reference(CONFIG, data)


def test_a_keyword_that_is_not_known_is_no_pass() -> None:
    with pytest.raises(UsageError, match="contains"):
        list(faults([1], {"contains": {"type": "string"}}, {}))


def test_only_what_data_name_is_made() -> None:
    """A detector and the sources are imported to make their part of the schema."""
    made = []
    definitions = definitions_of(SCHEMA)
    makers = {
        name: (lambda name=name, make=make: (made.append(name), make())[1])
        for name, make in definitions.makers.items()
    }
    data = {"version": 1, "tests": {"leaker": {"command": "java Leaker", "sources": {"host": {}}}}}
    assert not list(faults(data, definitions.whole, type(definitions)(definitions.whole, makers)))
    assert {name for name in made if name.startswith(("source-", "judge"))} == {"source-host"}
