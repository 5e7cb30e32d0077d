"""How the measured JVM itself ended, if another command started it.

A wrapper may return 0 however its JVM ended, and a pipe returns the exit code of its last program.
"""

from __future__ import annotations

import signal

from buto.collect.process import kernel
from buto.collect.process.launch import Ending, Launch
from buto.runs import Problem, ProblemKind

_STOPPED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
"""Signals by which a wrapper may stop its server: the JVM then exits normally with 128 plus the number."""


def code_of(launch: Launch, pid: int, pidfd: int | None, ending: Ending) -> int | None:
    """Return the exit code of the measured JVM, or minus the signal that ended it; None if not known.

    Args:
        launch: after all its processes have ended.
        pid: of the JVM.
        pidfd: of the JVM, opened while it was running.
        ending: of the command's own process.
    """
    if pid == launch.pid:
        return ending.exit_code if ending.signal is None else -ending.signal
    return None if pidfd is None else kernel.exit_code(pidfd)


def problem(expected_exit: int, code: int | None, *, orderly: bool) -> Problem | None:
    """Return what is wrong with the end of a JVM that is not the command itself; None if nothing is.

    0 and the expected code are good, and so is what a shell makes of a signal if that is expected. A JVM that
    halts (``Runtime.halt``) tells as much as one that exits, where its code is known.

    Args:
        code: as of :func:`code_of`.
        orderly: whether its exit hook ran, for where the code is not known.
    """
    if code is None:
        return None if orderly else _bad_end("ended without its exit hook: killed, halted or crashed")
    as_in_shell = code if code >= 0 else 128 - code
    if as_in_shell in (0, expected_exit, *(128 + number for number in _STOPPED)):
        return None
    how = f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"
    return _bad_end(f"{how}, which its command did not report")


def _bad_end(how: str) -> Problem:
    return Problem(ProblemKind.JVM_END, f"the measured JVM {how}")
