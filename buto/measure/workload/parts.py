"""The parts of a workload: each runs to its end or until it is asked to stop, and returns its problems."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import IO

from buto.errors import MeasureError
from buto.measure import account
from buto.measure.hooks import MBeanConnection
from buto.measure.output import last_lines
from buto.measure.watchdog import Watchdog
from buto.measure.workload.model import Listener, Operation, Reports

_POLL_S = 0.05


_GRACE_S = 2.0


_QUOTED_BYTES = 65536


_QUOTED_LINES = 5


def run_command(
    command: Sequence[str], environment: dict[str, str], stop: threading.Event, listener: Listener
) -> tuple[str, ...]:
    """Run a command to its end; end its process group if ``stop`` is set.

    Args:
        listener: takes the marks and numbers that the command prints.

    Returns:
        Its problems, with the last lines that it printed; none if it was stopped.
    """
    with tempfile.TemporaryFile() as output, Watchdog() as watchdog:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment, **watchdog.environment},
                start_new_session=True,
                preexec_fn=partial(account.die_with_parent, os.getpid()),
            )
        except OSError as error:
            return (f"its command {command[0]} cannot be started: {error.strerror}",)
        watchdog.watch(process.pid)
        reports = Reports(listener)
        # A daemon, because a process that left the group may keep the pipe open.
        reading = threading.Thread(target=reports.copy, args=(process.stdout, output), daemon=True)
        reading.start()
        try:
            while process.poll() is None and not stop.wait(_POLL_S):
                reports.flush()
            code = process.poll()
        finally:
            _end(process)
            reading.join(_GRACE_S)
        reports.flush(at_once=True)
        if code in (None, 0):
            return reports.problems
        return (f"its command {command[0]} {_ending(code or 0)}; {_quoted(output)}",)


def invoke(
    connection: MBeanConnection, operations: Sequence[Operation], stop: threading.Event
) -> tuple[str, ...]:
    """Invoke operations at their times, counted from now; return the problem of the first that fails."""
    begun = time.monotonic()
    for one in operations:
        if stop.wait(max(0.0, begun + one.at_s - time.monotonic())):
            break
        try:
            connection.invoke(one.mbean, one.name, *one.arguments)
        except MeasureError as failure:
            return (failure.message,)
    return ()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group: SIGTERM, two seconds, SIGKILL."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ending(code: int) -> str:
    return f"exited with code {code}" if code > 0 else f"was ended by signal {-code}"


def _quoted(output: IO[bytes]) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _QUOTED_BYTES))
    lines = last_lines(output.read(), _QUOTED_LINES).splitlines()
    return f"it printed: {' / '.join(lines)}" if lines else "it printed nothing"
