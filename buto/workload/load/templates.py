"""Texts of requests with variables: divided once, filled in for each request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from buto.workload.load.model import Variable

NUMBER = "n"
"""The variable that no two requests of a run share: their numbers from 1 on."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_-]*)\}")


def variables_in(text: str) -> set[str]:
    """Return the names of the variables in a text."""
    return set(_VARIABLE.findall(text))


class Template:
    """A text with variables."""

    def __init__(self, text: str) -> None:
        # Odd places are the names.
        self._parts = _VARIABLE.split(text)
        self.names = frozenset(self._parts[1::2])

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with these values."""
        if len(self._parts) == 1:
            return self._parts[0]
        parts = self._parts.copy()
        for place in range(1, len(parts), 2):
            parts[place] = values[parts[place]]
        return "".join(parts)


class Values:
    """The values of all variables, request by request; the same for the same seed.

    Args:
        kept: values of the log-in, the same for all requests.
    """

    def __init__(self, variables: Mapping[str, Variable], kept: Mapping[str, str], seed: int) -> None:
        self._variables = variables
        self._kept = kept
        self._random = Random(seed)

    def of(self, number: int) -> dict[str, str]:
        """Return the values for the request of this number."""
        values = {NUMBER: str(number), **self._kept}
        for name, variable in self._variables.items():
            if variable.texts:
                values[name] = self._random.choice(variable.texts)
            else:
                values[name] = str(self._random.randint(variable.first, variable.last))
        return values
