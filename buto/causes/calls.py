"""How often a few methods are called in the window of one launch, and what they allocate: an agent counts.

Only these methods are changed, by a call at their beginning and at each end. Methods of more than 32 KB stay
as they are, and so do classes of a loader that does not find the agent.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from msgspec import Struct

from buto import jars
from buto.causes.windowed import ALL, WindowMarks, follow
from buto.errors import MeasureError
from buto.measure.diagnostic_command import load_agent
from buto.measure.hooks import LaunchHooks
from buto.measure.private_directory import private_directory
from buto.measure.progress import OnTick
from buto.measure.target import Target
from buto.run.window import PROGRAM_END, Window

_WITHIN_S = 30.0
_START, _END, _EXIT = "start", "end", "exit-*"


class Count(Struct, frozen=True):
    """What was counted of one method, or of all methods of one name in a class.

    Attributes:
        calls: how often it was called.
        measured: the calls of which the bytes are known: some 100,000, the first that ended, each with those
            that it made of itself; none in a virtual thread.
        allocated: bytes that the thread allocated in these, with all that they called.
    """

    calls: int = 0
    measured: int = 0
    allocated: int = 0

    @property
    def each(self) -> float | None:
        """Return the mean bytes of a call; None if they are not known."""
        return self.allocated / self.measured if self.measured else None

    def since(self, before: Count) -> Count:
        return Count(
            self.calls - before.calls,
            self.measured - before.measured,
            self.allocated - before.allocated,
        )


_NONE = Count()


class _Counter:
    """Has the JVM write the counts up to the start and up to the end of its window."""

    def __init__(self, jar: Path, directory: Path) -> None:
        self._jar, self._directory = jar, directory

    def start(self, pid: int) -> None:
        load_agent(pid, f"{self._jar}={self._directory / _START}", _WITHIN_S)

    def end(self, pid: int) -> None:
        load_agent(pid, f"{self._jar}={self._directory / _END}", _WITHIN_S)


def count_calls(
    target: Target,
    methods: Collection[str],
    on_tick: OnTick | None = None,
    hooks: LaunchHooks | None = None,
    window: Window = ALL,
) -> dict[str, Count]:
    """Launch a program once and count calls of methods, and their bytes, in its window.

    Args:
        methods: as ``com.acme.Shop.add``, without numbers of lambdas and of anonymous classes; all methods of
            one name in a class count together.

    Returns:
        By method its counts, zeros if it was not called or could not be counted.

    Raises:
        MeasureError: the program cannot be launched, fails, or ends without having written its counts.
        StorageError: the temporary directory cannot be written.
    """
    with private_directory() as directory:
        jar = directory / jars.CLASSES
        shutil.copyfile(jars.path(jars.CLASSES), jar)
        names = directory / "methods"
        names.write_text("".join(f"{name}\n" for name in methods), encoding="utf-8")
        marks = WindowMarks(window, _Counter(jar, directory))
        options = [f"-javaagent:{jar}={names}", "-XX:+EnableDynamicAgentLoading"]
        with follow(target, directory, options, marks, hooks, on_tick, "counting calls"):
            pass
        # Of several JVMs it is the one that called the most.
        exits = sorted(map(_read, directory.glob(_EXIT)), key=_calls)
        at_end = _read(directory / _END)
        last = exits[-1] if exits and (window.end.mark == PROGRAM_END or not at_end) else at_end
        if not last:
            raise MeasureError(
                "the program halted before its counts were written",
                advice="give the test a window that ends before that: window: {to: MARK}",
            )
        before = _read(directory / _START)
        return {name: count.since(before.get(name, _NONE)) for name, count in last.items()}


def _calls(counts: Mapping[str, Count]) -> int:
    return sum(count.calls for count in counts.values())


def _read(file: Path) -> Mapping[str, Count]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = [line.split("\t") for line in lines]
    return {name: Count(*map(int, numbers)) for name, *numbers in rows if len(numbers) == 3}
