"""Variables in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.config.variables import escape, expand
from buto.errors import UsageError


def test_names_in_braces_are_replaced_and_other_dollars_stay() -> None:
    assert expand("${A}/x$B/Outer$Inner$", {"A": "1 2"}) == "1 2/x$B/Outer$Inner$"


def test_two_dollars_are_one() -> None:
    assert expand("$${A} costs $$5", {"A": "no"}) == "${A} costs $5"


def test_a_value_is_not_expanded_again() -> None:
    assert expand("${A}", {"A": "${B}", "B": "wrong"}) == "${B}"


def test_an_unknown_variable_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(UsageError, match=r"\$\{HOEM\}.*did you mean \$\{HOME\}"):
        expand("${HOEM}", {"HOME": "/", "LANG": "C"})


def test_a_brace_that_is_not_closed_is_named() -> None:
    with pytest.raises(UsageError, match="without }"):
        expand("a ${B", {"B": "x"})


@given(st.text(alphabet="ab${}", max_size=12))
def test_escaped_text_expands_to_itself(text: str) -> None:
    assert expand(escape(text), {}) == text
