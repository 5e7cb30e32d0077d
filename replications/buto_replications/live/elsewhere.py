"""Other places to launch an unchanged program: one core, another heap, another JDK."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from buto.errors import MeasureError
from buto.measure.jvms import find_installations

_OLDER, _NEWER = 17, 25


@dataclass(frozen=True, slots=True)
class Where:
    """Where a command is typed.

    Attributes:
        variables: of the environment, in addition.
        before: words before buto.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()


HERE = Where()


def one_core() -> Where:
    return Where(before=("taskset", "-c", str(min(os.sched_getaffinity(0)))))


def another_heap() -> Where:
    """Return a heap of a size that no machine chooses by itself."""
    return Where({"JAVA_TOOL_OPTIONS": "-Xmx192m"})


def with_jdk(release: int) -> Where:
    """Return where ``java`` is of this release.

    Raises:
        MeasureError: this machine has none.
    """
    homes = [jdk.java.parents[1] for jdk in find_installations() if jdk.major == release]
    if not homes:
        raise MeasureError(f"this machine has no JDK {release}", advice=f"install a JDK {release}")
    path = os.pathsep.join((str(homes[0] / "bin"), os.environ.get("PATH", "")))
    return Where({"JAVA_HOME": str(homes[0]), "PATH": path})


@dataclass(frozen=True, slots=True)
class Move:
    """Where a program is trained, and where it is checked; looked up when they are needed."""

    training: Callable[[], Where]
    check: Callable[[], Where]


MOVES: dict[str, Move] = {
    "one core": Move(lambda: HERE, one_core),
    "another heap": Move(lambda: HERE, another_heap),
    f"JDK {_NEWER} in place of {_OLDER}": Move(lambda: with_jdk(_OLDER), lambda: with_jdk(_NEWER)),
    f"JDK {_OLDER} in place of {_NEWER}": Move(lambda: with_jdk(_NEWER), lambda: with_jdk(_OLDER)),
}
"""By what a table calls them."""
