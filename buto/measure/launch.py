"""Start the user's command, follow it to its end or its time limit, and leave no process of it behind.

Both collectors use this; they differ in the JVM options that they add.
"""

from __future__ import annotations

import errno
import os
import resource
import shlex
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import Struct

from buto.errors import MeasureError
from buto.measure import account as processor_events
from buto.measure.account import (
    Account,
    NoEventError,
    Opener,
    ProcessorEvents,
    die_with_parent,
    identity,
    readable,
    require_linux,
    wait_for_end,
)
from buto.measure.command_line import command_line
from buto.measure.environment import give_environment
from buto.measure.isolation import Isolation
from buto.measure.output import EmptyInput, OutputFile, last_lines
from buto.measure.process_group import cpu_s, send
from buto.measure.procfs import Switches
from buto.measure.progress import Closeable
from buto.measure.target import Target
from buto.measure.watchdog import Watchdog

GRACE_S = 2.0
"""Time between SIGTERM and SIGKILL."""

ORPHAN_S = 10.0
"""How long a process that an ended command left behind may still become the JVM to measure."""

_REAP_S = 10.0
"""Time for processes to end after SIGKILL."""

_KIB = 1024


class CommandUsage(Struct, frozen=True):
    """What the kernel counts of a process and of all children that it waited for.

    Attributes:
        cpu_s: processor time, user and system.
        minor_faults, major_faults: page faults without and with a wait for the disk.
        switches: context switches of all threads.
        largest_bytes: the most memory that was resident in any one of these processes.
    """

    cpu_s: float
    minor_faults: int
    major_faults: int
    switches: Switches
    largest_bytes: int

    @classmethod
    def of(cls, counted: resource.struct_rusage) -> CommandUsage:
        return cls(
            counted.ru_utime + counted.ru_stime,
            counted.ru_minflt,
            counted.ru_majflt,
            Switches(counted.ru_nvcsw, counted.ru_nivcsw),
            counted.ru_maxrss * _KIB,
        )


class Beginning(Struct, frozen=True):
    """The child process just before the program is executed in it.

    Attributes:
        time_ns: ``time.monotonic_ns`` then.
        used: from the fork until then. The kernel goes on counting from there; it is no part of what the
            program uses.
    """

    time_ns: int
    used: CommandUsage


class Ending(Struct, frozen=True):
    """How the command's own process ended.

    Attributes:
        exit_code: what it returned; None if a signal ended it.
        signal: the number of that signal, else None.
        used: from the fork to its very end.
        time_ns: when the end was seen, ``time.monotonic_ns``.
    """

    exit_code: int | None
    signal: int | None
    used: CommandUsage
    time_ns: int

    def describe(self) -> str:
        """Return the exit code or signal as text, for messages."""
        return f"signal {self.signal}" if self.signal is not None else f"exit code {self.exit_code}"


class Launch(Closeable):
    """The user's command from its start to its end, in a session and process group of its own.

    Standard input is an empty file; both outputs go to bounded files in the session's directory, or to one.
    The end of the ``with`` block ends everything that the command started: SIGTERM, two seconds,
    SIGKILL. If buto dies before, a watchdog process kills it.

    Args:
        directory: private, for the outputs and what else the launch needs.
        jvm_options: see :func:`buto.measure.command_line.command_line`.
        account: the user that the command becomes; None for the one of this process.
        one_output: whether standard error goes to where standard output goes, in the order of printing.

    Attributes:
        pid: of the command's own process, which leads the session.
        started_ns: ``time.monotonic_ns`` just before the start.
        line: the command line that was executed.
        isolation: its own home and temporary directory; None if it has those of its user.
        mask: hides secrets in messages.
        was_asked_to_end: whether the command's own process was alive when buto asked it to end.
        n_left_over: processes that had to be ended after the command's own end.
        input: what the command has as standard input.

    Raises:
        MeasureError: the command cannot be started; the message says why.
    """

    def __init__(
        self,
        target: Target,
        directory: Path,
        jvm_options: Sequence[str] = (),
        *,
        account: Account | None = None,
        one_output: bool = False,
    ) -> None:
        require_linux("launching a program")
        self.target = target
        self._account = account
        self._one_output = one_output
        self.mask = target.new_mask()
        self.isolation: Isolation | None = None
        self._isolating: Mapping[str, str] = {}
        if target.isolates_home:
            self.isolation = Isolation.below(directory)
            jvm_options = [*jvm_options, *self.isolation.options]
            self._isolating = self.isolation.variables({**give_environment(), **target.environment})
        placed = replace(target, environment={**target.environment, **self._isolating})
        self.line = command_line(placed, jvm_options, directory)
        self.was_asked_to_end = False
        self.n_left_over = 0
        self._all_gone = False
        self._ending: Ending | None = None
        self._beginning: Beginning | None = None
        with ExitStack() as undo:
            self.input = undo.enter_context(closing(EmptyInput()))
            self.stdout = undo.enter_context(closing(OutputFile(directory / "stdout")))
            self.stderr = undo.enter_context(closing(OutputFile(directory / "stderr")))
            self._watchdog = undo.enter_context(Watchdog())
            self.started_ns = time.monotonic_ns()
            opener = undo.enter_context(closing(Opener(processor_events.KINDS)))
            report = undo.enter_context(closing(_Report()))
            self._process = self._start(opener, report)
            undo.callback(_end_at_once, self._process)
            self._beginning = report.receive()
            self._events = undo.enter_context(closing(opener.receive()))
            self.pid = self._process.pid
            self._group = self._watchdog.watch(self.pid)
            self._pidfd = self._open_pidfd()
            undo.pop_all()

    def fileno(self) -> int:
        """Return a descriptor that becomes readable when the command's own process ends."""
        return self._pidfd

    def poll(self) -> Ending | None:
        """Return how the command's own process ended; None while it runs."""
        if self._ending is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid == 0:
                return None
            code = os.waitstatus_to_exitcode(status)
            self._process.returncode = code
            self._ending = Ending(
                exit_code=code if code >= 0 else None,
                signal=-code if code < 0 else None,
                used=CommandUsage.of(usage),
                time_ns=time.monotonic_ns(),
            )
        return self._ending

    def wait(self, timeout_s: float) -> Ending | None:
        """Wait for the end of the command's own process; return None if it still runs after that time."""
        readable(self._pidfd, timeout_s)
        return self.poll()

    @property
    def beginning(self) -> Beginning:
        """The process just before the program was executed; without a report, nothing is known to be used."""
        nothing = CommandUsage(0.0, 0, 0, Switches(0, 0), 0)
        return self._beginning or Beginning(self.started_ns, nothing)

    @property
    def environment(self) -> Mapping[str, str]:
        """The complete environment of the command; a process that has it belongs to the command."""
        return {**self.line.environment, **self._watchdog.environment}

    @property
    def added_variables(self) -> tuple[str, ...]:
        """Names of the variables that buto has added to the command's environment, or changed in it."""
        return tuple(sorted({*self.line.added, *self._isolating, *self._watchdog.environment}))

    def cpu_s(self) -> float:
        """Return the processor time so far of the command's living processes and what they waited for."""
        return cpu_s(self.members())

    def members(self) -> list[int]:
        """Return all living processes of the command, including its own."""
        return self._group.members()

    def is_finished(self) -> bool:
        """Return whether the command has ended and can start no further JVM."""
        ending = self.poll()
        if ending is None:
            return False
        return time.monotonic_ns() - ending.time_ns >= ORPHAN_S * 1e9 or not self.members()

    def owns(self, pid: int) -> bool:
        """Return whether a living process is the command's own or was started by it."""
        return self._group.owns(pid)

    def events_of(self, pid: int | None) -> ProcessorEvents | NoEventError:
        """Return what the processor counts of a process: only of the command's own, else the reason."""
        if pid == self.pid:
            return self._events
        return NoEventError("the processor counts only for a JVM that is the command's own process")

    def terminate(self) -> None:
        """Ask all processes of the command to end (SIGTERM); return at once."""
        members = self.members()
        # Before the signal: who sees the end must know by then that it was asked for.
        self.was_asked_to_end = self.was_asked_to_end or self.pid in members
        send(members, signal.SIGTERM)

    def kill(self) -> None:
        """Kill all processes of the command (SIGKILL); return at once."""
        send(self.members(), signal.SIGKILL)

    def trim_outputs(self) -> None:
        """Keep the output files bounded. Call this two to ten times a second."""
        self.stdout.trim()
        self.stderr.trim()

    def read_stdout(self) -> bytes:
        return self.line.clean(self.stdout.read_kept())

    def read_stderr(self) -> bytes:
        return self.line.clean(self.stderr.read_kept())

    def quote(self) -> str:
        """Return the command, its end and the last 20 lines of each stream, for messages."""
        ending = self._ending
        parts = [
            f"command: {self.mask.command(self.target.command)}",
            f"end: {ending.describe() if ending else 'was still running'}",
        ]
        for name, output in (("stdout", self.read_stdout()), ("stderr", self.read_stderr())):
            lines = last_lines(self.mask.output(output))
            parts.append(f"{name}, last lines:\n{lines}" if lines else f"{name}: empty")
        return "\n".join(parts)

    def end_all(self) -> None:
        """End what still runs of the command: SIGTERM, two seconds, SIGKILL.

        Raises:
            MeasureError: a process still runs ten seconds after SIGKILL.
        """
        left = [] if self._all_gone else self.members()
        if left:
            if self.poll() is not None:
                self.n_left_over = len(left)
            send(left, signal.SIGTERM)
            wait_for_end(left, GRACE_S)
            self._kill_all()
        self._all_gone = True
        self._watchdog.dismiss()

    def close(self) -> None:
        """End what still runs, and close all descriptors."""
        try:
            self.end_all()
        except BaseException:
            # Usually a second Ctrl-C: wait no longer.
            self.kill()
            raise
        finally:
            if self.wait(_REAP_S) is None:
                self._process.returncode = -signal.SIGKILL
            os.close(self._pidfd)
            self._events.close()
            self._watchdog.close()
            self._close_files()

    def _kill_all(self) -> None:
        deadline = time.monotonic() + _REAP_S
        while left := self.members():
            self.kill()
            if not wait_for_end(left, deadline - time.monotonic()):
                raise MeasureError(
                    f"processes {', '.join(map(str, left))} of {self.mask.command(self.target.command)} "
                    f"still run {_REAP_S:.0f} s after SIGKILL",
                    advice="see what they are waiting for: cat /proc/PID/stack",
                )

    def _start(self, opener: Opener, report: _Report) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self.line.arguments,
                stdin=self.input.descriptor,
                stdout=self.stdout.descriptor,
                stderr=(self.stdout if self._one_output else self.stderr).descriptor,
                cwd=self.target.directory,
                env=self.environment,
                start_new_session=True,
                preexec_fn=partial(_before_exec, os.getpid(), opener, report),
                **identity(self._account),
            )
        except OSError as error:
            raise _cannot_start(self.target, error) from error

    def _open_pidfd(self) -> int:
        try:
            return os.pidfd_open(self.pid)
        except OSError as error:
            raise MeasureError(
                f"the end of {self.mask.command(self.target.command)} cannot be watched: {error.strerror}",
                advice="see how many files buto may open: ulimit -n",
            ) from error

    def _close_files(self) -> None:
        self.input.close()
        self.stdout.close()
        self.stderr.close()


def _end_at_once(process: subprocess.Popen[bytes]) -> None:
    """Kill a command that leads a session, with what it started, and wait for its end."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def check_startable(target: Target) -> None:
    """Raise MeasureError if a command cannot be started: it or its working directory does not exist."""
    if target.directory is not None and not target.directory.is_dir():
        raise _cannot_start(target, NotADirectoryError())
    program = (target.directory or Path()) / command_line(target, ()).arguments[0]
    if not program.exists():
        raise _cannot_start(target, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    if program.is_dir() or not os.access(program, os.X_OK):
        raise _cannot_start(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


class _Report:
    """What the child has used before the program is executed in it.

    It is sent, because what is written into a pipe counts as the program's own input and output.
    """

    _FORMAT = struct.Struct("=qdqqqqq")

    def __init__(self) -> None:
        self._ours, self._childs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.setblocking(False)

    def send(self) -> None:
        """Tell it; raise no error, because the program must start all the same."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        numbers = (used.ru_minflt, used.ru_majflt, used.ru_nvcsw, used.ru_nivcsw, used.ru_maxrss)
        with suppress(OSError):
            cpu_s = used.ru_utime + used.ru_stime
            self._childs.send(self._FORMAT.pack(time.monotonic_ns(), cpu_s, *numbers))

    def receive(self) -> Beginning | None:
        """Return what was told; None if nothing was. The program is executed now."""
        try:
            counts = self._FORMAT.unpack(self._ours.recv(self._FORMAT.size))
        except (OSError, struct.error):
            return None
        finally:
            self.close()
        time_ns, cpu_s, minor, major, voluntary, involuntary, largest = counts
        switches = Switches(voluntary, involuntary)
        return Beginning(time_ns, CommandUsage(cpu_s, minor, major, switches, largest * _KIB))

    def close(self) -> None:
        self._ours.close()
        self._childs.close()


def _before_exec(parent: int, opener: Opener, report: _Report) -> None:
    """Run in the child between fork and exec."""
    die_with_parent(parent)
    opener.open_in_child()
    report.send()


def _cannot_start(target: Target, error: OSError) -> MeasureError:
    directory = target.directory
    if directory is not None and not directory.is_dir():
        return MeasureError(
            f"the working directory {directory} does not exist", advice="create it or name another"
        )
    program = target.command[0]
    advice = {
        FileNotFoundError: "check the path of the program, relative to its working directory",
        PermissionError: f"make it executable: chmod +x {shlex.quote(program)}",
    }.get(type(error), f"if it is a script, name what runs it: sh {shlex.quote(program)}")
    return MeasureError(f"{program} cannot be started: {error.strerror}", advice=advice)


LONGEST_PAUSE_S = 60.0
"""As long as the agent holds the exit for a count of the live objects."""

_KILL_S = 10.0


class TimeLimit:
    """Ends the program at its time limit: SIGTERM, and SIGKILL two seconds later.

    Attributes:
        has_passed: whether the time limit was reached.
    """

    def __init__(self, launch: Launch) -> None:
        self.has_passed = False
        self._launch = launch
        self._kill_at: float | None = None
        self._paused_at: float | None = None
        self._paused_s = 0.0

    def pause(self) -> None:
        """Leave out the time from now until :meth:`resume`, at most LONGEST_PAUSE_S."""
        self._paused_at = time.monotonic()

    def resume(self) -> None:
        """End a pause, if there is one."""
        if self._paused_at is not None:
            self._paused_s += min(time.monotonic() - self._paused_at, LONGEST_PAUSE_S)
            self._paused_at = None

    def enforce(self) -> None:
        """End the program if its time is over. Call this two to ten times a second.

        Raises:
            MeasureError: the program still runs ten seconds after SIGKILL.
        """
        now = time.monotonic()
        if self._paused_at is not None and now - self._paused_at < LONGEST_PAUSE_S:
            return
        elapsed_s = now - self._launch.started_ns * 1e-9 - self._paused_s
        if not self.has_passed and elapsed_s >= self._launch.target.timeout_s:
            self.has_passed = True
            self._launch.terminate()
            self._kill_at = now + GRACE_S
        elif self._kill_at is not None and now >= self._kill_at:
            self._launch.kill()
            if now >= self._kill_at + _KILL_S:
                pid = self._launch.pid
                raise MeasureError(
                    f"the program was killed at its time limit but still runs {_KILL_S:g} s later",
                    advice=f"see what process {pid} is waiting for: cat /proc/{pid}/stack",
                )
