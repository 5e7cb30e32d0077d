"""The launches behind an explanation: old and new under Flight Recorder in turns, then with calls counted.

Starved launches are repeated. Nothing of a launch is stored, except what the class files say.
"""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from buto.actions.collecting import interleave
from buto.actions.ending import repeats
from buto.actions.events import (
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchStarted,
    ProfileRecorded,
    Reporter,
    Told,
    Warned,
)
from buto.actions.launcher import Launcher
from buto.actions.record import measuring_alone
from buto.actions.turns import OLD
from buto.actions.workspace import Workspace
from buto.causes.calls import Count, count_calls
from buto.causes.changes import Changes, changes_between
from buto.causes.class_files import LOADED, ClassCache
from buto.causes.classes import code_of
from buto.causes.flight import Flight, profiler_options, record_flight
from buto.causes.kept import find_too_early
from buto.causes.limits import why_unseen
from buto.causes.profiles import Profile, ProfileKind
from buto.causes.windowed import ALL
from buto.engine.launching import hooks_of, running_services
from buto.errors import ButoError
from buto.measure.hooks import AllHooks, LaunchHooks
from buto.measure.progress import OnTick, Progress
from buto.project.model import TestConfig
from buto.report.levels import levels
from buto.run.below import refuse_links

_Beside = Callable[[TestConfig], AbstractContextManager[tuple[OnTick, LaunchHooks | None]]]


@contextmanager
def _alone(launcher: Launcher, tests: Sequence[TestConfig]) -> Iterator[_Beside]:
    """Hold the machine; yield what runs the services of a test, and gives the hooks of one launch."""

    def tick(progress: Progress) -> None:
        launcher.report(LaunchProgressed(progress))

    with ExitStack() as held:
        held.callback(launcher.report, LaunchesEnded())
        hooks = {test.name: held.enter_context(hooks_of(test.workload)) for test in tests}
        held.enter_context(measuring_alone(launcher))

        @contextmanager
        def beside(test: TestConfig) -> Iterator[tuple[OnTick, LaunchHooks | None]]:
            new_hooks = hooks[test.name]
            driver = None if new_hooks is None else new_hooks()
            with running_services(test.services, tick) as services:
                if services is None:
                    yield tick, driver
                else:
                    both = services if driver is None else AllHooks((services, driver))
                    yield services.on_each_tick(tick), both

        yield beside


def _plan(tests: Sequence[TestConfig], launches: int, seed: int) -> LaunchesPlanned:
    commands = {test.name: test.target.new_mask().command(test.target.command) for test in tests}
    return LaunchesPlanned(dict.fromkeys(commands, launches), seed=seed, commands=commands)


def profile(
    launcher: Launcher,
    tests: Sequence[TestConfig],
    launches: int,
    kinds: Sequence[ProfileKind],
    *,
    profiler: Path | None = None,
) -> dict[str, tuple[Profile, ...]]:
    """Launch each test so often under Flight Recorder, in rounds of random order.

    A starved launch is repeated, as often as :func:`repeats` allows; after that it counts, with a warning. So
    is one that does not tell what is kept, see :func:`find_too_early`. The turns keep what disturbs both
    programs alike from looking like a difference.

    Returns:
        By test, its profiles.
    """
    seed = secrets.randbits(32)
    launcher.report(_plan(tests, launches, seed))
    options = () if profiler is None else profiler_options(profiler, kinds)
    allocated = _find_allocation(launcher.workspace, tests)
    by_name = {test.name: test for test in tests}
    by_test: dict[str, list[Profile]] = {test.name: [] for test in tests}
    cache = class_cache(launcher.workspace)
    repeated: Counter[str] = Counter()
    queue = deque(interleave(dict.fromkeys(by_name, launches), seed))
    with _alone(launcher, tests) as beside:
        while queue:
            test = by_name[queue.popleft()]
            launcher.report(LaunchStarted(test.name, len(by_test[test.name]) + 1, launches))
            with beside(test) as (tick, hooks):
                window = test.window or ALL
                flight = record_flight(test.target, kinds, tick, hooks, options, window, allocated)
            again = bool(flight.starved) and repeated[test.name] < repeats(launches)
            launcher.report(
                ProfileRecorded(test.name, flight.profile.events, flight.starved if again else "")
            )
            if again:
                repeated[test.name] += 1
                queue.append(test.name)
            else:
                if not any(by_test.values()):
                    _warn_of_unseen(flight.profile, tests[-1], kinds, launcher.report)
                by_test[test.name].append(_take_profile(flight, test, cache, launcher.report))
            if not queue and ProfileKind.RETENTION in kinds:
                queue += _drop_too_early(by_test, repeated, repeats(launches), launcher.report)
    return {name: tuple(profiles) for name, profiles in by_test.items()}


def _drop_too_early(
    by_test: Mapping[str, list[Profile]], repeated: Counter[str], most: int, reporter: Reporter
) -> list[str]:
    """Drop launches that do not tell what is kept, and return what to launch again in their place."""
    again = []
    for name, profiles in by_test.items():
        for place in reversed(find_too_early(profiles)[: max(0, most - repeated[name])]):
            del profiles[place]
            repeated[name] += 1
            again.append(name)
            text = "a launch was not collected after it had what it keeps, so it is repeated"
            reporter(Told(name, text))
    return again


def _warn_of_unseen(
    first: Profile, test: TestConfig, kinds: Sequence[ProfileKind], reporter: Reporter
) -> None:
    """Say after the first launch that the kind of the headline cannot be explained on this JVM."""
    unseen = why_unseen([first], kinds[0]) if kinds else ""
    if unseen:
        reporter(Warned(test.name, f"{unseen}: launch both programs by a newer one to have it named"))


def _find_allocation(workspace: Workspace, tests: Sequence[TestConfig]) -> float | None:
    """Return the most bytes that the newest runs of these tests allocate; None if there is none."""
    amounts = []
    # Revisions are called after their test: shop@v1.2.
    called = [name for test in tests for name in (test.name.removesuffix(OLD), test.name.rpartition("@")[0])]
    for name in dict.fromkeys(filter(None, called)):
        with suppress(ButoError):
            runs = workspace.runs.load_set(name, newest=1).runs
            amounts += [
                level for run in runs if (level := levels(run).get("jvm.memory.allocated")) is not None
            ]
    return max(amounts, default=None)


def count_calls_of_both(
    launcher: Launcher, tests: Sequence[TestConfig], methods: Sequence[str]
) -> dict[str, Mapping[str, Count]] | None:
    """Launch each test once more and count how often methods are called, and what they allocate.

    Returns:
        By test, the counts of each method; None, and a warning, if one of them cannot be counted.
    """
    counts: dict[str, Mapping[str, Count]] = {}
    launcher.report(_plan(tests, 1, 0))
    try:
        with _alone(launcher, tests) as beside:
            for test in tests:
                launcher.report(LaunchStarted(test.name, 1, 1))
                with beside(test) as (tick, hooks):
                    counts[test.name] = count_calls(test.target, methods, tick, hooks, test.window or ALL)
    except ButoError as error:
        launcher.report(Warned(tests[0].name, f"calls are not counted: {error.message.splitlines()[0]}"))
        return None
    return counts


def _take_profile(flight: Flight, test: TestConfig, cache: ClassCache, reporter: Reporter) -> Profile:
    """Return the profile with its time and without secrets, which the program's arguments may have."""
    if flight.starved:
        starved = flight.starved.removeprefix("it ")
        reporter(Warned(test.name, f"a profile that {starved} is used all the same"))
    if flight.ending:
        reporter(Warned(test.name, flight.ending))
    mask = test.target.new_mask()
    facts = {name: mask.text(text) for name, text in flight.profile.facts.items()}
    facts["recorded"] = datetime.now(UTC).isoformat(timespec="seconds")
    # At once, because an old program is removed after its launches.
    try:
        facts[CLASSES] = " ".join(cache.keys_of(flight.profile.facts))
    except ButoError as error:
        reporter(Warned(test.name, f"{error.message}: what changed in the classes is not known"))
    return replace(flight.profile, facts=facts)


CLASSES = "classes"
"""The fact of a profile by which its classes are found in the cache."""


def class_cache(workspace: Workspace) -> ClassCache:
    """Return where it is kept what the class files of programs say; BadFileError if that is a link."""
    here = workspace.runs.storage.here
    refuse_links(here, here / "classes")
    return ClassCache(here / "classes")


def changes_of(
    workspace: Workspace, old: Sequence[Profile], new: Sequence[Profile]
) -> tuple[Changes | None, tuple[str, ...]]:
    """Compare the classes of two programs that were profiled, as far as one of the launches loaded them.

    All count if a launch does not tell what it loaded.

    Returns:
        None if they are not known, and a sentence for the reader.
    """
    cache = class_cache(workspace)
    codes = []
    for profiles in (old, new):
        keys = profiles[-1].facts.get(CLASSES, "").split()
        archives = cache.archives(keys) if keys else None
        if archives is None:
            return None, ("the program's classes could not be read, so it is not known what changed in them",)
        codes.append(code_of(archives))
    changes = changes_between(*codes)
    loaded = [launch_profile.facts.get(LOADED, "").split() for launch_profile in (*old, *new)]
    if all(loaded):
        changes = changes.of_classes(name for names in loaded for name in names)
    return changes, (changes.summary(),)
