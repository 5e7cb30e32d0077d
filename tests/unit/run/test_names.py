"""Names of tests on disk: different tests never meet, and none leaves its directory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import UsageError
from buto.run.names import MAX_NAME_BYTES, decode_test, encode_test

names = st.text(min_size=1, max_size=20).filter(lambda name: name == name.strip())


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("leaker", "leaker"),
        ("web store, v1.2 (slow)", "web store, v1.2 (slow)"),
        ("Größe-テスト", "Größe-テスト"),
        ("tests/test_shop.py::test_leak[10]", "tests%2Ftest_shop.py%3A%3Atest_leak[10]"),
        ("..", "%2E."),
        (".hidden", "%2Ehidden"),
        ("a%2Fb", "a%252Fb"),
        ("e\u0301", "e%CC%81"),
        ("a\nb", "a%0Ab"),
    ],
)
def test_names_stay_readable(test: str, name: str) -> None:
    assert encode_test(test) == name
    assert decode_test(name) == test


@given(names)
def test_every_name_comes_back_and_is_one_visible_entry(test: str) -> None:
    name = encode_test(test)
    assert decode_test(name) == test
    assert "/" not in name
    assert "\0" not in name
    assert not name.startswith(".")


@given(names, names)
def test_different_tests_have_different_names(one: str, other: str) -> None:
    assert (encode_test(one) == encode_test(other)) == (one == other)


@given(st.text())
def test_a_directory_that_no_test_has_is_known_as_such(name: str) -> None:
    test = decode_test(name)
    assert test is None or encode_test(test) == name


@pytest.mark.parametrize(
    "test", ["", " ", " a", "a\n", "\ud800", "x" * (MAX_NAME_BYTES + 1), "/" * 67, "テ" * 67]
)
def test_what_cannot_be_stored_is_refused_with_advice(test: str) -> None:
    with pytest.raises(UsageError) as refusal:
        encode_test(test)
    assert refusal.value.advice is not None


def test_the_longest_names_are_stored() -> None:
    assert decode_test(encode_test("x" * MAX_NAME_BYTES)) == "x" * MAX_NAME_BYTES
