"""Why a program uses more than it did: the request, the launches, and the explanation.

Profiled launches are pairs of an old and a new program in random order; starved ones are repeated. If no
kinds of events are asked for, they are those that can explain the newest verdict of the test. The profile of
a program as it is now can be stored, to be compared when it has changed.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buto.actions import git
from buto.actions.advice import worded
from buto.actions.bisect import BisectRequest
from buto.actions.collecting import interleave
from buto.actions.compare import Program, check_names, test_of, two_revisions
from buto.actions.ending import repeats
from buto.actions.events import (
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchStarted,
    OnEvent,
    ProfileRecorded,
    Told,
    Warned,
    ignore,
)
from buto.actions.outcome import Outcome
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import measuring_alone
from buto.actions.stored import Site
from buto.engine.launching import hooks_of, running_services
from buto.errors import BadFileError, ButoError, UsageError
from buto.features.why.changes import Changes, changes_between
from buto.features.why.explain import explain
from buto.features.why.model import Explanation, kinds_of
from buto.judging.verdict import Effect, Status, Verdict, grouped
from buto.measure.class_files import ClassCache
from buto.measure.flight import Flight, profiler_options, record_flight
from buto.measure.hooks import AllHooks
from buto.measure.progress import Progress
from buto.measure.target import Target
from buto.programs.classes import code_of
from buto.project.model import TestConfig
from buto.run.entries import ResultStore
from buto.run.profiles import USUAL, WITH_PROFILER, Kind, Profile, ProfileStore, StoredProfiles
from buto.run.units import format_age, format_count
from buto.steps import Action, Step

PAIRS = 3
"""Fewest launches of each program with which a cause can be named."""

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
    site, kinds = project.site(), _kinds(project.site(), request)
    overrides, pairs, profiler = request.overrides, request.pairs, request.profiler
    if request.programs is None:
        # Before anything else: without an old program there is nothing to launch for.
        _stored(site, request.test)
        test = _test(project, request.test, Action.WHY, overrides)
        return why_since_training(site, test, kinds, on_event, pairs=pairs, profiler=profiler)
    check_names(request.programs, Action.WHY, site.door)
    with ExitStack() as stack:
        tests = [
            test_of(program, project, overrides, request.build, stack, on_event)
            for program in request.programs
        ]
        found = profiled(site, tests, pairs, kinds, on_event, profiler=profiler)
        changes, remarks = changes_of(site, *found.values())
    (old, before), (new, after) = found.items()
    names = (old, new)
    return explain(before, after, kinds, test=request.test, names=names, remarks=remarks, changes=changes)


def _test(project: Project, name: str, action: Action, overrides: Overrides) -> TestConfig:
    return project.test(name, action, overrides, project.known_oracle(name, action, overrides))


def _kinds(site: Site, request: WhyRequest) -> tuple[Kind, ...]:
    chosen = request.kinds or kinds_of(newest_subjects(site, request.test))
    more = WITH_PROFILER if request.profiler is not None and not request.kinds else ()
    if not request.profiler and set(chosen) & set(WITH_PROFILER):
        raise UsageError(
            f"{Kind.NATIVE.value} needs async-profiler",
            advice=f"say where it is: {site.door.setting('profiler', 'PATH')}",
        )
    return (*chosen, *more)


def newest_subjects(site: Site, test: str) -> tuple[str, ...]:
    """Return the properties that the newest regression of a test found, in reading order; empty without one.

    Changes for the better are left out unless there are no others.
    """
    store = ResultStore(site.store)
    for name in reversed(store.all(test)):
        with store.reading(test, name) as content:
            document = json.loads(content)
            tests = document.get("tests") if isinstance(document, dict) else None
            if not tests:
                raise ValueError("it is no result")
            verdict = tests[0].get("verdict")
        if verdict is not None:
            return _subjects(verdict) if verdict.get("status") == Status.REGRESSION.value else ()
    return ()


def _subjects(verdict: Mapping[str, Any]) -> tuple[str, ...]:
    findings = verdict.get("findings", [])
    order = [place for group in verdict.get("groups", []) for place in group] or range(len(findings))
    worse = [findings[at] for at in order if findings[at].get("effect") != Effect.BETTER.value]
    return tuple(dict.fromkeys(one["subject"] for one in worse or findings))


def kinds_for(verdict: Verdict | None) -> tuple[Kind, ...]:
    """Return the kinds of events that can explain the findings of a verdict, in reading order."""
    groups = grouped(() if verdict is None else verdict.findings)
    return kinds_of(one.subject for group in groups for one in group.findings)


def why_bisected(
    project: Project, request: BisectRequest, outcome: Outcome, on_event: OnEvent = ignore
) -> Explanation | None:
    """Compare the commit that was found with its parent; None, and a warning, if they cannot be profiled."""
    commit, (result,), test = outcome.first_bad, outcome.results, request.test
    assert commit is not None
    try:
        parent = git.output_of(project.files.root, "rev-parse", f"{commit.name}^")
        revisions = (parent[: len(commit.short)], commit.short)
        programs = two_revisions(test, revisions, request.overrides.command)
        kinds = kinds_for(result.verdict)
        asked = WhyRequest(test, programs, request.overrides, build=request.build, kinds=kinds)
        return why(project, asked, on_event)
    except ButoError as error:
        on_event(Warned(test, f"which code did it is not known: {error.message.splitlines()[0]}"))
        return None


def why_since_training(
    site: Site,
    test: TestConfig,
    kinds: Sequence[Kind],
    on_event: OnEvent = ignore,
    *,
    pairs: int = PAIRS,
    profiler: Path | None = None,
) -> Explanation:
    """Profile a program as it is now, and compare that with its stored profile."""
    stored = _stored(site, test.name)
    found = profiled(site, [test], pairs, kinds, on_event, profiler=profiler)[test.name]
    age = format_age(max(0.0, (datetime.now(UTC) - stored.at).total_seconds()))
    is_old = (
        f"the old program's profile is stored and {age} old: what has changed on this machine since then "
        "looks like a change of the program"
    )
    remarks = [is_old]
    before, after = ({one.facts.get("version", "") for one in some} for some in (stored.profiles, found))
    if before != after:
        remarks.append(f"the stored profile is of another JVM: {', '.join(sorted(before))}")
    names = (f"{test.name} as stored", f"{test.name} now")
    usable = [kind for kind in kinds if kind not in WITH_PROFILER] or list(kinds)
    changes, more = changes_of(site, stored.profiles, found)
    remarks = [*remarks, *more]
    return explain(
        stored.profiles, found, usable, test=test.name, names=names, remarks=remarks, changes=changes
    )


def _stored(site: Site, test: str) -> StoredProfiles:
    stored = ProfileStore(site.store).newest(test)
    if stored is None:
        revisions = site.door.step(Step(Action.WHY, test, revisions=("OLD", "NEW"), plain=True))
        raise BadFileError(
            f"no profile of the old {test!r} is stored in {site.store} to compare with",
            advice=f"launch the old program, too: {revisions}; or store its profile as it is trained: "
            f"{site.door.step(Step(Action.TRAIN, test, profile=True, plain=True))}",
        )
    return stored


@worded
def store_profiles(
    project: Project, outcome: Outcome, overrides: Overrides, on_event: OnEvent = ignore
) -> None:
    """Profile the programs of a training, to be compared when they have changed; see :func:`store_profile`.

    Args:
        overrides: what the training specified of them.
    """
    for result in outcome.results:
        if result.error is None:
            test = _test(project, result.test, Action.TRAIN, overrides)
            store_profile(project.site(), test, on_event)


def store_profile(site: Site, test: TestConfig, on_event: OnEvent = ignore) -> None:
    """Profile a program as it is now and store that, to be compared when it has changed."""
    found = profiled(site, [test], PAIRS, USUAL, on_event)[test.name]
    path = ProfileStore(site.store).add(test.name, found)
    on_event(Told(test.name, f"{format_count(len(found), 'profile')} stored for buto why in {path}"))


def profiled(
    site: Site,
    tests: Sequence[TestConfig],
    launches: int,
    kinds: Sequence[Kind],
    on_event: OnEvent,
    *,
    profiler: Path | None = None,
) -> dict[str, tuple[Profile, ...]]:
    """Launch each test so often under Flight Recorder, in rounds of random order.

    A starved launch is repeated, as often as :func:`repeats` allows; after that it counts, with a warning.
    The turns keep what disturbs both programs alike from looking like a difference.

    Returns:
        By test, its profiles. Nothing is stored.
    """
    seed = secrets.randbits(32)
    commands = {test.name: test.target.new_mask().command(test.target.command) for test in tests}
    planned = dict.fromkeys((test.name for test in tests), launches)
    on_event(LaunchesPlanned(planned, seed=seed, commands=commands))
    options = () if profiler is None else profiler_options(profiler, kinds)

    def tick(progress: Progress) -> None:
        on_event(LaunchProgressed(progress))

    def flown(test: TestConfig) -> Flight:
        """Launch a test once, with its services and its workload beside it."""
        new_hooks = hooks[test.name]
        driver = None if new_hooks is None else new_hooks()
        with running_services(test.services, tick) as beside:
            if beside is None:
                return record_flight(test.target, kinds, tick, driver, options)
            both = beside if driver is None else AllHooks((beside, driver))
            return record_flight(test.target, kinds, beside.on_each_tick(tick), both, options)

    by_name = {test.name: test for test in tests}
    found: dict[str, list[Profile]] = {test.name: [] for test in tests}
    cache = class_cache(site)
    repeated: Counter[str] = Counter()
    try:
        with ExitStack() as held:
            hooks = {test.name: held.enter_context(hooks_of(test.workload)) for test in tests}
            held.enter_context(measuring_alone(site, on_event))
            queue = deque(interleave(planned, seed))
            while queue:
                name = queue.popleft()
                on_event(LaunchStarted(name, len(found[name]) + 1, launches))
                flight = flown(by_name[name])
                again = bool(flight.starved) and repeated[name] < repeats(launches)
                on_event(ProfileRecorded(name, flight.profile.events, flight.starved if again else ""))
                if again:
                    repeated[name] += 1
                    queue.append(name)
                else:
                    found[name].append(_counted(flight, by_name[name], cache, on_event))
    finally:
        on_event(LaunchesEnded())
    return {name: tuple(profiles) for name, profiles in found.items()}


def _counted(flight: Flight, test: TestConfig, cache: ClassCache, on_event: OnEvent) -> Profile:
    """Return the profile with its time and without secrets, which the program's arguments may have."""
    if flight.starved:
        starved = flight.starved.removeprefix("it ")
        on_event(Warned(test.name, f"a profile that {starved} is used all the same"))
    if flight.ending:
        on_event(Warned(test.name, flight.ending))
    mask = test.target.new_mask()
    facts = {name: mask.text(text) for name, text in flight.profile.facts.items()}
    facts["recorded"] = datetime.now(UTC).isoformat(timespec="seconds")
    # At once, because an old program is removed after its launches.
    try:
        facts[CLASSES] = " ".join(cache.keys_of(flight.profile.facts))
    except ButoError as error:
        on_event(Warned(test.name, f"{error.message}: what changed in the classes is not known"))
    return replace(flight.profile, facts=facts)


CLASSES = "classes"
"""The fact of a profile by which its classes are found in the cache."""


def class_cache(site: Site) -> ClassCache:
    """Return where it is kept what the class files of programs say."""
    root = site.store if isinstance(site.store, Path) else Path(tempfile.gettempdir()) / "buto-classes"
    return ClassCache(root / "classes")


def changes_of(
    site: Site, old: Sequence[Profile], new: Sequence[Profile]
) -> tuple[Changes | None, tuple[str, ...]]:
    """Compare the classes of two programs that were profiled.

    Returns:
        None if they are not known, and a sentence for the reader.
    """
    cache = class_cache(site)
    codes = []
    for profiles in (old, new):
        keys = profiles[-1].facts.get(CLASSES, "").split()
        archives = cache.archives(keys) if keys else None
        if archives is None:
            return None, ("the program's classes could not be read, so it is not known what changed in them",)
        codes.append(code_of(archives))
    changes = changes_between(*codes)
    return changes, (changes.summary(),)


def fly(command: Sequence[str], timeout_s: float, kinds: Sequence[Kind]) -> Flight:
    """Launch a command once under Flight Recorder, without services and load; see :func:`record_flight`."""
    return record_flight(Target(tuple(command), timeout_s=timeout_s), kinds)
