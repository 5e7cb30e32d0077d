"""Which Java a test that is repeated for every one uses at each push."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def one_at_each_push(values: Mapping[str, Any]) -> list[Any]:
    """Return parameters by their ids; all but the last, which is the newest, are for ``make test-all``."""
    *others, last = sorted(values.items(), key=lambda one: int(one[0].removeprefix("java")))
    return [
        *(pytest.param(value, id=name, marks=pytest.mark.all) for name, value in others),
        pytest.param(last[1], id=last[0]),
    ]
