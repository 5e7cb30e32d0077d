"""One recorded call."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

LONGEST = 500
"""Letters of a component's name; the names of some spans are whole SQL statements."""


class Kind(Enum):
    """The side of a connection that a span is on."""

    LOCAL = "local"
    CLIENT = "client"
    """It waits for another service, whose own span may be below it."""


class Span(NamedTuple):
    """A call from its beginning to its end.

    Attributes:
        trace: id of the request that it belongs to.
        span: its own id, unique in the trace.
        parent: id of its caller; empty for the request itself.
        component: what was called.
        emitter: the service that recorded it.
        service: where it ran; for a client, what it waited for, empty if only a span below it shows that.
        start_s, end_s: on the clock of the emitter.
        depth: depth in the stack, for formats that order calls and do not name the caller; else None.
        cpu_s: processor time of its thread between start and end; None if that was not recorded.
    """

    trace: str
    span: str
    parent: str
    component: str
    emitter: str
    service: str
    kind: Kind
    start_s: float
    end_s: float
    depth: int | None = None
    cpu_s: float | None = None
