"""Training: launch tests, or use stored runs, and write their oracles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from msgspec import Struct, structs

from buto import oracle
from buto.actions.advice import busy_training, describe_jvms, growth_warning, input_remark, warnings
from buto.actions.commit_programs import add_build, find_used_programs
from buto.actions.events import (
    Event,
    OracleChanged,
    OracleWritten,
    Reporter,
    RunStored,
    Told,
    Trained,
    Warned,
    ignore,
)
from buto.actions.kept import describe_program, forget_programs, keep_program, watch
from buto.actions.labelled import load_labelled_past
from buto.actions.launcher import Launcher
from buto.actions.outcome import CallOutcome, conclude, keep, report_failure
from buto.actions.outside import remark_on_shared, remember_surroundings
from buto.actions.past_results import warn_of_failed_check
from buto.actions.plan import PlanProgress, check_number_of_runs, plan_training
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete
from buto.actions.stored import is_of_another_program, load_runs_of_one_program
from buto.actions.trying import try_copy
from buto.actions.unmatched import commit_warning, settings_doubts
from buto.actions.unwritten import warn_of_training
from buto.errors import BadFileError, ButoError, StorageError
from buto.judging.alarms import Strength
from buto.oracle import Oracle
from buto.oracle.difference import is_moved
from buto.programs.named import Kept
from buto.report.result import Result
from buto.report.strength import discouraging
from buto.run.cache import is_missing
from buto.run.model import Run
from buto.run.units import format_count, format_number
from buto.steps import Action, Advice, Step


class TrainRequest(Struct, frozen=True):
    """What to train.

    Attributes:
        names, overrides: see :class:`buto.actions.check.CheckRequest`.
        runs: how many usable runs to learn from, ``auto`` for as many as sharpen the oracle; None for what
            the configuration says.
        from_runs: stored runs to learn from instead of launching, as :func:`load_stored_runs` has it.
        resume: the id of a stored run; it and later runs count, and only missing runs are launched.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int | str | None = None
    from_runs: str | None = None
    resume: str | None = None


def train(project: Project, request: TrainRequest, reporter: Reporter = ignore) -> CallOutcome:
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
    known = {name: project.find_oracle(name, action, overrides) for name in names}
    tests = [project.test(name, action, overrides, known[name], request.runs) for name in names]
    launcher, paths = project.launcher(reporter), map(project.oracle_path, names)
    for name in names:
        warn_of_failed_check(launcher.workspace, name, reporter)
        warn_of_training(name, project.find_test(name), overrides, reporter)
    cases = [
        plan_training(test, path, watch(launcher.workspace, test, path))
        for test, path in zip(tests, paths, strict=True)
    ]
    which = request.from_runs
    if which is not None:
        cases = [
            structs.replace(
                case,
                runs=tuple(load_runs_of_one_program(launcher.workspace, case.name, which, launcher.report)),
            )
            for case in cases
        ]
    else:
        for test in tests:
            check_number_of_runs(test)
        if request.resume is not None:
            cases = [case.with_runs(_load_resumed(launcher, case.name, request.resume)) for case in cases]
        cases = complete_learning(warn_of_growth(launcher), cases)
    results = [finish(launcher, case) for case in cases]
    outcome = conclude(action, results)
    keep(launcher, outcome)
    return outcome


def _load_resumed(launcher: Launcher, test: str, first: str) -> list[Run]:
    """Return the runs of an interrupted training; none if the program's files have changed since."""
    runs = load_runs_of_one_program(launcher.workspace, test, f"{first}..", launcher.report, required=False)
    if not is_of_another_program(runs):
        return runs
    text = (
        f"the program's files have changed since the interrupted training: its "
        f"{format_count(len(runs), 'run')} {'is' if len(runs) == 1 else 'are'} left out, and "
        "all are launched anew"
    )
    launcher.report(Warned(test, text))
    return []


def warn_of_growth(launcher: Launcher) -> Launcher:
    """Return a launcher that warns at the first usable run of each test if that shows growth."""
    seen: set[str] = set()

    def report(event: Event) -> None:
        launcher.report(event)
        if isinstance(event, RunStored) and event.run.quality.valid and event.run.test not in seen:
            seen.add(event.run.test)
            warning = growth_warning(event.run)
            if warning is not None:
                launcher.report(Warned(event.run.test, warning))

    return structs.replace(launcher, reporter=report)


def complete_learning(launcher: Launcher, cases: Sequence[PlanProgress]) -> list[PlanProgress]:
    """Launch until there are enough runs to learn from, and report where their number was not fixed."""
    completed = complete(launcher, [case.with_runs(()) for case in cases])
    for case in completed:
        n_runs, auto = len(case.valid()), oracle.auto_runs(case.test.settings)
        if case.test.adaptive and auto is not None and case.failure is None:
            most = f"{n_runs} runs are the most that 'auto' uses"
            enough = f"{n_runs} runs are enough: the last {auto.last} did not sharpen the oracle"
            launcher.report(Told(case.name, most if n_runs >= auto.most else enough))
    return completed


def finish(launcher: Launcher, case: PlanProgress) -> Result:
    """Learn from the runs of a case, write the oracle and report its strengths, or why that cannot be."""
    which = f"{case.runs[0].id}..{case.runs[-1].id}" if case.runs else "all"

    def learn() -> Result:
        trained = learn_from(launcher, case)
        replaced = find_replaced(case, trained)
        strengths = trained.fitted.strengths(everything=True)
        trained = write_oracle(launcher, case, trained, strengths.found)
        if replaced is not None and is_moved(replaced, trained):
            launcher.report(OracleChanged(replaced, trained))
        valid = case.valid()
        training = case.training
        is_launched = training is not None and training.watched is not None
        shared = remark_on_shared(launcher, case.test, valid.runs) if is_launched else None
        if shared is not None:
            launcher.report(Told(case.name, shared))
        for event in describe_jvms(case.name, valid):
            launcher.report(event)
        if strengths.too_many:
            n_quantities = format_number(strengths.n_quantities)
            launcher.report(
                Told("", f"only the most common of {n_quantities} quantities are reported", detail=True)
            )
        remarks = (
            *trained.warnings,
            *warnings(valid),
            input_remark(valid),
            busy_training(valid),
            discouraging(strengths.found, len(valid)),
            *settings_doubts(case.test.settings, case.test.budget, valid),
            commit_warning(case.name, trained.commit, valid),
        )
        texts = tuple(text for text in remarks if text is not None)
        for warning in texts:
            launcher.report(Warned(case.name, warning))
        # It was reported when that run was over.
        growth = growth_warning(valid.runs[0])
        texts = texts if growth is None else (*texts, growth)
        result = Result(case.name, case.oracle_path, case.runs, warnings=texts, strengths=strengths.found)
        launcher.report(Trained(result))
        return result

    return learn_or_report(launcher, case, Step(Action.TRAIN, case.name, from_runs=which), learn)


def find_replaced(case: PlanProgress, trained: Oracle) -> Oracle | None:
    """Return the oracle that a training replaces, to say what moves; None without a like one to be read.

    A damaged one prevents no training, and numbers of another method are no more or less.
    """
    assert case.training is not None
    path = case.training.path
    if is_missing(path):
        return None
    try:
        known = oracle.load(path)
    except BadFileError:
        return None
    return known if known.settings.method == trained.settings.method else None


def learn_from(launcher: Launcher, case: PlanProgress) -> Oracle:
    """Return what is learned from the usable runs of a case."""
    settings = case.test.settings
    pasts = load_labelled_past(launcher, settings)
    return oracle.train(case.valid(), settings, target=case.plan.remembered, pasts=pasts)


def write_oracle(
    launcher: Launcher, case: PlanProgress, trained: Oracle, strengths: Sequence[Strength]
) -> Oracle:
    """Keep the program of an oracle, try the kept program, and write the oracle; raises StorageError.

    It is tried first: whoever stops buto meanwhile has no oracle whose copy nobody has tried.
    """
    training = case.training
    assert training is not None
    path, watched = training.path, training.watched
    program = keep_program(launcher.workspace, case.test, path, watched, case.valid().runs)
    trained = replace(trained, program=program)
    if watched is not None:
        remember_surroundings(launcher, case.test, trained, case.valid().runs)
    program = try_copy(launcher, case, program)
    trained = replace(trained, program=program)
    oracle.save(path, trained, strengths)
    if not case.is_acceptance:
        launcher.report(OracleWritten(case.name, path, len(case.valid())))
    launcher.report(describe_program(case.name, program))
    if isinstance(program, Kept) and trained.commit:
        add_build(launcher.workspace, case.name, trained.commit, program, trained.target)
    forget_programs(launcher.workspace, case.name, program, find_used_programs(launcher.workspace, case.name))
    return trained


def learn_or_report(
    launcher: Launcher, case: PlanProgress, again: Step, learn: Callable[[], Result]
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
            f"{error.message}; the runs are stored in {launcher.workspace.store}",
            advice=Advice(error.advice or "", "; then: ", again),
        ) from error
    except ButoError as error:
        return report_failure(case.name, case.oracle_path, case.runs, error, launcher.report)
