"""Options of one training that its checks would go without.

The oracle remembers the options of a test whose command it remembers. Where the configuration has the
command, it has all: what a call of train added to it, no check knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from buto.actions.events import Reporter, Warned
from buto.actions.project import Overrides
from buto.oracle import Oracle
from buto.project.model import TestConfig
from buto.project.options import MEASURING, TEST
from buto.steps import Advice, Configuration

_OPTIONS = frozenset(option.key for option in MEASURING.values() if option.schema is not None)


def warn_of_training(name: str, ours: TestConfig | None, overrides: Overrides, reporter: Reporter) -> None:
    """Report options of a training that the configuration does not have.

    Args:
        ours: the configured test; None without one.
        overrides: what the call specifies.
    """
    if ours is None or not ours.target.command:
        return
    missing = {key: value for key, value in _options(overrides.to_data()) if ours.written.get(key) != value}
    if missing:
        options, them = _describe(missing)
        text = f"trained with {options}: no check will have {them}, unless you write {them} at the test in "
        reporter(Warned(name, Advice(text, Configuration())))


def warn_of_launches(known: Oracle, ours: TestConfig, overrides: Overrides, reporter: Reporter) -> None:
    """Report options of the training that later launches go without, because nothing names them any more.

    Args:
        ours: the configured test.
        overrides: what the call specifies.
    """
    if not ours.target.command:
        return
    specified = {**ours.written, **overrides.to_data()}
    missing = {
        key: value
        for key, value in _options(known.target)
        if key not in specified and str(value) != TEST[key].default
    }
    if missing:
        options, them = _describe(missing)
        text = f"its training had {options}, and these launches go without: write {them} at the test in "
        reporter(Warned(known.test, Advice(text, Configuration())))


def _options(written: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(key, value) for key, value in written.items() if key in _OPTIONS]


def _describe(options: Mapping[str, Any]) -> tuple[str, str]:
    """Return options as the configuration has them, and the pronoun for them."""
    texts = (
        f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in options.items()
    )
    return ", ".join(texts), "it" if len(options) == 1 else "them"
