"""The launches behind an explanation: old and new under Flight Recorder in turns, then with calls counted.

Starved launches are repeated. Nothing of a launch is stored, except what the class files say.
"""

from __future__ import annotations

import secrets
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
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
    OnEvent,
    ProfileRecorded,
    Warned,
)
from buto.actions.record import measuring_alone
from buto.actions.stored import Site
from buto.engine.launching import hooks_of, running_services
from buto.errors import ButoError
from buto.features.why.changes import Changes, changes_between
from buto.measure.calls import Count, count_calls
from buto.measure.class_files import LOADED, ClassCache
from buto.measure.flight import Flight, profiler_options, record_flight
from buto.measure.hooks import AllHooks, LaunchHooks
from buto.measure.progress import OnTick, Progress
from buto.measure.windowed import ALL
from buto.programs.classes import code_of
from buto.project.model import TestConfig
from buto.run.profiles import Kind, Profile

_Beside = Callable[[TestConfig], AbstractContextManager[tuple[OnTick, LaunchHooks | None]]]


@contextmanager
def _alone(site: Site, tests: Sequence[TestConfig], on_event: OnEvent) -> Iterator[_Beside]:
    """Hold the machine; yield what runs the services of a test, and gives the hooks of one launch."""

    def tick(progress: Progress) -> None:
        on_event(LaunchProgressed(progress))

    with ExitStack() as held:
        held.callback(on_event, LaunchesEnded())
        hooks = {test.name: held.enter_context(hooks_of(test.workload)) for test in tests}
        held.enter_context(measuring_alone(site, on_event))

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


def _planned(tests: Sequence[TestConfig], launches: int, seed: int) -> LaunchesPlanned:
    commands = {test.name: test.target.new_mask().command(test.target.command) for test in tests}
    return LaunchesPlanned(dict.fromkeys(commands, launches), seed=seed, commands=commands)


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
        By test, its profiles.
    """
    seed = secrets.randbits(32)
    on_event(_planned(tests, launches, seed))
    options = () if profiler is None else profiler_options(profiler, kinds)
    by_name = {test.name: test for test in tests}
    found: dict[str, list[Profile]] = {test.name: [] for test in tests}
    cache = class_cache(site)
    repeated: Counter[str] = Counter()
    queue = deque(interleave(dict.fromkeys(by_name, launches), seed))
    with _alone(site, tests, on_event) as beside:
        while queue:
            test = by_name[queue.popleft()]
            on_event(LaunchStarted(test.name, len(found[test.name]) + 1, launches))
            with beside(test) as (tick, hooks):
                window = test.window or ALL
                flight = record_flight(test.target, kinds, tick, hooks, options, window)
            again = bool(flight.starved) and repeated[test.name] < repeats(launches)
            on_event(ProfileRecorded(test.name, flight.profile.events, flight.starved if again else ""))
            if again:
                repeated[test.name] += 1
                queue.append(test.name)
            else:
                found[test.name].append(_told(flight, test, cache, on_event))
    return {name: tuple(profiles) for name, profiles in found.items()}


def calls_counted(
    site: Site, tests: Sequence[TestConfig], methods: Sequence[str], on_event: OnEvent
) -> dict[str, Mapping[str, Count]] | None:
    """Launch each test once more and count how often methods are called, and what they allocate.

    Returns:
        By test, the counts of each method; None, and a warning, if one of them cannot be counted.
    """
    found: dict[str, Mapping[str, Count]] = {}
    on_event(_planned(tests, 1, 0))
    try:
        with _alone(site, tests, on_event) as beside:
            for test in tests:
                on_event(LaunchStarted(test.name, 1, 1))
                with beside(test) as (tick, hooks):
                    found[test.name] = count_calls(test.target, methods, tick, hooks, test.window or ALL)
    except ButoError as error:
        on_event(Warned(tests[0].name, f"calls are not counted: {error.message.splitlines()[0]}"))
        return None
    return found


def _told(flight: Flight, test: TestConfig, cache: ClassCache, on_event: OnEvent) -> Profile:
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
    """Compare the classes of two programs that were profiled, as far as one of the launches loaded them.

    All count if a launch does not tell what it loaded.

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
    loaded = [one.facts.get(LOADED, "").split() for one in (*old, *new)]
    if all(loaded):
        changes = changes.of_classes(name for names in loaded for name in names)
    return changes, (changes.summary(),)
