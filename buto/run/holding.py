"""How objects are held: references from a root of the JVM to them."""

from __future__ import annotations

from msgspec import Struct

STATIC, FIELD, ENTRY, LOCAL = "STATIC_FIELD", "INSTANCE_FIELD", "ARRAY_ENTRY", "LOCAL"
"""Kinds of references; an entry is one of an array, or of a collection."""


class Reference(Struct, frozen=True):
    """One reference on a path.

    Attributes:
        kind: see above.
        owner: the class that has the field, or of the array.
        field: its name; empty for an entry.
    """

    kind: str
    owner: str
    field: str


class HoldingPath(Struct, frozen=True):
    """How objects of one class are held.

    Attributes:
        class_name: of the objects.
        share: of the objects that were drawn, how many are held so, 0 to 1.
        root: of what kind the root is, as ``THREAD_OBJECT``.
        steps: from the root to the objects; from a static field on, if there is one.
    """

    class_name: str
    share: float
    root: str
    steps: tuple[Reference, ...]
