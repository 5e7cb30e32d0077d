"""All services of one run: started in their order before the program, stopped in reverse after it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from buto.collect.hooks import Program
from buto.collect.process.private_directory import private_directory
from buto.collect.progress import OnTick, Progress
from buto.runs import Problem, ProblemKind
from buto.workload.services.model import Service
from buto.workload.services.process import RunningService

_GRACE_S = 5.0
"""How long a program may go on after one of its services has ended."""

_FOR_ALL = 0o711
"""Mode of the private directory: the users of services must reach their own directories in it."""


class Services:
    """Launch hooks that watch over the services of one launch. If one ends, the program is stopped."""

    def __init__(self, started: Sequence[RunningService]) -> None:
        self._started = tuple(started)
        self._program: Program | None = None
        self._problems: dict[str, Problem] = {}
        self._kill_at: float | None = None

    def on_each_tick(self, on_tick: OnTick | None) -> OnTick:
        """Return a function for a collector's ticks that looks after the services, then calls ``on_tick``."""

        def tick(progress: Progress) -> None:
            self._look()
            if on_tick is not None:
                on_tick(progress)

        return tick

    def program_started(self, program: Program) -> None:
        """See :class:`buto.collect.hooks.LaunchHooks`."""
        self._program = program
        for one in self._started:
            program.mark_at(one.ready_ns, f"service.{one.service.name}.ready")

    def program_ended(self) -> tuple[Problem, ...]:
        """See :class:`buto.collect.hooks.LaunchHooks`."""
        self._program = None
        self._look()
        return tuple(self._problems.values())

    def cpu_s(self) -> float:
        """See :class:`buto.collect.hooks.LaunchHooks`."""
        return sum(one.cpu_s() for one in self._started)

    def stop(self) -> Mapping[str, bytes]:
        """Stop all services, the last that was started first; return what each printed.

        Raises:
            MeasureError: processes cannot be killed.
        """
        for one in reversed(self._started):
            one.stop()
        return {one.service.name: one.output() for one in self._started}

    def _look(self) -> None:
        """Keep outputs bounded, and end the program if a service has ended."""
        for one in self._started:
            one.look()
            failure = one.failure()
            name = one.service.name
            if failure is not None and name not in self._problems:
                text = f"its service {name!r} {failure} before the program; {one.quoted()}"
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
        started = [_started(one, directory, stack, on_tick) for one in services]
        yield Services(started)


def _started(service: Service, directory: Path, stack: ExitStack, on_tick: OnTick | None) -> RunningService:
    own = directory / service.name
    own.mkdir(mode=_FOR_ALL)
    one = stack.enter_context(RunningService(service, own))
    one.wait_until_ready(partial(_waiting, service, on_tick))
    return one


def _waiting(service: Service, on_tick: OnTick | None, waited_s: float) -> None:
    if on_tick is not None:
        on_tick(Progress(waited_s, service.within_s, 0, f"service {service.name}"))
