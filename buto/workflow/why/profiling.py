"""Profiled launches: pairs of an old and a new program in random order, starved ones repeated."""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from buto.collect.flight.launch import Flight, record_flight
from buto.collect.flight.profiler import profiler_options
from buto.collect.hooks import AllHooks, LaunchHooks
from buto.collect.progress import OnTick, Progress
from buto.collect.target import Target
from buto.config import TestConfig
from buto.engine.recording import hooks_of, running_services
from buto.profiles import Kind, Profile
from buto.runs.masking import Mask
from buto.workflow.events import (
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchStarted,
    OnEvent,
    ProfileRecorded,
    Warned,
)
from buto.workflow.launching.ending import repeats
from buto.workflow.launching.order import interleave
from buto.workflow.project import Project
from buto.workflow.record import measuring_alone

PAIRS = 3
"""Fewest launches of each program with which a cause can be named."""


def profiled(
    project: Project,
    tests: Sequence[TestConfig],
    launches: int,
    kinds: Sequence[Kind],
    on_event: OnEvent,
    *,
    profiler: Path | None = None,
    seed: int | None = None,
) -> dict[str, tuple[Profile, ...]]:
    """Launch each test so often under Flight Recorder, in rounds of random order.

    A starved launch is repeated, as often as :func:`repeats` allows; after that it counts, with a warning.
    The turns keep what disturbs both programs alike from looking like a difference.

    Returns:
        By test, its profiles. Nothing is stored.

    Raises:
        MeasureError: a program cannot be launched or leaves no recording.
        StorageError: the lock of the store cannot be taken.
        KeyboardInterrupt: the current program was stopped.
    """
    seed = secrets.randbits(32) if seed is None else seed
    commands = {test.name: test.target.new_mask().command(test.target.command) for test in tests}
    planned = dict.fromkeys((test.name for test in tests), launches)
    on_event(LaunchesPlanned(planned, seed=seed, commands=commands))
    options = () if profiler is None else profiler_options(profiler, kinds)

    def tick(progress: Progress) -> None:
        on_event(LaunchProgressed(progress))

    by_name = {test.name: test for test in tests}
    found: dict[str, list[Profile]] = {test.name: [] for test in tests}
    repeated: Counter[str] = Counter()
    try:
        with ExitStack() as held:
            hooks = {test.name: held.enter_context(hooks_of(test.workload)) for test in tests}
            held.enter_context(measuring_alone(project, on_event))
            queue = deque(interleave(planned, seed))
            while queue:
                name = queue.popleft()
                test = by_name[name]
                on_event(LaunchStarted(name, len(found[name]) + 1, launches))
                new_hooks = hooks[name]
                driver = None if new_hooks is None else new_hooks()
                flight = _flown(test, kinds, tick, driver, options)
                again = bool(flight.starved) and repeated[name] < repeats(launches)
                on_event(ProfileRecorded(name, flight.profile.events, flight.starved if again else ""))
                if again:
                    repeated[name] += 1
                    queue.append(name)
                    continue
                _warn(name, flight, on_event)
                found[name].append(_described(flight, test.target.new_mask()))
    finally:
        on_event(LaunchesEnded())
    return {name: tuple(profiles) for name, profiles in found.items()}


def fly(command: Sequence[str], timeout_s: float, kinds: Sequence[Kind]) -> Flight:
    """Launch a command once under Flight Recorder, without services and load; see :func:`record_flight`."""
    return record_flight(Target(tuple(command), timeout_s=timeout_s), kinds)


def _flown(
    test: TestConfig,
    kinds: Sequence[Kind],
    tick: OnTick,
    driver: LaunchHooks | None,
    options: Sequence[str],
) -> Flight:
    """Launch a test once, with its services beside it."""
    with running_services(test.services, tick) as beside:
        if beside is None:
            return record_flight(test.target, kinds, tick, driver, options)
        hooks = beside if driver is None else AllHooks((beside, driver))
        return record_flight(test.target, kinds, beside.on_each_tick(tick), hooks, options)


def _warn(name: str, flight: Flight, on_event: OnEvent) -> None:
    if flight.starved:
        on_event(Warned(name, f"a profile that {flight.starved.removeprefix('it ')} is used all the same"))
    if flight.ending:
        on_event(Warned(name, flight.ending))


def _described(flight: Flight, mask: Mask) -> Profile:
    """Return the profile without secrets, which the program's arguments may have, and with its time."""
    facts = {name: mask.text(text) for name, text in flight.profile.facts.items()}
    return replace(
        flight.profile, facts={**facts, "recorded": datetime.now(UTC).isoformat(timespec="seconds")}
    )
