"""Names and changes in little space."""

from __future__ import annotations

import re

from buto.units import format_number
from buto_predict.model import Call

_PACKAGES = re.compile(r"\b(?:[a-z]\w*\.){2,}(?=[A-Z])", re.ASCII)
_HEAD = 0.3
"""Share of the letters of a shortened name that are from its beginning; its end tells names better apart."""


def shortened(name: str, letters: int) -> str:
    """Return a name of at most this many letters, with ``…`` for its middle where it is longer."""
    name = initials(name) if len(name) > letters else name
    if len(name) <= letters:
        return name
    head = round(_HEAD * (letters - 1))
    return f"{name[:head]}…{name[head + 1 - letters :]}"


def initials(text: str) -> str:
    """Return the text with packages before a class as their initials: ``c.a.shop.StockBench`` is
    ``c.a.s.StockBench``.
    """
    return _PACKAGES.sub(lambda found: "".join(f"{one[0]}." for one in found[0].split(".")[:-1]), text)


def from_to(old: str, new: str) -> str:
    """Return a change of a printed number, or the number alone if it prints the same."""
    return old if old == new else f"{old} to {new}"


def call_label(call: Call) -> str:
    """Return how often, and whether at the same time as other calls; empty for one call in turn."""
    times = "" if call.times == 1 else f"x{format_number(call.times)}"
    return " ".join(word for word in (times, "at once" if call.parallel else "") if word)
