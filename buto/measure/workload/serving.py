"""The services of one run: started in their order before the program, stopped in reverse after it.

Each goes from its start to its end with nothing left behind. A check of whether it is ready asks once and
answers within a second.
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import psutil

from buto.errors import MeasureError
from buto.measure.account import Account, account_of, die_with_parent, identity, readable
from buto.measure.hooks import LaunchHooks, MeasuredProgram
from buto.measure.launch import Launch
from buto.measure.output import last_lines
from buto.measure.private_directory import private_directory
from buto.measure.process_group import send
from buto.measure.progress import Closeable, OnTick, Progress
from buto.measure.target import Target
from buto.measure.workload.services import (
    GOOD_STATUS,
    CommandSucceeds,
    HttpAnswers,
    LogLine,
    PortOpen,
    Readiness,
    Service,
    copy_fresh,
)
from buto.run.model import Problem, ProblemKind
from buto.run.units import format_seconds

_ANSWER_S = 1.0
_COMMAND_S = 10.0
_PIECE_BYTES = 1 << 16
_LONGEST_LINE = 1 << 16
_LOOPBACK = ("127.0.0.1", "::1")

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Ignores the proxies of the environment, which cannot reach 127.0.0.1 of this machine."""


Check = Callable[[], str | None]
"""Asks a service whether it is ready; returns what is still missing, as a clause, or None."""


def check_of(readiness: Readiness, launch: Launch, account: Account | None) -> Check:
    match readiness:
        case PortOpen(port):
            return lambda: None if is_open(port) else f"nothing listens at port {port}"
        case HttpAnswers():
            return partial(missing_at, readiness)
        case LogLine():
            return _Log(readiness, launch)
        case CommandSucceeds(command):
            return partial(_missing_by_command, command, launch, account)


def is_open(port: int) -> bool:
    """Return whether something listens at a TCP port of this machine."""
    for address in _LOOPBACK:
        try:
            socket.create_connection((address, port), _ANSWER_S).close()
        except OSError:
            continue
        return True
    return False


def owner_of(port: int) -> str:
    """Return which process listens at a port, as far as this process may know."""
    for connection in psutil.net_connections("tcp"):
        listens = (
            connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port
        )
        if listens and connection.pid is not None:
            try:
                return f"process {connection.pid} ({psutil.Process(connection.pid).name()})"
            except psutil.NoSuchProcess:
                break
    return "another process"


def missing_at(wanted: HttpAnswers) -> str | None:
    """Ask a server by HTTP; redirects are followed, proxies are not used."""
    try:
        with OPENER.open(wanted.url, timeout=_ANSWER_S) as answer:
            status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
        error.close()
    except (OSError, http.client.HTTPException) as error:
        return f"{wanted.url} does not answer: {getattr(error, 'reason', error)}"
    good = GOOD_STATUS if wanted.status is None else (wanted.status,)
    return None if status in good else f"{wanted.url} answers with status {status}"


class _Log:
    """Reads each line of the output once."""

    def __init__(self, wanted: LogLine, launch: Launch) -> None:
        self._wanted = wanted
        self._output = launch.stdout.descriptor
        self._at = 0
        self._begun = b""

    def __call__(self) -> str | None:
        while piece := os.pread(self._output, _PIECE_BYTES, self._at):
            self._at += len(piece)
            *lines, rest = (self._begun + piece).split(b"\n")
            self._begun = rest[-_LONGEST_LINE:]
            if any(self._wanted.pattern.search(line.decode(errors="replace")) for line in lines):
                return None
        return f"it has not printed a line with {self._wanted.pattern.pattern!r}"


def _missing_by_command(command: tuple[str, ...], launch: Launch, account: Account | None) -> str | None:
    """Run a command as the service itself runs, so that it ends with the service at the latest."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=launch.target.directory,
            env=launch.environment,
            timeout=_COMMAND_S,
            check=False,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, os.getpid()),
            **identity(account),
        )
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{command[0]} does not end within {format_seconds(_COMMAND_S)}"
    return None if done.returncode == 0 else f"{command[0]} exits with code {done.returncode}"


_POLL_S = 0.02
_SLOWEST_POLL_S = 0.2
_LOOK_S = 1.0
"""How often the processes of a service that has gone to the background are listed."""

_QUOTED_LINES = 10


class RunningService(Closeable):
    """A service that was started. The end of the ``with`` block ends all its processes.

    If buto dies before, the kernel and a watchdog process kill them.

    Args:
        directory: private to this service and this run.

    Attributes:
        ready_ns: when it was seen to be ready, ``time.monotonic_ns``; 0 before.

    Raises:
        MeasureError: it cannot be started, or its port is taken.
        UsageError: there is no such template or user.
        StorageError: the copy of its template cannot be written.
    """

    def __init__(self, service: Service, directory: Path) -> None:
        self.service = service
        self._failure: str | None = None
        self._asked_to_end = False
        self.ready_ns = 0
        self._looked_s = 0.0
        if service.port is not None and is_open(service.port):
            raise MeasureError(
                f"the service {service.name!r} cannot start: {owner_of(service.port)} already listens at "
                f"port {service.port}",
                advice="end it, or give the service another port",
            )
        account = None if service.user is None else account_of(service.user)
        target = Target(
            service.command,
            directory=_prepare(service, directory, account),
            environment=_environment(service, account),
            mask=service.mask,
            secrets=service.secrets,
        )
        try:
            self._launch = Launch(target, directory, account=account, one_output=True)
        except MeasureError as error:
            raise MeasureError(
                f"the service {service.name!r} cannot start: {error.message}", advice=error.advice
            ) from error
        self._check = check_of(service.readiness, self._launch, account)

    def wait_until_ready(self, on_wait: Callable[[float], None]) -> None:
        """Wait until the service is ready.

        Args:
            on_wait: gets the seconds since the start, some ten times a second.

        Raises:
            MeasureError: it has ended, or is not ready in time; quotes what it printed.
        """
        name, within_s = self.service.name, self.service.within_s
        begun = time.monotonic()
        pause_s = _POLL_S
        while (missing := self._check()) is not None:
            waited_s = time.monotonic() - begun
            if self.failure() is not None:
                raise MeasureError(
                    f"the service {name!r} ended before it was ready\n{self._launch.quote()}",
                    advice="correct its command, or what the output above complains about",
                )
            if waited_s >= within_s:
                more = "services: {" + name + ": {ready: {within: " + f"{2 * within_s:g}s" + "}}}"
                raise MeasureError(
                    f"the service {name!r} was not ready within {format_seconds(within_s)}: {missing}\n"
                    f"{self._launch.quote()}",
                    advice=f"see what it waits for, or allow more time: {more}",
                )
            on_wait(waited_s)
            readable(self._launch.fileno(), min(pause_s, max(0.0, within_s - waited_s)))
            pause_s = min(2 * pause_s, _SLOWEST_POLL_S)
        self.ready_ns = time.monotonic_ns()

    def failure(self) -> str | None:
        """Keep the output bounded; return how the service ended, as a clause, or None while it runs.

        A command that ends with exit code 0 and leaves processes behind runs on in the background.
        """
        self._launch.trim_outputs()
        ending = self._launch.poll()
        if self._failure is None and ending is not None:
            now = time.monotonic()
            if ending.exit_code != 0:
                self._failure = f"ended with {ending.describe()}"
            elif now >= self._looked_s + _LOOK_S:
                self._looked_s = now
                if not self._launch.members():
                    self._failure = "ended with exit code 0"
        return self._failure

    def cpu_s(self) -> float:
        """Return the processor time of its processes so far, seconds."""
        return self._launch.cpu_s()

    def output(self) -> bytes:
        """Return what it printed, without secrets; beginning and end, if it is much."""
        return self._launch.mask.output(self._launch.read_stdout())

    def quote_output(self) -> str:
        lines = last_lines(self.output(), _QUOTED_LINES).splitlines()
        return f"it printed: {' / '.join(lines)}" if lines else "it printed nothing"

    def stop(self) -> None:
        """Ask it to end, and kill what still runs after its time.

        Raises:
            MeasureError: a process still runs ten seconds after SIGKILL.
        """
        # Asked once: who interrupts the wait does not want to wait again.
        if self._launch.poll() is None and not self._asked_to_end:
            self._asked_to_end = True
            # Only the first process: it ends its own children in order.
            send([self._launch.pid], self.service.stop_signal)
            if self._launch.wait(self.service.stop_within_s) is None:
                self._launch.kill()
        self._launch.end_all()

    def close(self) -> None:
        """End what still runs, and close all descriptors."""
        with ExitStack() as last:
            last.callback(self._launch.close)
            self.stop()


def _environment(service: Service, account: Account | None) -> dict[str, str]:
    if account is None:
        return dict(service.environment)
    own = {"HOME": str(account.home), "USER": account.name, "LOGNAME": account.name}
    return {**own, **service.environment}


def _prepare(service: Service, directory: Path, account: Account | None) -> Path | None:
    """Return the directory in which a service starts, after copying its template there."""
    if service.template is None:
        return service.directory
    fresh = directory / "fresh"
    copy_fresh(service.template, fresh, service.name)
    if account is not None:
        account.own(fresh)
    return fresh if service.directory is None else fresh / service.directory


_GRACE_S = 5.0
"""How long a program may go on after one of its services has ended."""

_FOR_ALL = 0o711
"""Mode of the private directory: the users of services must reach their own directories in it."""


class Services(LaunchHooks):
    """Launch hooks that watch over the services of one launch. If one ends, the program is stopped."""

    def __init__(self, started: Sequence[RunningService]) -> None:
        self._started = tuple(started)
        self._program: MeasuredProgram | None = None
        self._problems: dict[str, Problem] = {}
        self._kill_at: float | None = None

    def on_each_tick(self, on_tick: OnTick | None) -> OnTick:
        """Return a function for a collector's ticks that looks after the services, then calls ``on_tick``."""

        def tick(progress: Progress) -> None:
            self._look()
            if on_tick is not None:
                on_tick(progress)

        return tick

    def program_started(self, program: MeasuredProgram) -> None:
        self._program = program
        for service in self._started:
            program.mark_at(service.ready_ns, f"service.{service.service.name}.ready")

    def program_ended(self) -> tuple[Problem, ...]:
        self._program = None
        self._look()
        return tuple(self._problems.values())

    def cpu_s(self) -> float:
        return sum(service.cpu_s() for service in self._started)

    def stop(self) -> Mapping[str, bytes]:
        """Stop all services, the last that was started first; return what each printed.

        Raises:
            MeasureError: processes cannot be killed.
        """
        for service in reversed(self._started):
            service.stop()
        return {service.service.name: service.output() for service in self._started}

    def _look(self) -> None:
        """Keep outputs bounded, and end the program if a service has ended."""
        for service in self._started:
            failure = service.failure()
            name = service.service.name
            if failure is not None and name not in self._problems:
                text = f"its service {name!r} {failure} before the program; {service.quote_output()}"
                self._problems[name] = Problem(ProblemKind.SERVICE, text)
        if self._problems and self._program is not None:
            now = time.monotonic()
            if self._kill_at is None:
                self._program.stop()
                self._kill_at = now + _GRACE_S
            elif now >= self._kill_at:
                self._program.kill()


@contextmanager
def running(services: Sequence[Service], on_tick: OnTick | None = None) -> Iterator[Services]:
    """Start services one after the other, each once the one before is ready; stop all at the end.

    Args:
        on_tick: receives the progress some ten times a second while they start.

    Raises:
        MeasureError: a service cannot be started, ended early, or is not ready in time.
        UsageError: there is no such template or user.
        StorageError: there is no room for them.
    """
    with ExitStack() as stack:
        directory = stack.enter_context(private_directory())
        directory.chmod(_FOR_ALL)
        started = [_start(service, directory, stack, on_tick) for service in services]
        yield Services(started)


def _start(service: Service, directory: Path, stack: ExitStack, on_tick: OnTick | None) -> RunningService:
    own = directory / service.name
    own.mkdir(mode=_FOR_ALL)
    running_service = stack.enter_context(RunningService(service, own))
    running_service.wait_until_ready(partial(_waiting, service, on_tick))
    return running_service


def _waiting(service: Service, on_tick: OnTick | None, waited_s: float) -> None:
    if on_tick is not None:
        on_tick(Progress(waited_s, service.within_s, 0, f"service {service.name}"))
