"""Read the list of classes that HotSpot prints for the diagnostic command ``GC.class_histogram``."""

from __future__ import annotations

import re

from buto.runs import ClassCount, ClassHistogram
from buto.runs.observations import MOST_CLASSES

_LINE = re.compile(r" *\d+: +(\d{1,18}) +(\d{1,18})  (.+)")
_MODULE = re.compile(r" \([^()]*\)$")
_CHOSEN = re.compile(r"(?:\$\d+)?[/+](?:0x)?[0-9a-f]+$")
"""What the JVM adds to the name of a hidden class: a number and an address, other ones in each run."""

_PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
}
_OURS = "buto.probes."


def class_histogram(point: str, instances: int, size_bytes: int, printed: str) -> ClassHistogram:
    """Return a histogram from its totals and the printed lines; lines of another shape are left out.

    The agent's own classes do not count. Classes whose names differ only by a number or an address that the
    JVM chose, such as those of lambdas, are put together.

    Args:
        point: the moment, see :class:`ClassHistogram`.
        instances, size_bytes: of all classes.
        printed: one line for each class: number, instances, bytes, name, and from Java 9 on its module.
    """
    found: dict[str, ClassCount] = {}
    for line in printed.split("\n"):
        matched = _LINE.fullmatch(line)
        if matched is None:
            continue
        count = ClassCount(_readable(matched[3]), int(matched[1]), int(matched[2]))
        if count.name.startswith(_OURS):
            instances -= count.instances
            size_bytes -= count.size_bytes
            continue
        same = found.get(count.name)
        if same is not None:
            count = ClassCount(
                count.name, count.instances + same.instances, count.size_bytes + same.size_bytes
            )
        found[count.name] = count
    largest = sorted(found.values(), key=lambda one: (-one.size_bytes, one.name))[:MOST_CLASSES]
    return ClassHistogram(0.0, point, max(0, instances), max(0, size_bytes), tuple(largest))


def _readable(printed: str) -> str:
    """Return the name as in Java source, without its module."""
    name = _MODULE.sub("", printed)
    n_dimensions = len(name) - len(name.lstrip("["))
    if n_dimensions:
        element = name[n_dimensions:]
        if element.startswith("L") and element.endswith(";"):
            name = element[1:-1]
        else:
            name = _PRIMITIVES.get(element, element)
    return _CHOSEN.sub("", name) + "[]" * n_dimensions
