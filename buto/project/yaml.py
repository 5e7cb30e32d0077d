"""YAML text as plain data with the position of each value, and its validation against a schema.

PyYAML's safe parser is used down to its nodes and no further. Scalars are read as in YAML 1.2
(``yes`` and ``12:30`` are texts, ``010`` is ten), so that the words of a command keep their text. The
text of each scalar as written is kept. Anchors and merge keys work. Messages about a document that does not
follow its schema give the position in the file.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from buto.errors import ConfigError
from buto.judging import registry
from buto.judging.configuration import METHOD, replace_gone
from buto.judging.registry import BrokenDetectorError, UnknownDetectorError
from buto.project.document import DataPath, Document, Position
from buto.project.schema import SCHEMA, definitions_of
from buto.schemas.faults import Fault, faults
from buto.steps import Action, Advice, Step

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_NODES = 100_000
"""Values and keys, as written and after aliases are expanded; a few lines of nested aliases could make
billions of them."""

_TAG = "tag:yaml.org,2002:"
_CORE_TAGS = {_TAG + name for name in ("null", "bool", "int", "float", "str", "seq", "map", "merge")}


def parse(text: str, path: Path) -> Document:
    """Read YAML.

    Raises:
        ConfigError: not YAML, more than one document, a key twice in one mapping, a tag or a key
            that is not plain, or more than MAX_BYTES, MAX_DEPTH or MAX_NODES.
    """
    if len(text.encode()) > MAX_BYTES:
        raise ConfigError(f"{path}: the file is larger than {MAX_BYTES // 1024} KiB")
    try:
        _check_events(text, path)
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(text, path, error) from error
    except yaml.reader.ReaderError as error:
        raise ConfigError(f"{path}: not valid YAML: {error.reason} at character {error.position}") from error
    document = Document(path, None)
    if node is None:
        return document
    data = _Converter(document).convert(node, ())
    return Document(path, data, document.values, document.keys, document.written)


class _Loader(yaml.SafeLoader):
    """Resolves plain scalars as the core schema of YAML 1.2 does, and merge keys."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


class _Dumper(yaml.SafeDumper):
    """Quotes also what YAML 1.2 reads as something else than a text, such as ``1e3``."""


for _name, _pattern, _first in (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?[0-9]{1,18}$", list("-+0123456789")),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", list("-+.0123456789")),
    ("merge", r"^<<$", ["<"]),
):
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_TAG + _name, re.compile(_pattern), _first)


def yaml_text(data: Mapping[str, Any]) -> str:
    """Return YAML that :func:`parse` reads as the same data."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text


class _Converter:
    """Expands nodes to plain data and records the position of each value."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.left = MAX_NODES

    def convert(self, node: Node, at: DataPath) -> Any:
        self._count(node)
        if len(at) > MAX_DEPTH:
            raise self._fault(node, "an alias refers to a value that contains it")
        if node.tag not in _CORE_TAGS:
            raise self._fault(node, f"the tag {node.tag} is not allowed here")
        self.document.values[at] = _position(node.start_mark)
        if isinstance(node, MappingNode):
            data = {}
            for key, value in self._pairs(node, set()):
                place = (*at, key.value)
                self.document.keys[place] = _position(key.start_mark)
                data[key.value] = self.convert(value, place)
            return data
        if isinstance(node, SequenceNode):
            return [self.convert(item, (*at, index)) for index, item in enumerate(node.value)]
        self.document.written[at] = node.value
        kind = node.tag.removeprefix(_TAG)
        try:
            return _SCALARS.get(kind, str)(node.value)
        except ValueError as error:
            raise self._fault(node, f"{node.value!r} is not of type {kind}") from error

    def _pairs(self, node: MappingNode, within: set[int]) -> Iterator[tuple[ScalarNode, Node]]:
        """Yield keys and values, including merged ones; the mapping's own keys override merged ones."""
        own: dict[str, tuple[ScalarNode, Node]] = {}
        merged: dict[str, tuple[ScalarNode, Node]] = {}
        if id(node) in within:
            raise self._fault(node, "a mapping is merged into itself")
        for key, value in node.value:
            self._count(node)
            if not isinstance(key, ScalarNode):
                raise self._fault(key, "a key must be a text")
            if key.tag == _TAG + "merge":
                for part in value.value if isinstance(value, SequenceNode) else [value]:
                    if not isinstance(part, MappingNode):
                        raise self._fault(part, "only mappings can be merged with <<")
                    for pair in self._pairs(part, within | {id(node)}):
                        merged.setdefault(pair[0].value, pair)
            elif key.value in own:
                first = own[key.value][0].start_mark.line + 1
                raise self._fault(key, f"the key {key.value!r} was already given in line {first}")
            else:
                own[key.value] = (key, value)
        yield from ({**merged, **own}).values()

    def _count(self, node: Node) -> None:
        self.left -= 1
        if self.left < 0:
            raise self._fault(node, f"with its aliases, the file has over {MAX_NODES} values")

    def _fault(self, node: Node, what: str) -> ConfigError:
        return _fault(self.document.path, node.start_mark, what)


_SCALARS: dict[str, Callable[[str], Any]] = {
    "null": lambda text: None,
    "bool": lambda text: text.lower() == "true",
    "int": int,
    "float": float,
}
"""What reads the text of a scalar, by its type; any other is a text."""


def _check_events(text: str, path: Path) -> None:
    """Check events before composing, which recurses once per level and accepts lone surrogates."""
    depth = n_values = 0
    for event in yaml.parse(text, Loader=_Loader):
        n_values += isinstance(event, yaml.NodeEvent)
        if n_values > MAX_NODES:
            raise _fault(path, event.start_mark, f"the file has over {MAX_NODES} values")
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            depth += 1
            if depth > MAX_DEPTH:
                raise _fault(path, event.start_mark, f"nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent):
            try:
                event.value.encode()
            except UnicodeEncodeError:
                raise _fault(path, event.start_mark, "a text that is not valid Unicode") from None


def _not_yaml(text: str, path: Path, error: yaml.MarkedYAMLError) -> ConfigError:
    if error.problem_mark is None:
        return ConfigError(f"{path}: not valid YAML: {error.problem}")
    line = text.splitlines()[error.problem_mark.line : error.problem_mark.line + 1]
    # The most common mistake: [java, -cp, ${CP}] opens a mapping at the brace.
    advice = "put quotes around words with ${...} in a list in brackets" if "${" in "".join(line) else None
    return _fault(path, error.problem_mark, f"not valid YAML: {error.problem}", advice)


def _position(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def _fault(path: Path, mark: Any, what: str, advice: str | None = None) -> ConfigError:
    at = _position(mark)
    return ConfigError(f"{path}:{at.line}:{at.column}: {what}", advice=advice)


MAX_REPORTED = 10
_NEAR = 0.6
"""Least similarity of a suggested key, as difflib counts it: three letters of five in the same order."""
_TYPES = {"object": "a mapping", "array": "a list", "string": "a text", "integer": "a whole number"}
_TYPES |= {"number": "a number", "boolean": "true or false", "null": "nothing"}


def validate(document: Document, schema: str = SCHEMA) -> None:
    """Validate a document against a schema, by default that of a configuration.

    Raises:
        ConfigError: all its faults, one per line, the first MAX_REPORTED in the order of the file.
    """
    definitions = definitions_of(schema, _third_party(document) if schema == SCHEMA else ())
    violations = faults(document.data, definitions.whole, definitions)
    problems = list(map(_translate, violations))
    if not problems:
        return
    problems.sort(key=lambda problem: document.place(problem.at, key=problem.key))
    lines = [document.error(each.at, each.what, key=each.key).message for each in problems]
    lines = list(dict.fromkeys(lines))
    if len(lines) > MAX_REPORTED:
        lines[MAX_REPORTED:] = [f"and {len(lines) - MAX_REPORTED} more"]
    prints = Advice(Step(Action.SCHEMA, schema), " (prints the schema of such a file)")
    raise ConfigError("\n".join(lines), advice=prints)


def complaints(data: Any, definition: str) -> list[str]:
    """Return the faults of data that belongs to one of the schema's definitions, without positions."""
    definitions = definitions_of(SCHEMA, _of_test(data))
    return [_translate(fault).what for fault in faults(data, definitions[definition], definitions)]


def _third_party(document: Document) -> tuple[str, ...]:
    """Return the other packages' detectors that a document names.

    Raises:
        ConfigError: one cannot be used, or its package is one of buto's repository and not installed.
    """
    data = document.data if isinstance(document.data, dict) else {}
    tests = data.get("tests")
    parts: dict[DataPath, Any] = {("defaults",): data.get("defaults")}
    parts |= {("tests", name): test for name, test in tests.items()} if isinstance(tests, dict) else {}
    detectors: dict[str, None] = {}
    for at, test in parts.items():
        try:
            detectors |= dict.fromkeys(_of_test(test))
        except (BrokenDetectorError, UnknownDetectorError) as error:
            what = f"judge: {error.message.removeprefix('judge: ')}"
            raise document.error((*at, "judge", METHOD), what, advice=error.advice) from error
    return tuple(detectors)


def _of_test(test: Any) -> tuple[str, ...]:
    """Return the other package's method that a test names, if any; the test may have any shape.

    Raises:
        BrokenDetectorError: it cannot be used.
        UnknownDetectorError: its package is one of buto's repository, and not installed.
    """
    judge = test.get("judge") if isinstance(test, dict) else None
    method = judge.get(METHOD) if isinstance(judge, dict) else None
    # What others add is looked up only for a name that is not buto's own, because that takes a while.
    if not isinstance(method, str) or method in registry.DETECTORS:
        return ()
    if method not in (*registry.third_party(), *registry.PACKAGES):
        return ()
    registry.detector(method)
    return (method,)


class _Problem(Struct, frozen=True):
    """One fault: its value, what is wrong, and whether the fault is in the key instead of the value."""

    at: DataPath
    what: str
    key: bool = False


def _translate(fault: Fault) -> _Problem:
    at, schema = fault.at, fault.schema
    within = f" in {_write_path(at)}" if at else ""
    if fault.keyword == "additionalProperties":
        *above, name = at
        old = replace_gone(str(name)) if above[-1:] == ["judge"] else None
        place = f" in {_write_path(tuple(above))}" if above else ""
        known = list(schema.get("properties", ()))
        return _Problem(at, old or f"unknown key {name!r}{place}; {guess_meant(str(name), known)}", key=True)
    if fault.keyword == "required":
        return _Problem(at, f"{fault.value!r} is missing{within}", key=True)
    if fault.is_name:
        return _Problem(
            (*at, fault.value), f"{fault.value!r}{within} is not {_describe_expected(schema)}", key=True
        )
    filled = " that is not empty" if fault.keyword in ("minProperties", "minItems") else ""
    return _Problem(
        at,
        f"{_write_path(at)}: {_describe_value(fault.value)}, expected {_describe_expected(schema)}{filled}",
    )


def guess_meant(name: str, known: Sequence[str]) -> str:
    """Return the known name that an unknown one is probably meant to be, or all that are known."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=_NEAR)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"


def _describe_expected(schema: Mapping[str, Any]) -> str:
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"])
    if "title" not in schema:
        types = schema.get("type", "something else")
        return " or ".join(_TYPES.get(name, name) for name in ([types] if isinstance(types, str) else types))
    examples = ", ".join(str(example) for example in schema.get("examples", ()))
    return f"{schema['title']}, for example {examples}" if examples else str(schema["title"])


def _describe_value(instance: Any) -> str:
    if isinstance(instance, (dict, list)):
        kind = "mapping" if isinstance(instance, dict) else "list"
        return f"found a {kind}" if instance else f"found an empty {kind}"
    if instance is None:
        return "found nothing"
    return f"found {json.dumps(instance, ensure_ascii=False)}"


def _write_path(at: DataPath) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at)
    return text.removeprefix(".") or "the file"
