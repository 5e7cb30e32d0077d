"""Measuring how often an oracle fails an unchanged program, on stored runs of it."""

from __future__ import annotations

from msgspec import Struct

from buto import oracle
from buto.actions.engines import share_for
from buto.actions.events import Reporter, Told, Warned, ignore
from buto.actions.launcher import Launcher
from buto.actions.project import Project
from buto.actions.stored import (
    ALL,
    is_of_another_program,
    load_stored_runs,
    of_newest_program,
    of_programs,
    programs_of,
    training_runs,
)
from buto.errors import JudgeError
from buto.judging.alarms import Selftest
from buto.judging.classifiers import compare_metadata
from buto.judging.procedure import N_CHECKED
from buto.oracle import Oracle
from buto.run.model import Run, RunSet, run_set
from buto.run.units import format_count
from buto.steps import Action, Advice, Step


class SelftestRequest(Struct, frozen=True):
    """What to measure.

    Attributes:
        test: a test that has an oracle.
        from_runs: runs of the unchanged program, as :func:`load_stored_runs` has it.
        training: number of training runs; None for as many as trained the oracle, or all but a few.
    """

    test: str
    from_runs: str = ALL
    training: int | None = None


class SelftestOutcome(Struct, frozen=True):
    """How often the oracle fails an unchanged program.

    Attributes:
        runs: the runs that judged one another.
        found: the rates of false alarms; indices in it refer to ``runs``.
    """

    runs: RunSet
    found: Selftest


def selftest(project: Project, request: SelftestRequest, reporter: Reporter = ignore) -> SelftestOutcome:
    """Judge unchanged runs by one another, many times. Nothing is launched.

    Raises:
        JudgeError: the oracle has no promised rate of false alarms, or there are too few runs.
        UsageError, BadFileError: see :class:`Project` and :func:`load_stored_runs`.
        MeasureError: the project's scheduler does not answer, or has no host.
    """
    test, action = request.test, Action.SELFTEST
    known = project.oracle(test, action)
    if not oracle.promises_alarm_rate(known):
        raise JudgeError(
            f"the oracle of {test} promises no rate of false alarms; method: {known.settings.method}",
            advice=Advice("leave out judge: method; then ", Step(Action.TRAIN, test)),
        )
    launcher = project.launcher(reporter)
    runs = _load_unchanged(launcher, known, request.from_runs)
    fewer = max(len(runs) - N_CHECKED, 0)
    n_training = request.training or min(len(known.run_ids), fewer)
    if request.training is None and n_training < len(known.run_ids):
        text = (
            f"only {len(runs)} runs are stored: {n_training} of them train, "
            f"where {len(known.run_ids)} trained the oracle"
        )
        reporter(Warned(test, text))
    fewest = max(oracle.fewest_runs(known.settings), n_training) + N_CHECKED
    if len(runs) < fewest:
        raise JudgeError(
            f"{test}: {format_count(len(runs), 'run')} of the unchanged program are too few; "
            f"at least {fewest} are needed",
            advice=_how_to_get_more(launcher, known, max(20, fewest - len(runs))),
        )
    rates = oracle.selftest(known, runs, n_training, share_for(project.scheduler))
    return SelftestOutcome(runs, rates)


def _load_unchanged(launcher: Launcher, known: Oracle, which: str) -> RunSet:
    """Return the stored runs that were recorded in the oracle's environment, and are of its program.

    The training runs tell which program that is. Where none of them is stored, and of runs that are named by
    their ids, the user does.
    """
    runs: list[Run] = load_stored_runs(launcher.workspace, known.test, which)
    if which == ALL or ".." in which:
        trained = programs_of(training_runs(launcher.workspace, known))
        ours = of_programs(runs, trained) if trained else of_newest_program(runs)
        _tell_left_out(launcher, known.test, len(runs) - len(ours), "versions of the program")
        runs = ours
    metadata = known.metadata
    alike = [
        run
        for run in runs
        if not any(
            difference.deciding for difference in compare_metadata(known.environment, run.metadata, metadata)
        )
    ]
    _tell_left_out(launcher, known.test, len(runs) - len(alike), "environments")
    return run_set(alike)


def _tell_left_out(launcher: Launcher, test: str, n_runs: int, others: str) -> None:
    if n_runs:
        launcher.report(Told(test, f"{format_count(n_runs, 'run')} of other {others} left out"))


def _how_to_get_more(launcher: Launcher, known: Oracle, n_runs: int) -> Advice:
    """Return how there may be so many more runs of the unchanged program."""
    if is_of_another_program(training_runs(launcher.workspace, known).runs):
        return Advice(
            "the program's files have changed since the training: to train with them as they are now: ",
            Step(Action.TRAIN, known.test, plain=True),
        )
    return Advice(Step(Action.RECORD, known.test, runs=n_runs, plain=True))
