"""Why a program uses more than it did: the request, the launches, and the explanation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from buto.causes import Explanation, explain
from buto.causes.kinds import kinds_of
from buto.config import TestConfig
from buto.errors import BadFileError, UsageError
from buto.profiles import Kind, Profile
from buto.profiles.kinds import WITH_PROFILER
from buto.profiles.store import StoredProfiles
from buto.steps import Action, Step
from buto.units import format_age
from buto.workflow.advice.door import worded
from buto.workflow.comparison.programs import Program, test_of
from buto.workflow.events import Explained, OnEvent, ignore
from buto.workflow.project import NO_OVERRIDES, Overrides, Project
from buto.workflow.why.findings import newest_subjects
from buto.workflow.why.profiling import PAIRS, profiled

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
