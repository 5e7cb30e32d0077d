"""Patterns without regular expressions fit exactly what the standard library's fit."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.effects import USUAL
from buto.run.patterns import fits

LETTERS = st.text("ab.[]!*?\n", max_size=6)


@given(LETTERS, LETTERS)
def test_a_pattern_fits_what_it_fits_in_a_shell(name: str, pattern: str) -> None:
    assert fits(name, pattern) == fnmatchcase(name, pattern)


@given(st.sampled_from(sorted(USUAL)), LETTERS)
def test_usual_patterns_fit_as_in_a_shell(pattern: str, end: str) -> None:
    for name in (pattern.replace("[[]", "[").rstrip("*") + end, pattern.replace("*", end), pattern):
        assert fits(name, pattern) == fnmatchcase(name, pattern)


@pytest.mark.parametrize("name", ["jvm.memory.used[Metaspace]", "jvm.memory.used[", "jvm.memory.used"])
def test_a_bracket_in_brackets_is_a_bracket(name: str) -> None:
    assert fits(name, "jvm.memory.used[[]*") == ("[" in name)
