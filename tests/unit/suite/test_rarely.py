"""Some parameters of a test get the mark ``all``, and none by a name that has changed."""

from __future__ import annotations

import pytest

from tests.support.rarely import mark_all_but


def test_all_but_the_usual_parameters_are_marked() -> None:
    parameters = mark_all_but(("b",), ["a", "b"])
    assert [(parameter.id, parameter.values) for parameter in parameters] == [("a", ("a",)), ("b", ("b",))]
    assert [[mark.name for mark in parameter.marks] for parameter in parameters] == [["all"], []]


def test_a_usual_one_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AssertionError, match="there is no c"):
        mark_all_but(("b", "c"), ["a", "b"])
