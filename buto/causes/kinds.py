"""Which kinds of events explain which findings."""

from __future__ import annotations

from collections.abc import Iterable

from buto.profiles import Kind
from buto.profiles.kinds import USUAL
from buto.properties import Topic, topic_of

_OF_TOPIC: dict[Topic, tuple[Kind, ...]] = {
    Topic.DURATION: (Kind.CPU, Kind.LOCKS, Kind.IO),
    Topic.CPU: (Kind.CPU, Kind.EXCEPTIONS),
    Topic.COMPILATION: (Kind.CPU,),
    Topic.HEAP: (Kind.RETENTION, Kind.ALLOCATION),
    Topic.ALLOCATION: (Kind.ALLOCATION,),
    Topic.COLLECTIONS: (Kind.ALLOCATION, Kind.RETENTION),
    Topic.THREADS: (Kind.ALIVE, Kind.STARTED),
    # Classes that are not unloaded any more are not defined more often.
    Topic.CLASSES: (Kind.LOADED, Kind.CLASSES, Kind.RETENTION),
    Topic.NON_HEAP: (Kind.LOADED, Kind.CLASSES, Kind.CPU),
    Topic.BUFFERS: (Kind.BUFFERS,),
    Topic.DESCRIPTORS: (Kind.FILES, Kind.IO, Kind.BUFFERS),
}
"""Of each topic the kinds that explain it, the best first; a topic that is missing needs all kinds."""


def kinds_of(subjects: Iterable[str]) -> tuple[Kind, ...]:
    """Return the kinds that explain findings about these properties, in their order; all without subjects."""
    kinds = dict.fromkeys(kind for name in subjects for kind in _OF_TOPIC.get(topic_of(name), USUAL))
    return tuple(kinds) or USUAL
