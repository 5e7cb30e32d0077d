"""Labels of the environment in which runs are recorded: from the configuration, a variable or an option."""

from __future__ import annotations

import re
from collections.abc import Mapping

from buto.errors import UsageError

VARIABLE = "BUTO_ENVIRONMENT"
"""The environment variable whose labels override those of the configuration."""

NAME = "name"
"""The label that is the name of the environment itself."""

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


def parse_labels(text: str) -> dict[str, str]:
    """Parse ``NAME``, ``KEY=VALUE`` or several of these with commas between them, as ``ci,database=17``.

    Raises:
        UsageError: a part is none of these.
    """
    labels: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (one.strip() for one in part.partition("="))
        if not equals:
            key, value = NAME, key
        if _KEY.fullmatch(key) is None or not value or key in labels:
            raise UsageError(
                f"an environment must be NAME or KEY=VALUE with commas between them, got {text!r}",
                advice=f"{VARIABLE}=ci,database=17",
            )
        labels[key] = value
    return labels


def joined(configured: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of a configuration, overridden by those of the variable; raises as parse_labels."""
    return {**configured, **parse_labels(environment.get(VARIABLE, ""))}
