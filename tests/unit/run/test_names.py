"""Names of tests on disk, of which no two meet and none leaves its directory, and values of metadata."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import UsageError
from buto.judging.classifiers import MetadataSettings, compare_metadata, learn_metadata
from buto.run.model import MetadataValue
from buto.run.names import MAX_NAME_BYTES, decode_test, encode_test, metadata_text, metadata_texts

names = st.text(min_size=1, max_size=20).filter(lambda name: name == name.strip() and name[0] != "-")


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
def test_different_tests_have_different_names(name: str, other: str) -> None:
    assert (encode_test(name) == encode_test(other)) == (name == other)


@given(st.text())
def test_a_directory_that_no_test_has_is_known_as_such(name: str) -> None:
    test = decode_test(name)
    assert test is None or encode_test(test) == name


@pytest.mark.parametrize(
    "test",
    ["", " ", " a", "-a", "--store=/tmp", "a\n", "\ud800", "x" * (MAX_NAME_BYTES + 1), "/" * 67, "テ" * 67],
)
def test_what_cannot_be_stored_is_refused_with_advice(test: str) -> None:
    with pytest.raises(UsageError) as refusal:
        encode_test(test)
    assert refusal.value.advice is not None


def test_the_longest_names_are_stored() -> None:
    assert decode_test(encode_test("x" * MAX_NAME_BYTES)) == "x" * MAX_NAME_BYTES


HEAP = "jvm.memory.heap.max"


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        (HEAP, "100663296", "96 MiB"),
        (HEAP, 67108864, "64 MiB"),
        (HEAP, None, "none"),
        ("host.memory.total", 2**33, "8 GiB"),
        ("jvm.memory.pools", "G1 Eden Space", "G1 Eden Space"),
        ("host.cores", 1024, "1024"),
        ("buto.commit", "100663296", "100663296"),
    ],
)
def test_sizes_are_reported_in_units_and_everything_else_as_it_is(
    key: str, value: MetadataValue, text: str
) -> None:
    assert metadata_text(key, value) == text


@pytest.mark.parametrize(
    ("known", "now", "expected"),
    [
        ("67108864", "100663296", "is 96 MiB; it was 64 MiB in training"),
        ("67108864", "67108865", "is '67108865'; it was '67108864' in training"),
    ],
)
def test_a_difference_of_sizes_is_reported_in_units_that_show_it(known: str, now: str, expected: str) -> None:
    settings = MetadataSettings((), (HEAP,))
    (difference,) = compare_metadata(learn_metadata([{HEAP: known}], settings), {HEAP: now}, settings)
    assert difference.describe() == f"{HEAP} {expected}"


@pytest.mark.parametrize(
    ("old", "new", "texts"),
    [
        ("-Xss1m -XX:+UseSerialGC", "-Xmx192m -Xss1m -XX:+UseSerialGC", ("none", "-Xmx192m")),
        ("-Xmx64m -Xss1m", "-Xss1m -Xmx128m", ("-Xmx64m", "-Xmx128m")),
        ("-a -b", "-b -a", ("-a -b", "-b -a")),
        ("load.start to end", "load.start to load.end", ("load.start to end", "load.start to load.end")),
    ],
)
def test_of_two_lists_of_options_those_are_named_that_differ(
    old: str, new: str, texts: tuple[str, str]
) -> None:
    assert metadata_texts("jvm.input.arguments", old, new) == texts
