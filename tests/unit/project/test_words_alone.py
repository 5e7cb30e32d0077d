from __future__ import annotations

from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from buto.project.schema import config_schema
from buto.project.yaml import is_words_alone

ANYTHING = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
COMMANDS = st.lists(st.text(max_size=5) | ANYTHING, max_size=3) | ANYTHING
TESTS = st.dictionaries(st.sampled_from(["command", "runs", "x"]), COMMANDS, max_size=2) | ANYTHING
SCHEMA = config_schema()
VALIDATOR = jsonschema.Draft7Validator({**SCHEMA, "$ref": "#/definitions/test"})


@given(TESTS)
def test_what_is_found_good_without_the_schema_is_good_by_it(data: Any) -> None:
    if is_words_alone(data):
        assert VALIDATOR.is_valid(data)


def test_most_tests_are_found_good() -> None:
    assert is_words_alone({"command": ["java", "-jar", "x.jar", ""]})
    assert is_words_alone({})
    assert not is_words_alone({"command": []})
    assert not is_words_alone({"command": ["java", 1]})
    assert not is_words_alone({"command": ["java"], "interval": "1 furlong"})
