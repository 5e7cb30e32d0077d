"""What strangers write stands in a page as text, and nothing else."""

from __future__ import annotations

import html
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.report.html.template import _environment, json_block, line, markup, name_parts, visible
from tests.support.report.reports import HOSTILE

BLOCK = _environment("buto.report.html").from_string("{{ text | block }}")
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_no_markup_gets_through(text: str) -> None:
    for made in (markup("{}", text), BLOCK.render(text=text)):
        assert not {"<", ">"} & set(made)
    assert '"' not in markup("{}", text)


@given(ANY_TEXT)
def test_all_that_is_left_can_be_seen_and_written(text: str) -> None:
    made = markup("{}", text, limit=10_000)
    made.encode()
    assert all(char.isprintable() or char.isspace() or char > "\u0300" for char in made)
    assert not {"\u202e", "\u2067", "\x1b", "\x00", "\u200b", "\n"} & set(made)


@given(st.text(st.characters(categories=("L", "N", "P", "S"))))
def test_text_of_letters_is_shown_as_it_is(text: str) -> None:
    assert html.unescape(markup("{}", text, limit=10_000)) == text


def test_what_cannot_be_seen_is_named() -> None:
    assert visible("a\x1b[31m\u202eb") == "a\\x1b[31m\\u202eb"


def test_a_long_text_says_how_much_is_missing() -> None:
    assert line("x" * 500, 10) == "x" * 10 + " … (490 more characters)"


def test_lines_stay_lines_only_where_there_are_lines() -> None:
    assert BLOCK.render(text="one\ntwo\tthree") == "one\ntwo\tthree"
    assert line("one\ntwo") == "one\\ntwo"


@given(st.lists(ANY_TEXT | st.floats(allow_nan=False, allow_infinity=False)))
def test_nothing_in_a_json_block_ends_its_element(data: object) -> None:
    made = json_block(data)
    assert not {"<", ">", "&", "\u2028", "\u2029"} & set(made)
    assert json.loads(made) == data


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("jvm.thread.count", ("jvm.thread.count", "")),
        ("jvm.memory.used[G1 Old Gen]", ("jvm.memory.used", "G1 Old Gen")),
        ("mbean[com.acme:type=Pipe]/Usage.used", ("com.acme:type=Pipe", "Usage.used")),
        ("mbean[a:b=c]/Table.[key].value", ("a:b=c", "Table.[key].value")),
        ("odd[name", ("odd[name", "")),
        ("odd[name]behind", ("odd[name]behind", "")),
    ],
)
def test_a_name_is_divided_where_it_differs_from_its_like(name: str, parts: tuple[str, str]) -> None:
    assert name_parts(name) == parts


def test_hostile_text_is_hostile() -> None:
    """Or the other tests say nothing."""
    assert "</script>" in HOSTILE and "\u202e" in HOSTILE and "\ud800" in HOSTILE
