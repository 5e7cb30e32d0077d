"""Parameters of a test of which some run for each change, and the others more rarely: the mark ``all``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def mark_all_but(usual: Iterable[str], values: Iterable[Any], name: Callable[[Any], str] = str) -> list[Any]:
    """Return parameters by their ids; all but the usual ones get the mark ``all``.

    Args:
        usual: Ids. One that no value has is an error: its test would have become rare unseen.
        values: Of one argument each.
        name: Returns the id of a value.
    """
    left = set(usual)
    parameters = []
    for value in values:
        of_value = name(value)
        parameters.append(pytest.param(value, id=of_value, marks=() if of_value in left else pytest.mark.all))
        left.discard(of_value)
    assert not left, f"there is no {', '.join(sorted(left))}"
    return parameters
