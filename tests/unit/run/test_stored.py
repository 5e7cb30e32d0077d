"""Values as plain data: what is read is what was written, and what is wrong is named with its place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.run.model import FloatArray
from buto.run.stored import Number, plain, read


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Part:
    colour: Colour
    size: Number = math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    at: datetime
    values: FloatArray
    parts: tuple[Part, ...] = ()
    count: int | None = None
    is_good: bool = False
    rows: Mapping[str, tuple[int, str]] = field(default_factory=dict)


WHOLE = Whole(datetime(2026, 1, 1, tzinfo=UTC), np.array([1.0, np.nan]), (Part(Colour.RED, math.inf),))
PARTS = st.builds(Part, st.sampled_from(Colour), st.floats())
WHOLES = st.builds(
    Whole,
    st.datetimes(timezones=st.just(UTC)).map(lambda at: at.replace(fold=0)),
    st.lists(st.floats()).map(lambda values: np.array(values, np.float64)),
    st.lists(PARTS).map(tuple),
    st.none() | st.integers(),
    st.booleans(),
    st.dictionaries(st.text(), st.tuples(st.integers(), st.text())),
)


@given(WHOLES)
def test_a_value_is_read_as_it_was_written(whole: Whole) -> None:
    written = json.loads(json.dumps(plain(whole), allow_nan=False))
    assert repr(read(written, Whole)) == repr(whole)


def test_a_moment_keeps_its_time_zone_as_text() -> None:
    assert plain(WHOLE)["at"] == "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"count": True}, "'file.count' must be a whole number or null, got True"),
        ({"is_good": 1}, "'file.is_good' must be true or false, got 1"),
        ({"values": 3}, "'file.values' must be a list, got 3"),
        ({"values": [1, "2"]}, "'file.values' is [1, '2']: it is no number"),
        ({"parts": [{"colour": "red"}, {}]}, "'file.parts[1].colour' is missing"),
        ({"parts": [{"colour": "grey"}]}, "'file.parts[0].colour' has the unknown value 'grey'"),
        ({"parts": [{"colour": "red", "size": "1.5"}]}, "'file.parts[0].size' is '1.5': it is no number"),
        ({"parts": [{"colour": "red", "size": 10**400}]}, "is too large a number"),
        ({"rows": {"a": [1, 2]}}, "'file.rows[...][1]' must be a text, got int"),
        ({"at": "noon"}, "'file.at' is 'noon': Invalid RFC3339 encoded datetime"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011, because the whole message is compared
        read(plain(WHOLE) | change, Whole, "file")
    assert says in str(refused.value)


@pytest.mark.parametrize("data", [None, [], 3, "x"])
def test_what_is_no_object_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="it must be an object, got"):
        read(data, Whole)
    with pytest.raises(ValueError, match="'at' is missing"):
        read({}, Whole)
