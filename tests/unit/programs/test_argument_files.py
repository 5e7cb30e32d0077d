"""Argument files of the java launcher."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.programs.java import text_of, words_of

WORDS = st.lists(
    st.text(st.sampled_from("ab'\"\\# \t\n\r\f@é:=$") | st.characters(exclude_categories=["Cs"]))
)


@given(WORDS)
def test_words_that_are_written_are_read_again(words: list[str]) -> None:
    assert words_of(text_of(words)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-cp lib/a.jar\n  Main\tx", ["-cp", "lib/a.jar", "Main", "x"]),
        ("# all of it\n-cp a.jar # the rest\nMain", ["-cp", "a.jar", "Main"]),
        (r'"C:\\Program Files\\a" b\c', [r"C:\Program Files\a", r"b\c"]),
        ("'a b'\"c d\"e", ["a bc de"]),
        ('"one\\\n    two" three', ["onetwo", "three"]),
        ('"open\nnext', ["open", "next"]),
        ("'' x", ["", "x"]),
        ("lost#comment\nkept", ["kept"]),
    ],
)
def test_a_file_is_read_as_the_launcher_reads_it(text: str, words: list[str]) -> None:
    assert words_of(text) == words
