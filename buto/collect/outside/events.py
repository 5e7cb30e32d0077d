"""What the processor counts, as parts of what is read from outside."""

from __future__ import annotations

from functools import partial

from buto.collect.outside.part import Part, Values, missing
from buto.collect.process.processor_events import KINDS, EventKind, NoEventError, ProcessorEvents


def event_parts(events: ProcessorEvents | NoEventError) -> list[Part]:
    """Return one part for each counter. The events must stay open.

    Args:
        events: or why there are none.
    """
    if isinstance(events, NoEventError):
        return [missing(tuple(kind.prop for kind in KINDS), events)]
    return [Part((kind.prop,), partial(_count, events, kind)) for kind in events.kinds]


def _count(events: ProcessorEvents, kind: EventKind) -> Values:
    return {kind.prop: events.count(kind)}
