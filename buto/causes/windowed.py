"""A launch that is no run: followed to its end with its hooks, and told when its window starts and ends.

Recording a profile and counting calls share this. Nothing of such a launch is stored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from buto.errors import MeasureError
from buto.measure import account, exits
from buto.measure.hooks import HookCaller, LaunchHooks
from buto.measure.host import LoadMeter
from buto.measure.jvms import is_wanted, local_jvm
from buto.measure.launch import Ending, Launch, TimeLimit
from buto.measure.progress import OnTick, Progress
from buto.measure.recording import Recording
from buto.measure.target import Target
from buto.measure.workload.model import END
from buto.run.window import PROGRAM_END, PROGRAM_START, Window

ALL = Window()
"""The whole of a launch."""

_TICK_S = 0.1


class Asked(Protocol):
    """What a JVM is asked to do for its window. Both may take time, in which the workload waits.

    Both raise MeasureError if the JVM does not do it.
    """

    def start(self, pid: int) -> None:
        """Begin, at the window's start; not called if that is the start of the JVM."""

    def end(self, pid: int) -> None:
        """Have it write what it has, because it may halt afterwards."""


def begins_with_jvm(window: Window) -> bool:
    """Return whether a window begins with the program, so that options of the JVM can begin."""
    return window.start.mark == PROGRAM_START and window.start.offset_s <= 0


class WindowMarks(Recording):
    """The marks of a launch, at which the JVM is asked for what belongs to its window.

    A window with the program's end has a second end with the workload. An offset from the mark of the end
    does not count, nor one before the mark of the start: both are known only when the time has passed.
    """

    def __init__(self, window: Window, asked: Asked) -> None:
        super().__init__("launch")
        self._start = window.start
        self._end = END if window.end.mark == PROGRAM_END else window.end.mark
        self._asked = asked
        self._pid = 0
        self._has_ended = False
        self._due_ns: int | None = None
        self._has_begun = begins_with_jvm(window)

    @property
    def missing(self) -> str:
        """Return the mark of the window that did not come; empty if there is none."""
        return "" if self._has_ended else self._end if self._has_begun else self._start.mark

    def begin(self, pid: int) -> None:
        """Note that the program of a JVM starts now."""
        self._pid, self.zero_ns = pid, time.monotonic_ns()
        self._note_mark(PROGRAM_START, self.zero_ns)

    def tick(self) -> None:
        """Begin the window if that is due. Call this some ten times a second."""
        if self._due_ns is not None and time.monotonic_ns() >= self._due_ns:
            self._due_ns, self._has_begun = None, True
            self._asked.start(self._pid)

    def add_mark(self, time_ns: int, name: str, text: str = "") -> None:
        """Add a mark, after the JVM has done what belongs to it; raises as :class:`Asked`."""
        super().add_mark(time_ns, name, text)
        self._note_mark(name, time_ns)
        if name == self._end and self._has_begun:
            self._asked.end(self._pid)
            self._has_ended = True

    def _note_mark(self, name: str, time_ns: int) -> None:
        if name == self._start.mark and not self._has_begun and self._due_ns is None:
            self._due_ns = time_ns + round(max(0.0, self._start.offset_s) * 1e9)
            self.tick()


class Followed(Struct, frozen=True):
    """A launch that has ended as it should, or by a signal, or at its time limit.

    Attributes:
        timed_out: whether it was ended at its time limit.
        foreign_load: what others did meanwhile, see :class:`LoadMeter`.
        directory: where the JVM ran, from which its relative paths go.
    """

    launch: Launch
    ending: Ending
    timed_out: bool
    foreign_load: float
    directory: str


@contextmanager
def follow(
    target: Target,
    directory: Path,
    options: Sequence[str],
    marks: WindowMarks,
    hooks: LaunchHooks | None,
    on_tick: OnTick | None,
    what: str,
) -> Iterator[Followed]:
    """Launch a program and follow it to its end; the end of the block ends what is left of it.

    Args:
        directory: for what it prints.
        options: of the JVM.
        what: the program is doing, for who waits.

    Raises:
        MeasureError: it cannot be started or fails, or its hooks do.
    """
    load = LoadMeter()
    with Launch(target, directory, options) as launch, HookCaller(hooks, launch, marks) as hook_caller:
        timed_out, inside = _to_its_end(launch, marks, hook_caller, on_tick, what)
        failed = hook_caller.end()
        foreign_load = load.foreign_load(hook_caller.cpu_s())
        launch.end_all()
        ending = launch.poll()
        assert ending is not None
        if failed:
            raise MeasureError(
                f"{failed[0].text}\n{launch.quote()}",
                advice="correct the services or the workload of this test: a check would fail, too",
            )
        ends_well = exits.is_expected(
            target.expected_exit, ending.exit_code, None, was_asked_to_end=launch.was_asked_to_end
        )
        if not timed_out and ending.signal is None and not ends_well:
            not_created = exits.jvm_not_created(launch)
            if not_created is not None:
                raise not_created
            raise MeasureError(
                f"the program exited with code {ending.exit_code}, expected {target.expected_exit}"
                f"\n{launch.quote()}",
                advice=f"see whether it runs by itself: {launch.mask.command(target.command)}",
            )
        yield Followed(launch, ending, timed_out, foreign_load, inside)


def _to_its_end(
    launch: Launch, marks: WindowMarks, hook_caller: HookCaller, on_tick: OnTick | None, what: str
) -> tuple[bool, str]:
    """Follow a launch to its end; return whether its time limit has passed, and where its JVM ran."""
    limit, directory = TimeLimit(launch), os.path.abspath(launch.target.directory or "")
    while not launch.is_finished():
        if launch.poll() is None:
            launch.wait(_TICK_S)
        else:
            # The command has ended and left processes behind, of which one may be the program.
            account.wait_for_end(launch.members(), _TICK_S)
        limit.enforce()
        launch.trim_outputs()
        if marks.zero_ns is None:
            pid = _start(launch)
            if pid is not None:
                # A script may have gone elsewhere. The JVM may also have ended by now.
                with suppress(OSError):
                    directory = os.readlink(f"/proc/{pid}/cwd")
                marks.begin(pid)
                hook_caller.start(pid)
        marks.tick()
        if on_tick is not None:
            elapsed_s = (time.monotonic_ns() - launch.started_ns) * 1e-9
            on_tick(Progress(elapsed_s, launch.target.timeout_s, 0, what))
    return limit.has_passed, directory


def _start(launch: Launch) -> int | None:
    """Return the process id of the JVM to measure, once its program starts."""
    for pid in launch.members():
        jvm = local_jvm(pid)
        if jvm is not None and jvm.is_ready and is_measured(launch, jvm.command, jvm.class_path):
            return pid
    return None


def is_measured(launch: Launch, command: str, class_path: str = "") -> bool:
    """Return whether a JVM of a launch is the one to measure, by its main class and arguments."""
    pattern = launch.target.jvm
    return (launch.line.direct and pattern is None) or is_wanted(command, pattern, class_path)
