"""Which cases of a test that is repeated for every Java, or every collector, run at each push."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

COLLECTORS = ("agent", pytest.param("jmx", marks=pytest.mark.all))
"""For what the collectors share."""


def newest(values: Mapping[str, Any]) -> list[Any]:
    """Return parameters by their ids; all but the last, which is the newest, are for ``make test-all``."""
    *others, last = sorted(values.items(), key=lambda one: int(one[0].removeprefix("java")))
    return [
        *(pytest.param(value, id=name, marks=pytest.mark.all) for name, value in others),
        pytest.param(last[1], id=last[0]),
    ]
