"""Why a program uses more than it did: the request, the launches, and the explanation.

Profiled launches are pairs of an old and a new program in random order; starved ones are repeated. If no
kinds of events are asked for, they are those that can explain the newest verdict of the test. The profile of
a program as it is now can be stored, to be compared when it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from buto.actions import git
from buto.actions.bisect import BisectRequest
from buto.actions.compare import ComparedProgram, check_names, test_of, two_revisions
from buto.actions.events import (
    Reporter,
    Told,
    Warned,
    ignore,
)
from buto.actions.launcher import Launcher
from buto.actions.old_program import ChosenProgram, choose_old_program, describe_build, launch_of
from buto.actions.outcome import CallOutcome
from buto.actions.past_results import past_results
from buto.actions.project import NO_OVERRIDES, Overrides, Project, require_jvm
from buto.actions.stored import newest_check, refuse_another_command
from buto.actions.turns import OLD
from buto.actions.workspace import Workspace
from buto.causes.commits import with_commits
from buto.causes.counted import choose_methods, with_calls
from buto.causes.explain import explain
from buto.causes.flight import Flight, record_flight
from buto.causes.launches import changes_of, count_calls_of_both, profile
from buto.causes.model import Explanation, kinds_of
from buto.causes.profiles import USUAL, WITH_PROFILER, ProfileKind, ProfileStore, StoredProfiles
from buto.errors import BadFileError, ButoError, JudgeError, UsageError
from buto.judging.story import story_of
from buto.judging.verdict import Effect, Status, Verdict
from buto.measure.target import Target
from buto.oracle import CheckedRuns, Oracle
from buto.programs.named import Unkept
from buto.project.model import TestConfig
from buto.report.stored_result import StoredVerdict
from buto.run.cache import is_missing
from buto.run.model import COMMIT
from buto.run.units import format_age, format_count
from buto.steps import Action, Advice, Setting, Step

PAIRS = 3
"""Fewest launches of each program with which a cause can be named."""

MOST_PAIRS = 20
"""Most launches of each program that can be asked for."""


class WhyRequest(Struct, frozen=True):
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
    programs: tuple[ComparedProgram, ComparedProgram] | None = None
    overrides: Overrides = NO_OVERRIDES
    pairs: int = PAIRS
    build: str | None = None
    kinds: tuple[ProfileKind, ...] = ()
    profiler: Path | None = None


def why(project: Project, request: WhyRequest, reporter: Reporter = ignore) -> Explanation:
    """Profile an old and a new program and explain what the new one uses more of.

    No run is stored and no verdict is changed: no profile goes into an oracle, a check or the history.

    Raises:
        UsageError: the programs have one name, or no command is known.
        MeasureError: a program cannot be launched or leaves no recording.
        BadFileError: the stored profile is damaged, or there is neither a profile nor a kept program.
        StorageError: the lock of the store cannot be taken.
    """
    launcher = project.launcher(reporter)
    kinds = _kinds(launcher.workspace, request)
    overrides, pairs, profiler = request.overrides, request.pairs, request.profiler
    if request.programs is None:
        if is_only_better(launcher.workspace, request.test):
            text = "the newest check found only what is better, and methods that use more cannot explain that"
            reporter(Warned(request.test, text))
        test = _test(project, request.test, Action.WHY, overrides)
        require_jvm(test, Action.WHY)
        _check_command(project, launcher.workspace, request)
        kept = _find_kept(project, launcher.workspace, test)
        if kept is not None:
            return _beside_kept(launcher, test, *kept, kinds, pairs=pairs, profiler=profiler)
        return why_since_training(launcher, test, kinds, pairs=pairs, profiler=profiler)
    check_names(request.programs, Action.WHY)
    with ExitStack() as stack:
        tests = [
            test_of(program, project, overrides, request.build, stack, reporter)
            for program in request.programs
        ]
        for test in tests:
            require_jvm(test, Action.WHY)
        explanation = _explain(launcher, request.test, tests, pairs, kinds, profiler)
    old, new = (program.revision for program in request.programs)
    return (
        explanation
        if old is None or new is None
        else with_commits(explanation, project.files.root, (old, new))
    )


def _find_kept(
    project: Project, workspace: Workspace, test: TestConfig
) -> tuple[Oracle, ChosenProgram] | None:
    """Return the old program of a test without a stored profile; None if it has a profile.

    Raises:
        BadFileError: there is neither, so that nothing need be launched.
    """
    if ProfileStore(workspace.store).newest(test.name) is not None:
        return None
    if not is_missing(project.oracle_path(test.name)):
        known = project.oracle(test.name, Action.WHY)
        chosen = choose_old_program(workspace, known, test)
        if not isinstance(chosen.program, Unkept):
            return known, chosen
    raise _no_profile(workspace, test.name)


def _beside_kept(
    launcher: Launcher,
    test: TestConfig,
    known: Oracle,
    chosen: ChosenProgram,
    kinds: Sequence[ProfileKind],
    *,
    pairs: int = PAIRS,
    profiler: Path | None = None,
) -> Explanation:
    """Profile the program of the training and the present one, in turns."""
    assert not isinstance(chosen.program, Unkept)
    event = describe_build(test.name, chosen)
    if event is not None:
        launcher.report(event)
    with ExitStack() as stack:
        old = launch_of(launcher, known, chosen.program, test, stack)
        sides = (replace(old, name=test.name + OLD), test)
        return _explain(launcher, test.name, sides, pairs, kinds, profiler)


def _explain(
    launcher: Launcher,
    name: str,
    tests: Sequence[TestConfig],
    pairs: int,
    kinds: Sequence[ProfileKind],
    profiler: Path | None = None,
) -> Explanation:
    """Profile the old and the new program, find the candidates, and count the calls of these."""
    profiles = profile(launcher, tests, pairs, kinds, profiler=profiler)
    changes, remarks = changes_of(launcher.workspace, *profiles.values())
    (old, before), (new, after) = profiles.items()
    names = (old, new)
    candidates = explain(before, after, kinds, test=name, names=names, remarks=remarks, changes=changes)
    methods = choose_methods(candidates)
    calls = count_calls_of_both(launcher, tests, methods) if methods else None
    return candidates if calls is None else with_calls(candidates, calls[old], calls[new])


def _test(project: Project, name: str, action: Action, overrides: Overrides) -> TestConfig:
    return project.test(name, action, overrides, project.find_oracle(name, action, overrides))


def _check_command(project: Project, workspace: Workspace, request: WhyRequest) -> None:
    """Raise UsageError if the newest check failed a command that this call would not launch.

    A comparison of the program with itself would end in noise.
    """
    is_known = request.overrides.command is None and not is_missing(project.oracle_path(request.test))
    if not is_known or not newest_subjects(workspace, request.test):
        return
    try:
        judged = newest_check(workspace, request.test)
    except JudgeError:
        # A later check has no verdict: it is not the one that failed.
        return
    refuse_another_command(project.load_known(request.test, Action.WHY), judged, Action.WHY)


def _kinds(workspace: Workspace, request: WhyRequest) -> tuple[ProfileKind, ...]:
    chosen = request.kinds or kinds_of(newest_subjects(workspace, request.test))
    more = WITH_PROFILER if request.profiler is not None and not request.kinds else ()
    if not request.profiler and set(chosen) & set(WITH_PROFILER):
        raise UsageError(
            f"{ProfileKind.NATIVE.value} needs async-profiler",
            advice=Advice("say where it is: ", Setting("profiler", "PATH")),
        )
    return (*chosen, *more)


def newest_subjects(workspace: Workspace, test: str) -> tuple[str, ...]:
    """Return the properties that the newest regression of a test found, in reading order; empty without one.

    Changes for the better are left out unless there are no others.
    """
    verdict = _newest_failure(workspace, test)
    return () if verdict is None else _subjects(verdict)


def is_only_better(workspace: Workspace, test: str) -> bool:
    """Return whether the newest check of a test failed, and for nothing that is not better."""
    verdict = _newest_failure(workspace, test)
    findings = () if verdict is None else verdict.findings
    return bool(findings) and all(finding.effect is Effect.BETTER for finding in findings)


def _newest_failure(workspace: Workspace, test: str) -> StoredVerdict | None:
    """Return the newest verdict of a test if that is a regression; else None."""
    verdicts = (result.test.verdict for result in past_results(workspace, test))
    verdict = next((verdict for verdict in verdicts if verdict is not None), None)
    return verdict if verdict is not None and verdict.status == Status.REGRESSION.value else None


def _subjects(verdict: StoredVerdict) -> tuple[str, ...]:
    places = [place for headline in verdict.headlines for place in (headline.finding, *headline.followers)]
    findings = [verdict.findings[place] for place in places or range(len(verdict.findings))]
    worse = [finding for finding in findings if finding.effect is not Effect.BETTER]
    return tuple(dict.fromkeys(finding.subject for finding in worse or findings))


def kinds_for(verdict: Verdict | None) -> tuple[ProfileKind, ...]:
    """Return the kinds of events that can explain the findings of a verdict, in reading order."""
    return kinds_of(finding.subject for finding in (() if verdict is None else story_of(verdict).findings))


def why_bisected(
    project: Project, request: BisectRequest, outcome: CallOutcome, reporter: Reporter = ignore
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
        return why(project, asked, reporter)
    except ButoError as error:
        reporter(Warned(test, f"which code did it is not known: {error.message.splitlines()[0]}"))
        return None


def why_checked(
    launcher: Launcher, test: TestConfig, known: Oracle, checked: CheckedRuns
) -> Explanation | None:
    """Profile the program of the training and the present one; None if the former was not kept."""
    chosen = choose_old_program(launcher.workspace, known, test)
    if isinstance(chosen.program, Unkept):
        return None
    text = f"launching both under Flight Recorder, {PAIRS} times each, to name the code that did it"
    launcher.report(Told(test.name, text))
    explanation = _beside_kept(launcher, test, known, chosen, kinds_for(checked.verdict))
    now = checked.runs.runs[0].metadata.get(COMMIT)
    if not (known.commit and isinstance(now, str)):
        return explanation
    return with_commits(explanation, test.target.directory or Path.cwd(), (known.commit, now))


def why_failed(launcher: Launcher, test: TestConfig, known: Oracle, checked: CheckedRuns) -> Explanation:
    """Explain a check that failed, as ``why`` does: by the stored profile, or by the kept program.

    Raises:
        BadFileError: there is neither, or the profile is damaged.
        MeasureError: a program cannot be launched or leaves no recording.
        UsageError: the test measures a process without a JVM.
    """
    require_jvm(test, Action.WHY)
    if ProfileStore(launcher.workspace.store).newest(test.name) is None:
        explanation = why_checked(launcher, test, known, checked)
        if explanation is not None:
            return explanation
    return why_since_training(launcher, test, kinds_for(checked.verdict))


def why_since_training(
    launcher: Launcher,
    test: TestConfig,
    kinds: Sequence[ProfileKind],
    *,
    pairs: int = PAIRS,
    profiler: Path | None = None,
) -> Explanation:
    """Profile a program as it is now, and compare that with its stored profile."""
    stored = _load_profiles(launcher.workspace, test.name)
    profiles = profile(launcher, [test], pairs, kinds, profiler=profiler)[test.name]
    age = format_age(max(0.0, (datetime.now(UTC) - stored.at).total_seconds()))
    is_old = (
        f"the old program's profile is stored and {age} old: what has changed on this machine since then "
        "looks like a change of the program"
    )
    remarks = [is_old]
    before, after = (
        {launch_profile.facts.get("version", "") for launch_profile in some}
        for some in (stored.profiles, profiles)
    )
    if before != after:
        remarks.append(f"the stored profile is of another JVM: {', '.join(sorted(before))}")
    names = (f"{test.name} as stored", f"{test.name} now")
    usable = [kind for kind in kinds if kind not in WITH_PROFILER] or list(kinds)
    changes, more = changes_of(launcher.workspace, stored.profiles, profiles)
    remarks = [*remarks, *more]
    return explain(
        stored.profiles, profiles, usable, test=test.name, names=names, remarks=remarks, changes=changes
    )


def _load_profiles(workspace: Workspace, test: str) -> StoredProfiles:
    stored = ProfileStore(workspace.store).newest(test)
    if stored is None:
        raise _no_profile(workspace, test)
    return stored


def _no_profile(workspace: Workspace, test: str) -> BadFileError:
    revisions = Step(Action.WHY, test, revisions=("OLD", "NEW"), build="COMMAND", plain=True)
    return BadFileError(
        f"{workspace.store} has neither the old program of {test!r} nor a profile of it to compare with",
        advice=Advice(
            "bring back .buto/programs of the training; or have two commits built: ",
            revisions,
            "; or store a profile as the old one is trained: ",
            Step(Action.TRAIN, test, profile=True, plain=True),
        ),
    )


def require_profiles(project: Project, names: Sequence[str], overrides: Overrides) -> None:
    """Raise UsageError, before anything is launched, if one of these tests has no JVM to profile."""
    for name in project.names(names, Action.TRAIN, overrides):
        require_jvm(_test(project, name, Action.TRAIN, overrides), Action.WHY)


def store_profiles(
    project: Project, outcome: CallOutcome, overrides: Overrides, reporter: Reporter = ignore
) -> None:
    """Profile the programs of a training, to be compared when they have changed; see :func:`store_profile`.

    Args:
        overrides: what the training specified of them.
    """
    for result in outcome.results:
        if result.error is None:
            test = _test(project, result.test, Action.TRAIN, overrides)
            store_profile(project.launcher(reporter), test)


def store_profile(launcher: Launcher, test: TestConfig) -> None:
    """Profile a program as it is now and store that, to be compared when it has changed."""
    require_jvm(test, Action.WHY)
    profiles = profile(launcher, [test], PAIRS, USUAL)[test.name]
    path = ProfileStore(launcher.workspace.store).add(test.name, profiles)
    launcher.report(
        Told(test.name, f"{format_count(len(profiles), 'profile')} stored for buto why in {path}")
    )


def fly(command: Sequence[str], timeout_s: float, kinds: Sequence[ProfileKind]) -> Flight:
    """Launch a command once under Flight Recorder, without services and load; see :func:`record_flight`."""
    return record_flight(Target(tuple(command), timeout_s=timeout_s), kinds)
