"""YAML that is read with positions, and refused where it is ambiguous or hostile."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import ConfigError
from buto.project.document import Position
from buto.project.yaml import MAX_BYTES, MAX_DEPTH, parse

FILE = Path("some.yaml")


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as error:
        parse(text, FILE)
    return error.value.message


def test_values_and_keys_know_their_line_and_column() -> None:
    document = parse("a: 1\nlist:\n  - x\n  - deep: {b: 2}\n", FILE)
    assert document.data == {"a": 1, "list": ["x", {"deep": {"b": 2}}]}
    assert document.place(("a",)) == Position(1, 4)
    assert document.place(("a",), key=True) == Position(1, 1)
    assert document.place(("list", 1, "deep", "b")) == Position(4, 15)
    assert document.place(("list", 1, "deep", "b"), key=True) == Position(4, 12)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("010", 10),
        ("12:30", "12:30"),
        ("yes", "yes"),
        ("2026-11-20", "2026-11-20"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("true", True),
        ("~", None),
        ("", None),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-7", -7),
        ("'7'", "7"),
        (".inf", ".inf"),
    ],
)
def test_scalars_are_read_as_in_yaml_1_2_and_keep_their_text(written: str, value: Any) -> None:
    document = parse(f"key: {written}\n", FILE)
    assert document.data == {"key": value}
    assert type(document.data["key"]) is type(value)
    assert document.written["key",] == written.strip("'")


def test_merge_keys_add_what_the_mapping_does_not_say_itself() -> None:
    document = parse("base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\nown: {<<: [*b, *m], x: 9}\n", FILE)
    assert document.data["own"] == {"x": 9, "y": 2, "z": 4}
    assert document.place(("own", "z")) == Position(2, 20)


def test_a_key_that_is_given_twice_names_both_lines() -> None:
    assert refused("a: 1\nb: 2\na: 3\n") == "some.yaml:3:1: the key 'a' was already given in line 1"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: [1, 2\n", "some.yaml:2:1: not valid YAML"),
        ("a: !!python/object/apply:os.system [ls]\n", "some.yaml:1:4: the tag"),
        ("a: !own 5\n", "some.yaml:1:4: the tag !own is not allowed"),
        ("? [a, b]\n: 1\n", "some.yaml:1:3: a key must be a text"),
        ("a: *nowhere\n", "some.yaml:1:4: not valid YAML: found undefined alias"),
        ("a: 1\n---\nb: 2\n", "some.yaml:2:1: not valid YAML"),
        ("a: &x [1, *x]\n", "an alias refers to a value that contains it"),
        ("a: &x {<<: *x}\n", "a mapping is merged into itself"),
        ("a: {<<: 5}\n", "some.yaml:1:9: only mappings can be merged"),
        ("a: \x07\n", "some.yaml: not valid YAML"),
        ("a: !!int x\n", "some.yaml:1:4: 'x' is not of type int"),
    ],
)
def test_what_is_not_plain_data_is_refused_with_its_place(text: str, fault: str) -> None:
    assert fault in refused(text)


def test_a_brace_in_a_flow_list_is_answered_with_the_quotes_it_needs() -> None:
    with pytest.raises(ConfigError) as error:
        parse("command: [java, ${JAR}]\n", FILE)
    assert error.value.advice is not None
    assert "quotes" in error.value.advice


def test_hostile_files_are_refused_at_once() -> None:
    begun = time.monotonic()
    laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n"
        for old, new in zip("abcdefghi", "bcdefghij", strict=True)
    )
    assert "with its aliases" in refused(laughs)
    assert "nested deeper" in refused("[" * 100_000)
    assert f"nested deeper than {MAX_DEPTH} levels" in refused("a: " + "{b: " * MAX_DEPTH)
    assert "larger than" in refused("#" * (MAX_BYTES + 1))
    assert time.monotonic() - begun < 10


texts = st.text(
    st.characters(max_codepoint=0xD7FF), max_size=8
)  # beyond, JSON escapes by pairs and YAML does not
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_json_is_yaml_and_reads_as_the_same_data(data: Any) -> None:
    assert parse(json.dumps(data), FILE).data == data
