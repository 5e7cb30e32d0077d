"""Numbers that the program decides and the JVM counts exactly, so that the machine hardly changes them."""

from __future__ import annotations

from buto.properties import Kind, Property, split_name

GROWTH = ("slope",)
"""How much a quantity grows during a run. It may be the same where the level is not: another JDK loads more
classes at the start, and no more of them later."""

_WHOLE = ("total", "largest")
"""Numbers that do not depend on when in a run something happens: on a slower machine that is later."""

_LEVEL = (
    "jvm.memory.allocated",
    "jvm.thread.count",
    "jvm.thread.daemon.count",
    "jvm.thread.started",
    "process.socket.count",
    "process.unix.file_descriptor.count",
)
"""Of these, the amount is exact, too."""

_GROWTH_ALONE = ("jvm.class.count", "jvm.object.live")
"""Of these, only the growth: another JDK starts with more of them."""


def is_growth(quantity: Property, feature: str) -> bool:
    """Return whether a number says how much a quantity grows. Times grow in proportion to the machine."""
    return quantity.kind is Kind.GAUGE and quantity.unit != "s" and feature in GROWTH


def is_exact(quantity: Property, feature: str) -> bool:
    """Return whether a number of a quantity is exact."""
    metric = split_name(quantity.name)[0]
    if metric in _LEVEL:
        return feature in _WHOLE or is_growth(quantity, feature)
    return metric in _GROWTH_ALONE and is_growth(quantity, feature)
