"""Why a program uses more than it did: the request, the launches, and the explanation.

Profiled launches are pairs of an old and a new program in random order; starved ones are repeated. If no
kinds of events are asked for, they are those that can explain the newest verdict of the test. The profile of
a program as it is now can be stored, to be compared when it has changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buto.actions import git
from buto.actions.advice import worded
from buto.actions.bisect import BisectRequest
from buto.actions.compare import Program, check_names, test_of, two_revisions
from buto.actions.events import (
    OnEvent,
    Told,
    Warned,
    ignore,
)
from buto.actions.kept import old_test
from buto.actions.outcome import Outcome
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.stored import Site
from buto.actions.turns import OLD
from buto.errors import BadFileError, ButoError, UsageError
from buto.features.why.commits import with_commits
from buto.features.why.counted import wanted, with_calls
from buto.features.why.explain import explain
from buto.features.why.launches import calls_counted, changes_of, profiled
from buto.features.why.model import Explanation, kinds_of
from buto.judging.verdict import Effect, Status, Verdict, grouped
from buto.measure.flight import Flight, record_flight
from buto.measure.target import Target
from buto.oracle import Checked, Oracle
from buto.programs.named import Kept, Revision, Unkept
from buto.project.model import TestConfig
from buto.run.cache import is_missing
from buto.run.entries import ResultStore
from buto.run.model import COMMIT
from buto.run.profiles import USUAL, WITH_PROFILER, Kind, ProfileStore, StoredProfiles
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
        test: its newest verdict chooses what is recorded.
        programs: the old and the new program, of different names; None to compare the program as it is now
            with the stored profile, or with the kept program if there is none.
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
        UsageError: the programs have one name, or no command is known.
        MeasureError: a program cannot be launched or leaves no recording.
        BadFileError: the stored profile is damaged, or there is neither a profile nor a kept program.
        StorageError: the lock of the store cannot be taken.
    """
    site, kinds = project.site(), _kinds(project.site(), request)
    overrides, pairs, profiler = request.overrides, request.pairs, request.profiler
    if request.programs is None:
        kept = _kept(project, site, request.test)
        test = _test(project, request.test, Action.WHY, overrides)
        if kept is not None:
            return _beside_kept(site, test, kept, kinds, on_event, pairs=pairs, profiler=profiler)
        return why_since_training(site, test, kinds, on_event, pairs=pairs, profiler=profiler)
    check_names(request.programs, Action.WHY, site.door)
    with ExitStack() as stack:
        tests = [
            test_of(program, project, overrides, request.build, stack, on_event)
            for program in request.programs
        ]
        found = _explained(site, request.test, tests, pairs, kinds, on_event, profiler)
    old, new = (program.revision for program in request.programs)
    return found if old is None or new is None else with_commits(found, project.files.root, (old, new))


def _kept(project: Project, site: Site, test: str) -> Kept | Revision | None:
    """Return the kept program of a test without a stored profile; None if it has a profile.

    Raises:
        BadFileError: there is neither, so that nothing need be launched.
    """
    if ProfileStore(site.store).newest(test) is not None:
        return None
    if not is_missing(project.oracle_path(test)):
        program = project.oracle(test, Action.WHY).program
        if not isinstance(program, Unkept):
            return program
    raise _no_profile(site, test)


def _beside_kept(
    site: Site,
    test: TestConfig,
    program: Kept | Revision,
    kinds: Sequence[Kind],
    on_event: OnEvent,
    *,
    pairs: int = PAIRS,
    profiler: Path | None = None,
) -> Explanation:
    """Profile the program of the training and the present one, in turns."""
    with ExitStack() as stack:
        old = old_test(site, program, test, stack, on_event)
        sides = (replace(old, name=test.name + OLD), test)
        return _explained(site, test.name, sides, pairs, kinds, on_event, profiler)


def _explained(
    site: Site,
    name: str,
    tests: Sequence[TestConfig],
    pairs: int,
    kinds: Sequence[Kind],
    on_event: OnEvent,
    profiler: Path | None = None,
) -> Explanation:
    """Profile the old and the new program, find the candidates, and count the calls of these."""
    found = profiled(site, tests, pairs, kinds, on_event, profiler=profiler)
    changes, remarks = changes_of(site, *found.values())
    (old, before), (new, after) = found.items()
    names = (old, new)
    candidates = explain(before, after, kinds, test=name, names=names, remarks=remarks, changes=changes)
    methods = wanted(candidates)
    calls = calls_counted(site, tests, methods, on_event) if methods else None
    return candidates if calls is None else with_calls(candidates, calls[old], calls[new])


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


def why_checked(
    site: Site, test: TestConfig, known: Oracle, checked: Checked, on_event: OnEvent = ignore
) -> Explanation | None:
    """Profile the program of the training and the present one; None if the former was not kept."""
    if isinstance(known.program, Unkept):
        return None
    text = f"launching both under Flight Recorder, {PAIRS} times each, to name the code that did it"
    on_event(Told(test.name, text))
    found = _beside_kept(site, test, known.program, kinds_for(checked.verdict), on_event)
    trained, now = known.environment.values.get(COMMIT), checked.runs.runs[0].metadata.get(COMMIT)
    if not (isinstance(trained, str) and isinstance(now, str)):
        return found
    return with_commits(found, test.target.directory or Path.cwd(), (trained, now))


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
        raise _no_profile(site, test)
    return stored


def _no_profile(site: Site, test: str) -> BadFileError:
    revisions = site.door.step(Step(Action.WHY, test, revisions=("OLD", "NEW"), plain=True))
    return BadFileError(
        f"no profile of the old {test!r} is stored in {site.store} to compare with",
        advice=f"launch the old program, too: {revisions}; or store its profile as it is trained: "
        f"{site.door.step(Step(Action.TRAIN, test, profile=True, plain=True))}",
    )


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


def fly(command: Sequence[str], timeout_s: float, kinds: Sequence[Kind]) -> Flight:
    """Launch a command once under Flight Recorder, without services and load; see :func:`record_flight`."""
    return record_flight(Target(tuple(command), timeout_s=timeout_s), kinds)
