"""Variables in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import UsageError
from buto.project.document import escape, expand, portable


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


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("/home/ann/.m2/a.jar:/home/ann/.m2/b.jar:target", "${HOME}/.m2/a.jar:${HOME}/.m2/b.jar:target"),
        ("-Dshop=/home/ann/shop,/home/ann/x", "-Dshop=${HOME}/shop,${HOME}/x"),
        ("/home/anna/a.jar", "/home/anna/a.jar"),
        ("/srv/home/ann/a.jar", "/srv/home/ann/a.jar"),
        ("/home/ann", "/home/ann"),
        ("/home/ann/${A}", "${HOME}/$${A}"),
    ],
)
def test_a_portable_text_names_the_home_directory_where_a_path_begins_there(text: str, written: str) -> None:
    assert portable(text, {"HOME": "/home/ann"}) == written


@given(st.text(alphabet="/h:=,${}", max_size=12), st.sampled_from(["/h", "/", "", "/h/$", "h"]))
def test_portable_text_expands_to_itself(text: str, home: str) -> None:
    assert expand(portable(text, {"HOME": home}), {"HOME": home}) == text
