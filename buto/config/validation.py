"""Validate a document against its schema, with messages that give the position in the file."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from buto import schemas
from buto.collect.sources import registry as source_registry
from buto.config.document import DataPath, Document
from buto.config.schema import SCHEMA, config_schema
from buto.detectors import registry
from buto.detectors.judge import METHOD, gone
from buto.detectors.registry import BrokenDetectorError
from buto.errors import ConfigError

if TYPE_CHECKING:
    from jsonschema import Draft7Validator
    from jsonschema.exceptions import ValidationError

MAX_REPORTED = 10
_NEAR = 0.6
"""Least similarity of a suggested key, as difflib counts it: three letters of five in the same order."""
_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


def validate(document: Document, schema: str = SCHEMA) -> None:
    """Validate a document against a schema, by default that of a configuration.

    Raises:
        ConfigError: all its faults, one per line, the first MAX_REPORTED in the order of the file.
    """
    detectors = _third_party(document) if schema == SCHEMA else ()
    validator = _validator(schema, third_party=detectors, sources=source_registry.third_party())
    errors = validator.iter_errors(document.data)
    problems = [problem for error in errors for problem in _translate(error)]
    if not problems:
        return
    problems.sort(key=lambda problem: document.place(problem.at, key=problem.key))
    lines = [document.error(each.at, each.what, key=each.key).message for each in problems]
    lines = list(dict.fromkeys(lines))
    if len(lines) > MAX_REPORTED:
        lines[MAX_REPORTED:] = [f"and {len(lines) - MAX_REPORTED} more"]
    raise ConfigError("\n".join(lines), advice=f"buto schema {schema} (prints the schema of such a file)")


def complaints(data: Any, definition: str) -> list[str]:
    """Return the faults of data that belongs to one of the schema's definitions, without positions."""
    if definition == "test" and is_words_alone(data):
        return []
    validator = _validator(SCHEMA, definition, _of_test(data), source_registry.third_party())
    errors = validator.iter_errors(data)
    return [problem.what for error in errors for problem in _translate(error)]


def is_words_alone(data: Any) -> bool:
    """Return whether data is a test with only a command, or an empty one, as most are.

    Such a test follows the schema; validating it would cost an import of a tenth of a second.
    """
    if not isinstance(data, dict) or not data.keys() <= {"command"}:
        return False
    words = data.get("command", ["java"])
    return isinstance(words, list) and bool(words) and all(isinstance(word, str) for word in words)


def _third_party(document: Document) -> tuple[str, ...]:
    """Return the other packages' detectors that a document names; ConfigError if one cannot be used."""
    data = document.data if isinstance(document.data, dict) else {}
    tests = data.get("tests")
    parts: dict[DataPath, Any] = {("defaults",): data.get("defaults")}
    parts |= {("tests", name): test for name, test in tests.items()} if isinstance(tests, dict) else {}
    found: dict[str, None] = {}
    for at, test in parts.items():
        try:
            found |= dict.fromkeys(_of_test(test))
        except BrokenDetectorError as error:
            place = (*at, "judge", METHOD)
            raise document.error(place, f"judge: {error.message}", advice=error.advice) from error
    return tuple(found)


def _of_test(test: Any) -> tuple[str, ...]:
    """Return the other package's method that a test names, if any; the test may have any shape.

    Raises:
        BrokenDetectorError: it cannot be used.
    """
    judge = test.get("judge") if isinstance(test, dict) else None
    method = judge.get(METHOD) if isinstance(judge, dict) else None
    if method not in registry.third_party():
        return ()
    registry.detector(method)
    return (method,)


@dataclass(frozen=True, slots=True)
class _Problem:
    """One fault: its value, what is wrong, and whether the fault is in the key instead of the value."""

    at: DataPath
    what: str
    key: bool = False


@cache
def _validator(
    name: str,
    definition: str | None = None,
    third_party: tuple[str, ...] = (),
    sources: tuple[str, ...] = (),
) -> Draft7Validator:
    """Return the validator of a schema or one of its definitions.

    Args:
        third_party, sources: names of other packages' detectors and sources, which the schema depends on.
    """
    # Imported here, because most commands have no configuration to validate.
    from jsonschema import Draft7Validator

    schema = config_schema(third_party) if name == SCHEMA else schemas.load(name)
    if definition is not None:
        schema = {"definitions": schema["definitions"], "$ref": f"#/definitions/{definition}"}
    return Draft7Validator(schema)


def _translate(error: ValidationError) -> Iterator[_Problem]:
    at: DataPath = tuple(error.absolute_path)
    schema: Any = error.schema
    instance: Any = error.instance
    wanted: Any = error.validator_value
    within = f" in {_dotted(at)}" if at else ""
    if error.validator == "additionalProperties":
        known = list(schema.get("properties", ()))
        for name in instance:
            if name not in known:
                old = gone(name) if at[-1:] == ("judge",) else None
                what = old or f"unknown key {name!r}{within}; {meant(name, known)}"
                yield _Problem((*at, name), what, key=True)
    elif error.validator == "required":
        for name in wanted:
            if name not in instance:
                yield _Problem(at, f"{name!r} is missing{within}", key=True)
    elif "propertyNames" in error.absolute_schema_path:
        yield _Problem((*at, instance), f"{instance!r}{within} is not {_expected(schema)}", key=True)
    else:
        filled = " that is not empty" if error.validator in ("minProperties", "minItems") else ""
        yield _Problem(at, f"{_dotted(at)}: {_found(instance)}, expected {_expected(schema)}{filled}")


def meant(name: str, known: Sequence[str]) -> str:
    """Return the known name that an unknown one is probably meant to be, or all that are known."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=_NEAR)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"


def _expected(schema: dict[str, Any]) -> str:
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"])
    if "title" not in schema:
        types = schema.get("type", "something else")
        return " or ".join(_TYPES.get(name, name) for name in ([types] if isinstance(types, str) else types))
    examples = ", ".join(str(example) for example in schema.get("examples", ()))
    return f"{schema['title']}, for example {examples}" if examples else str(schema["title"])


def _found(instance: Any) -> str:
    if isinstance(instance, (dict, list)):
        kind = "mapping" if isinstance(instance, dict) else "list"
        return f"found a {kind}" if instance else f"found an empty {kind}"
    if instance is None:
        return "found nothing"
    return f"found {json.dumps(instance, ensure_ascii=False)}"


def _dotted(at: DataPath) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at)
    return text.removeprefix(".") or "the file"
