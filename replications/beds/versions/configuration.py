"""The pairs as a configuration of buto: a test for each side."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from beds.versions.launch import SIDES, TIMEOUT_S, build, command
from beds.versions.pair import Pair


def configuration(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the content of a ``buto.yaml`` with the tests ``NAME-old`` and ``NAME-new`` of each pair.

    Raises:
        BedError: a file cannot be fetched, or a scenario cannot be compiled.
    """
    return {
        "version": 1,
        "defaults": {"timeout": f"{TIMEOUT_S:g}s"},
        "tests": {name: test for pair in pairs for name, test in tests_of(pair, build(pair)).items()},
    }


def tests_of(pair: Pair, classes: Path) -> dict[str, dict[str, Any]]:
    """Return the two tests of a pair, by their names.

    Raises:
        BedError: a file cannot be fetched.
    """
    return {f"{pair.name}-{side}": {"command": command(pair, side, classes)} for side in SIDES}
