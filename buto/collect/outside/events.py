"""What the processor counts, as parts of what is read from outside."""

from __future__ import annotations

from functools import partial

from buto.collect.outside.part import MissingPart, Part, Values
from buto.collect.process.processor_events import KINDS, EventKind, NoEventError, ProcessorEvents


def event_parts(events: ProcessorEvents | NoEventError) -> list[Part]:
    """Return one part for each counter. The events must stay open.

    Args:
        events: or why there are none.
    """
    if isinstance(events, NoEventError):
        return [MissingPart(tuple(kind.prop for kind in KINDS), events)]
    return [_part(events, kind) for kind in events.kinds]


def _part(events: ProcessorEvents, kind: EventKind) -> Part:
    try:
        events.count(kind)
    except NoEventError as reason:
        return MissingPart((kind.prop,), reason)
    return Part((kind.prop,), partial(_count, events, kind))


def _count(events: ProcessorEvents, kind: EventKind) -> Values:
    return {kind.prop: events.count(kind)}
