"""The source ``jvm``: a further JVM beside the measured one, such as a service's or a child's."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from buto.collect.jvm.local_jvm import is_jvm, local_jvm
from buto.collect.jvm.selection import is_wanted
from buto.collect.process.search import Found, line_pattern, living
from buto.collect.sources.jvm.reader import JvmReader
from buto.collect.sources.protocol import Reader, Settings, Surroundings


class JvmSource:
    """The first JVM that matches, or the first that the test's command started beside the measured one."""

    kind: ClassVar[str] = "jvm"
    required: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "match": {
            "title": "a shell pattern",
            "description": "Which JVM: a shell pattern for its command line, words joined by blanks; of "
            "several the one that started first. Default: a JVM that the test's command started beside the "
            "measured one.",
            "type": "string",
            "minLength": 1,
            "examples": ["'*java * Catalogue *'"],
        },
    }

    def __init__(self, settings: Settings) -> None:
        self.settle_s = 0.0
        self._match: str | None = settings.get("match")

    def open(self, surroundings: Surroundings, interval_s: float, timeout_s: float) -> Reader:
        """See :class:`Source`."""
        if self._match is None:
            find = _child_of(surroundings)
            missing = "no further JVM of the test's command can be recognised; name it with match"
        else:
            find = _matching(self._match, surroundings)
            missing = f"no JVM runs whose command line matches {self._match}"
        return JvmReader(find, missing, interval_s, timeout_s)


def _child_of(surroundings: Surroundings) -> Callable[[], Found | None]:
    def find() -> Found | None:
        members = set(surroundings.members()) - {surroundings.pid}
        return next((one for one in living() if one.pid in members and _runs_a_program(one.pid)), None)

    return find


def _matching(match: str, surroundings: Surroundings) -> Callable[[], Found | None]:
    pattern = line_pattern(match)

    def find() -> Found | None:
        others = {os.getpid(), surroundings.pid}
        found = (one for one in living() if one.pid not in others and pattern.match(one.line))
        return next((one for one in found if is_jvm(one.pid) and not _is_starting(one.pid)), None)

    return find


def _is_starting(pid: int) -> bool:
    """Return whether a JVM, as far as it says so, cannot load an agent yet."""
    jvm = local_jvm(pid)
    return jvm is not None and not jvm.is_ready


def _runs_a_program(pid: int) -> bool:
    """Return whether a JVM has started that is not a build tool."""
    jvm = local_jvm(pid)
    return jvm is not None and jvm.is_ready and is_wanted(jvm.command, None)
