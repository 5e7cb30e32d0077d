"""Why a program uses more than it did: the request, the launches, and the explanation.

Profiled launches are pairs of an old and a new program in random order; starved ones are repeated. If no
kinds of events are asked for, they are those that can explain the newest verdict of the test. The profile of
a program as it is now can be stored, to be compared when it has changed.
"""

from __future__ import annotations

import json
import secrets
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buto.actions.advice import worded
from buto.actions.collecting import interleave
from buto.actions.compare import Program, test_of
from buto.actions.ending import repeats
from buto.actions.events import (
    Explained,
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchStarted,
    OnEvent,
    ProfileRecorded,
    ProfilesStored,
    Warned,
    ignore,
)
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import measuring_alone
from buto.causes.explain import explain
from buto.causes.model import Explanation, kinds_of
from buto.engine.launching import hooks_of, running_services
from buto.errors import BadFileError, UsageError
from buto.judging.verdict import Effect, Status
from buto.measure.flight import Flight, profiler_options, record_flight
from buto.measure.hooks import AllHooks, LaunchHooks
from buto.measure.progress import OnTick, Progress
from buto.measure.target import Target
from buto.project.model import TestConfig
from buto.run.entries import ResultStore
from buto.run.masking import Mask
from buto.run.profiles import USUAL, WITH_PROFILER, Kind, Profile, StoredProfiles
from buto.run.units import format_age
from buto.steps import Action, Step


def newest_subjects(project: Project, test: str) -> tuple[str, ...]:
    """Return the properties that the newest regression of a test found, in reading order; empty without one.

    Changes for the better are left out unless there are no others.

    Raises:
        BadFileError: the newest result is damaged.
    """
    store = ResultStore(project.files.store)
    for name in reversed(store.all(test)):
        with store.reading(test, name) as content:
            document = json.loads(content)
            tests = document.get("tests") if isinstance(document, dict) else None
            if not tests:
                raise ValueError("it is no result")
            verdict = tests[0].get("verdict")
        if verdict is None:
            continue
        return _subjects(verdict) if verdict.get("status") == Status.REGRESSION.value else ()
    return ()


def _subjects(verdict: Mapping[str, Any]) -> tuple[str, ...]:
    findings = verdict.get("findings", [])
    order = [place for group in verdict.get("groups", []) for place in group] or range(len(findings))
    worse = [findings[at] for at in order if findings[at].get("effect") != Effect.BETTER.value]
    return tuple(dict.fromkeys(one["subject"] for one in worse or findings))


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


MOST_PAIRS = 20
"""Most launches of each program that can be asked for."""


@dataclass(frozen=True, slots=True)
class WhyRequest:
    """What to explain.

    Attributes:
        test: its newest verdict chooses what is recorded; without programs, its stored profile is the old
            program's.
        programs: the old and the new program, of different names; None to compare the program as it is now
            with the stored profile.
        overrides: what this call specifies of them.
        pairs: how often each program is launched.
        build: the command that builds a revision before it is launched; None for none.
        kinds: what to record; empty for what the newest verdict's findings need.
        profiler: where async-profiler is; None to do without.
    """

    test: str
    programs: tuple[Program, Program] | None = None
    overrides: Overrides = NO_OVERRIDES
    pairs: int = PAIRS
    build: str | None = None
    kinds: tuple[Kind, ...] = ()
    profiler: Path | None = None


@worded
def why(project: Project, request: WhyRequest, on_event: OnEvent = ignore) -> Explanation:
    """Profile an old and a new program and explain what the new one uses more of.

    No run is stored and no verdict is changed: no profile goes into an oracle, a check or the history.

    Raises:
        UsageError: the programs have one name, no command is known, or no old profile is stored.
        MeasureError: a program cannot be launched or leaves no recording.
        BadFileError: the stored profile is damaged.
        StorageError: the lock of the store cannot be taken.
    """
    kinds = _kinds(project, request)
    if request.programs is None:
        # Before anything else: without an old program there is nothing to launch for.
        _stored(project, request.test)
        known = project.known_oracle(request.test, Action.WHY, request.overrides)
        test = project.test(request.test, Action.WHY, request.overrides, known)
        explanation = why_since_training(
            project, test, kinds, on_event, pairs=request.pairs, profiler=request.profiler
        )
    else:
        explanation = _of_two(project, request, request.programs, kinds, on_event)
    on_event(Explained(explanation))
    return explanation


def _kinds(project: Project, request: WhyRequest) -> tuple[Kind, ...]:
    chosen = request.kinds or kinds_of(newest_subjects(project, request.test))
    more = WITH_PROFILER if request.profiler is not None and not request.kinds else ()
    if not request.profiler and set(chosen) & set(WITH_PROFILER):
        raise UsageError(
            f"{Kind.NATIVE.value} needs async-profiler",
            advice=f"say where it is: {project.door.setting('profiler', 'PATH')}",
        )
    return (*chosen, *more)


def _of_two(
    project: Project,
    request: WhyRequest,
    programs: tuple[Program, Program],
    kinds: Sequence[Kind],
    on_event: OnEvent,
) -> Explanation:
    first, second = programs
    if first.name == second.name:
        raise UsageError(
            f"both programs are called {first.name!r}",
            advice=f"give them two names: {project.door.step(Step(Action.WHY, 'old', against='new'))}",
        )
    with ExitStack() as stack:
        tests = [
            test_of(program, project, request.overrides, request.build, stack, on_event)
            for program in programs
        ]
        found = profiled(project, tests, request.pairs, kinds, on_event, profiler=request.profiler)
    names = (first.name, second.name)
    return explain(found[first.name], found[second.name], kinds, test=request.test, names=names)


def why_since_training(
    project: Project,
    test: TestConfig,
    kinds: Sequence[Kind],
    on_event: OnEvent = ignore,
    *,
    pairs: int = PAIRS,
    profiler: Path | None = None,
) -> Explanation:
    """Profile a program as it is now, and compare that with its stored profile.

    Raises:
        BadFileError: no profile is stored, or it is damaged.
        MeasureError, StorageError: see :func:`why`.
    """
    stored = _stored(project, test.name)
    found = profiled(project, [test], pairs, kinds, on_event, profiler=profiler)
    age = format_age(max(0.0, (datetime.now(UTC) - stored.at).total_seconds()))
    is_old = (
        f"the old program's profile is stored and {age} old: what has changed on this machine since then "
        "looks like a change of the program"
    )
    remarks = [is_old, *_other_jvm(stored.profiles, found[test.name])]
    names = (f"{test.name} as stored", f"{test.name} now")
    usable = [kind for kind in kinds if kind not in WITH_PROFILER] or list(kinds)
    return explain(stored.profiles, found[test.name], usable, test=test.name, names=names, remarks=remarks)


def _stored(project: Project, test: str) -> StoredProfiles:
    stored = project.profiles.newest(test)
    if stored is None:
        raise _no_old_program(project, test)
    return stored


def _other_jvm(old: Sequence[Profile], new: Sequence[Profile]) -> list[str]:
    """Return a remark if the two programs ran on different JVMs."""
    before, after = ({one.facts.get("version", "") for one in some} for some in (old, new))
    if before == after:
        return []
    return [f"the stored profile is of another JVM: {', '.join(sorted(before))}"]


def _no_old_program(project: Project, test: str) -> BadFileError:
    revisions = project.door.step(Step(Action.WHY, test, revisions=("OLD", "NEW"), plain=True))
    return BadFileError(
        f"no profile of the old {test!r} is stored in {project.files.store} to compare with",
        advice=f"launch the old program, too: {revisions}; or store its profile as it is trained: "
        f"{project.door.step(Step(Action.TRAIN, test, profile=True, plain=True))}",
    )


def store_profile(project: Project, test: TestConfig, on_event: OnEvent = ignore, pairs: int = PAIRS) -> None:
    """Profile a program as it is now and store that, to be compared when it has changed.

    Raises:
        MeasureError: it cannot be launched or leaves no recording.
        StorageError: the profile cannot be stored.
    """
    found = profiled(project, [test], pairs, USUAL, on_event)[test.name]
    path = project.profiles.add(test.name, found)
    on_event(ProfilesStored(test.name, path, len(found)))
