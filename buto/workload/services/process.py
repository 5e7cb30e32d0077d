"""One service: from its start to its end, with nothing left behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from buto.collect.closeable import Closeable
from buto.collect.process import kernel
from buto.collect.process.account import Account, account_of
from buto.collect.process.launch import Launch
from buto.collect.process.output import last_lines
from buto.collect.process.process_group import send
from buto.collect.target import Target
from buto.errors import MeasureError
from buto.units import format_seconds
from buto.workload.services.model import Service
from buto.workload.services.readiness import check_of, is_open, owner_of
from buto.workload.services.template import copy_fresh

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
            directory=_prepared(service, directory, account),
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
        while (missing := self._check.missing()) is not None:
            self._launch.trim_outputs()
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
            kernel.readable(self._launch.fileno(), min(pause_s, max(0.0, within_s - waited_s)))
            pause_s = min(2 * pause_s, _SLOWEST_POLL_S)
        self.ready_ns = time.monotonic_ns()

    def failure(self) -> str | None:
        """Return how the service ended, as a clause; None while it runs.

        A command that ends with exit code 0 and leaves processes behind runs on in the background.
        """
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

    def look(self) -> None:
        """Keep the output bounded. Call this some ten times a second."""
        self._launch.trim_outputs()

    def cpu_s(self) -> float:
        """Return the processor time of its processes so far, seconds."""
        return self._launch.cpu_s()

    def output(self) -> bytes:
        """Return what it printed, without secrets; beginning and end, if it is much."""
        return self._launch.mask.output(self._launch.kept_stdout())

    def quoted(self) -> str:
        """Return the last lines that it printed, in one line."""
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


def _prepared(service: Service, directory: Path, account: Account | None) -> Path | None:
    """Return the directory in which a service starts, after copying its template there."""
    if service.template is None:
        return service.directory
    fresh = directory / "fresh"
    copy_fresh(service.template, fresh, service.name)
    if account is not None:
        account.own(fresh)
    return fresh if service.directory is None else fresh / service.directory
