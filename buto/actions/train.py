"""Training: launch tests, or use stored runs, and write their oracles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from buto import oracle
from buto.actions.advice import in_words, input_remark, jvm_measured, warnings, worded
from buto.actions.case import Case, check_number_of_runs, learned
from buto.actions.check import Outcome, concluded, failed, keep
from buto.actions.events import (
    EnoughRuns,
    OnEvent,
    OracleWritten,
    ProgramKept,
    StrengthsLimited,
    Trained,
    Warned,
    ignore,
)
from buto.actions.kept import Watched, forget_programs, keep_program, watch
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete
from buto.actions.stored import stored_runs
from buto.actions.suggest import labelled_past
from buto.errors import ButoError, StorageError
from buto.judging.alarms import Strength
from buto.oracle import Oracle
from buto.project.model import TestConfig
from buto.report.result import Result
from buto.report.strength import discouraging
from buto.run.model import Run, run_set
from buto.steps import Action, Step


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """What to train.

    Attributes:
        names: tests; empty for all of the configuration.
        overrides: what this call specifies of them.
        runs: how many usable runs to learn from, ``auto`` for as many as sharpen the oracle; None for what
            the configuration says.
        from_runs: stored runs to learn from instead of launching, as :func:`stored_runs` has it.
        resume: the id of a stored run; it and later runs count, and only missing runs are launched.
        all_strengths: whether to compute the smallest detectable change of all quantities, not only of the
            usual ones.
        profile: whether each program is then launched some more times to store its profile, with which
            :func:`buto.actions.why.why` compares it when it has changed.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int | str | None = None
    from_runs: str | None = None
    resume: str | None = None
    all_strengths: bool = False
    profile: bool = False


@worded
def train(project: Project, request: TrainRequest, on_event: OnEvent = ignore) -> Outcome:
    """Train tests and write their oracles. If one test cannot be trained, the others still are.

    Returns:
        A result for each test; it is also in the history.

    Raises:
        UsageError, BadFileError: see :class:`Project`; or fewer runs are wanted than an oracle needs.
        StorageError: the store or an oracle cannot be written; the runs stay.
        Interrupted: Ctrl-C; complete runs stay, and ``resume`` uses them.
    """
    action, overrides = Action.TRAIN, request.overrides
    names = project.names(request.names, action, overrides)
    project.check_oracles_writable(names)
    known = {name: project.known_oracle(name, action, overrides) for name in names}
    tests = [project.test(name, action, overrides, known[name], request.runs) for name in names]
    watched = {test.name: watch(project, test) for test in tests}
    if request.from_runs is not None:
        which = request.from_runs
        cases = [replace(learned(test), runs=tuple(stored_runs(project, test.name, which))) for test in tests]
    else:
        done = {
            test.name: stored_runs(project, test.name, f"{request.resume}..", required=False)
            for test in tests
            if request.resume is not None
        }
        cases = launched(project, tests, action, on_event, done)
    results = [_result(project, case, request, watched[case.test.name], on_event) for case in cases]
    outcome = concluded(action, results)
    keep(project, outcome, on_event)
    if request.profile:
        # Imported here, for it brings along what launches.
        from buto.actions.why import store_profile

        for test, result in zip(tests, results, strict=True):
            if result.error is None:
                store_profile(project, test, on_event)
    return outcome


def launched(
    project: Project,
    tests: Sequence[TestConfig],
    action: Action,
    on_event: OnEvent,
    done: Mapping[str, Sequence[Run]] | None = None,
) -> list[Case]:
    """Launch tests until there are enough runs to learn from.

    Args:
        done: by test, stored runs that count as launched.

    Raises:
        UsageError: fewer runs are wanted than an oracle needs.
        StorageError, Interrupted: see :func:`train`.
    """
    for test in tests:
        check_number_of_runs(test, project.door)
    done = done or {}
    cases = [learned(test, action.value).with_runs(done.get(test.name, ())) for test in tests]
    return complete_learning(project, cases, on_event)


def complete_learning(project: Project, cases: Sequence[Case], on_event: OnEvent) -> list[Case]:
    """Launch until there are enough runs to learn from, and report where their number was not fixed.

    Raises:
        StorageError, Interrupted: see :func:`train`.
    """
    completed = list(complete(project, cases, on_event).values())
    for case in completed:
        n_runs = len(case.valid())
        auto = oracle.auto_runs(case.test.settings)
        if case.test.adaptive and auto is not None and case.failure is None:
            on_event(EnoughRuns(case.test.name, n_runs, is_most=n_runs >= auto.most, last=auto.last))
    return completed


def learn(
    project: Project,
    test: TestConfig,
    runs: Sequence[Run],
    on_event: OnEvent = ignore,
    *,
    target: Mapping[str, Any] | None = None,
    watched: Watched | None = None,
    all_strengths: bool = False,
) -> Result:
    """Learn from the usable runs among these, write the oracle, and report its strengths.

    Args:
        target: how the program is started, to be stored in the oracle; None if it can be started only by
            the test that drives it.
        watched: the program before it was launched, to be kept; None if it cannot be.
        all_strengths: see :class:`TrainRequest`.

    Raises:
        JudgeError: they cannot be learned from.
        BadFileError: a label, or a labelled run that the detector learns from, is damaged.
        StorageError: the oracle cannot be written.
    """
    path, valid = project.oracle_path(test.name), run_set(runs).valid()
    pasts = labelled_past(project, test.settings, on_event)
    trained = oracle.train(valid, test.settings, target=target, pasts=pasts)
    trained = replace(trained, program=keep_program(project, test, watched, valid.runs))
    oracle.save(path, trained)
    on_event(OracleWritten(test.name, path, len(valid)))
    on_event(ProgramKept(test.name, trained.program))
    forget_programs(project, test.name, trained.program)
    on_event(jvm_measured(test.name, valid))
    texts = tuple(in_words(one, project.door) for one in (*trained.warnings, *warnings(valid, project.door)))
    read_input = input_remark(valid)
    texts = texts if read_input is None else (*texts, read_input)
    found, usual = _strengths(trained, on_event, every=all_strengths)
    weak = discouraging(found, len(valid))
    texts = texts if weak is None else (*texts, in_words(weak, project.door))
    for warning in texts:
        on_event(Warned(test.name, warning))
    result = Result(test.name, path, runs, warnings=texts, strengths=found)
    on_event(Trained(result, usual))
    return result


def learned_from(
    project: Project, case: Case, again: Step, learning: Callable[[], Result], on_event: OnEvent
) -> Result:
    """Return what is learned from the runs of a test, or report why nothing is.

    Args:
        again: the step that learns from the same runs.
        learning: learns from them.

    Raises:
        StorageError: the oracle cannot be written; says where the runs are.
    """
    try:
        if case.failure is not None:
            raise case.failure
        return learning()
    except StorageError as error:
        raise StorageError(
            f"{error.message}; the runs are stored in {project.files.store}",
            advice=f"{in_words(error.advice or '', project.door)}; then: {project.door.step(again)}",
        ) from error
    except ButoError as error:
        return failed(project, case.test.name, case.runs, error, on_event)


def _result(
    project: Project, case: Case, request: TrainRequest, watched: Watched, on_event: OnEvent
) -> Result:
    """Train one test and report the oracle or the failure."""
    test, runs = case.test, case.runs
    which = f"{runs[0].id}..{runs[-1].id}" if runs else "all"
    learning = partial(
        learn,
        project,
        test,
        runs,
        on_event,
        target=test.written,
        watched=watched,
        all_strengths=request.all_strengths,
    )
    return learned_from(project, case, Step(Action.TRAIN, test.name, from_runs=which), learning, on_event)


def _strengths(
    trained: Oracle, on_event: OnEvent, *, every: bool
) -> tuple[tuple[Strength, ...], frozenset[str]]:
    """Return the oracle's strengths, and the names of the quantities that matter to most users."""
    strengths = trained.fitted.strengths(everything=every)
    if strengths.too_many:
        on_event(StrengthsLimited(trained.test, strengths.n_quantities))
    return strengths.found, frozenset(one.quantity.name for one in strengths.found if one.usual)
