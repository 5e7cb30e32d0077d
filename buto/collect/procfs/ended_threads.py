"""Sum what is counted for each thread over the threads that live and those that have ended."""

from __future__ import annotations

from collections.abc import Mapping

from buto.collect.procfs.texts import Switches

_NONE = Switches(0, 0)


class ThreadSum:
    """Context switches of a process from repeated readings of its threads.

    Linux reports them for each living thread alone. Those of an ended thread are kept as they were when it
    was last seen; what a thread did after that, and threads that were never seen, are missing.
    """

    def __init__(self) -> None:
        self._living: Mapping[int, Switches] = {}
        self._ended = _NONE

    def add(self, living: Mapping[int, Switches]) -> Switches:
        """Take the next reading, by thread id; return the sum over all threads so far.

        An id with fewer switches than before belongs to a new thread.
        """
        for thread, before in self._living.items():
            now = living.get(thread)
            if now is None or now.voluntary < before.voluntary or now.involuntary < before.involuntary:
                self._ended += before
        self._living = living
        return sum(living.values(), self._ended)
