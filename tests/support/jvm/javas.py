"""The JVMs of this machine, and for which of them, and which collector, a test runs at each push."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pytest

from buto.measure.jvms import find_installations

_FOUND = {
    installation.major: os.fspath(installation.java)
    for installation in reversed(find_installations())
    if installation.major
}
JAVAS = dict(sorted(_FOUND.items()))
"""By major version, the oldest first; of each version the one that is found first."""
assert JAVAS, "no Java was found, and these tests are about nothing else"

COLLECTORS = ("agent", pytest.param("jmx", marks=pytest.mark.all))
"""For what the collectors share."""


def newest(values: Mapping[str, Any]) -> list[Any]:
    """Return parameters by their ids; all but the last, which is the newest, are for ``make test-all``."""
    *others, last = sorted(values.items(), key=lambda pair: int(pair[0].removeprefix("java")))
    return [
        *(pytest.param(value, id=name, marks=pytest.mark.all) for name, value in others),
        pytest.param(last[1], id=last[0]),
    ]
