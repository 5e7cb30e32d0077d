"""Training: launch tests, or use stored runs, and write their oracles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from buto import oracle
from buto.actions.advice import in_words, input_remark, told_of_jvm, warnings, worded
from buto.actions.case import Case, check_number_of_runs, learned
from buto.actions.events import OnEvent, OracleWritten, Told, Trained, Warned, ignore
from buto.actions.kept import forget_programs, keep_program, told_of_program, watch
from buto.actions.labelled import labelled_past
from buto.actions.outcome import Outcome, concluded, failed, keep
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete
from buto.actions.stored import Site, stored_runs
from buto.errors import ButoError, StorageError
from buto.judging.alarms import Strength
from buto.oracle import Oracle
from buto.report.result import Result
from buto.report.strength import discouraging
from buto.steps import Action, Step


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """What to train.

    Attributes:
        names, overrides: see :class:`buto.actions.check.CheckRequest`.
        runs: how many usable runs to learn from, ``auto`` for as many as sharpen the oracle; None for what
            the configuration says.
        from_runs: stored runs to learn from instead of launching, as :func:`stored_runs` has it.
        resume: the id of a stored run; it and later runs count, and only missing runs are launched.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int | str | None = None
    from_runs: str | None = None
    resume: str | None = None


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
    site, paths = project.site(), map(project.oracle_path, names)
    cases = [learned(test, path, watch(site, test, path)) for test, path in zip(tests, paths, strict=True)]
    which = request.from_runs
    if which is not None:
        cases = [replace(case, runs=tuple(stored_runs(site, case.name, which))) for case in cases]
    else:
        for test in tests:
            check_number_of_runs(test, site.door)
        if request.resume is not None:
            since = f"{request.resume}.."
            cases = [case.with_runs(stored_runs(site, case.name, since, required=False)) for case in cases]
        cases = complete_learning(site, cases, on_event)
    results = [finished(site, case, on_event) for case in cases]
    outcome = concluded(action, results)
    keep(site, outcome, on_event)
    return outcome


def complete_learning(site: Site, cases: Sequence[Case], on_event: OnEvent) -> list[Case]:
    """Launch until there are enough runs to learn from, and report where their number was not fixed."""
    completed = complete(site, [case.with_runs(()) for case in cases], on_event)
    for case in completed:
        n_runs, auto = len(case.valid()), oracle.auto_runs(case.test.settings)
        if case.test.adaptive and auto is not None and case.failure is None:
            most = f"{n_runs} runs are the most that 'auto' uses"
            enough = f"{n_runs} runs are enough: the last {auto.last} did not sharpen the oracle"
            on_event(Told(case.name, most if n_runs >= auto.most else enough))
    return completed


def finished(site: Site, case: Case, on_event: OnEvent) -> Result:
    """Learn from the runs of a case, write the oracle and report its strengths, or why that cannot be."""
    which = f"{case.runs[0].id}..{case.runs[-1].id}" if case.runs else "all"

    def learn() -> Result:
        trained = learn_from(site, case, on_event)
        strengths = trained.fitted.strengths(everything=True)
        trained = written(site, case, trained, strengths.found, on_event)
        valid = case.valid()
        for told in told_of_jvm(site.door, case.name, valid):
            on_event(told)
        if strengths.too_many:
            n_quantities = f"{strengths.n_quantities:,}"
            on_event(Told("", f"only the most common of {n_quantities} quantities are reported", detail=True))
        found = (
            *trained.warnings,
            *warnings(valid, site.door),
            input_remark(valid),
            discouraging(strengths.found, len(valid)),
        )
        texts = tuple(in_words(one, site.door) for one in found if one is not None)
        for warning in texts:
            on_event(Warned(case.name, warning))
        result = Result(case.name, case.path, case.runs, warnings=texts, strengths=strengths.found)
        on_event(Trained(result))
        return result

    return learned_from(site, case, Step(Action.TRAIN, case.name, from_runs=which), learn, on_event)


def learn_from(site: Site, case: Case, on_event: OnEvent) -> Oracle:
    """Return what is learned from the usable runs of a case."""
    settings = case.test.settings
    pasts = labelled_past(site, settings, on_event)
    return oracle.train(case.valid(), settings, target=case.remembered, pasts=pasts)


def written(
    site: Site, case: Case, trained: Oracle, strengths: Sequence[Strength], on_event: OnEvent
) -> Oracle:
    """Keep the program of an oracle and write the oracle; raises StorageError."""
    assert case.path is not None
    program = keep_program(site, case.test, case.path, case.watched, case.valid().runs)
    trained = replace(trained, program=program)
    oracle.save(case.path, trained, strengths)
    if case.replaced is None:
        on_event(OracleWritten(case.name, case.path, len(case.valid())))
    on_event(told_of_program(site, case.name, program))
    forget_programs(site, case.name, program)
    return trained


def learned_from(
    site: Site, case: Case, again: Step, learn: Callable[[], Result], on_event: OnEvent
) -> Result:
    """Return what is learned from the runs of a test, or report why nothing is.

    Args:
        again: the step that learns from the same runs.
    """
    try:
        if case.failure is not None:
            raise case.failure
        return learn()
    except StorageError as error:
        raise StorageError(
            f"{error.message}; the runs are stored in {site.store}",
            advice=f"{in_words(error.advice or '', site.door)}; then: {site.door.step(again)}",
        ) from error
    except ButoError as error:
        return failed(site, case.name, case.path, case.runs, error, on_event)
