"""Measuring how often an oracle fails an unchanged program, on stored runs of it."""

from __future__ import annotations

from msgspec import Struct

from buto import oracle
from buto.actions.engines import share_for
from buto.actions.events import Reporter, Told, Warned, ignore
from buto.actions.launcher import Launcher
from buto.actions.project import Project
from buto.actions.stored import ALL, load_stored_runs
from buto.errors import JudgeError
from buto.judging.alarms import Selftest
from buto.judging.classifiers import compare_metadata
from buto.judging.procedure import N_CHECKED
from buto.oracle import Oracle
from buto.run.model import RunSet, run_set
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
    runs = _load_unchanged(project.launcher(reporter), known, request.from_runs)
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
        more = Step(Action.RECORD, test, runs=max(20, fewest - len(runs)), plain=True)
        raise JudgeError(
            f"{test}: {format_count(len(runs), 'run')} of the unchanged program are too few; "
            f"at least {fewest} are needed",
            advice=Advice(more),
        )
    rates = oracle.selftest(known, runs, n_training, share_for(project.scheduler))
    return SelftestOutcome(runs, rates)


def _load_unchanged(launcher: Launcher, known: Oracle, which: str) -> RunSet:
    """Return the stored runs that were recorded in the oracle's environment."""
    runs = load_stored_runs(launcher.workspace, known.test, which)
    metadata = known.metadata
    alike = [
        run
        for run in runs
        if not any(
            difference.deciding for difference in compare_metadata(known.environment, run.metadata, metadata)
        )
    ]
    if len(alike) < len(runs):
        left_out = format_count(len(runs) - len(alike), "run")
        launcher.report(Told(known.test, f"{left_out} of other environments left out"))
    return run_set(alike)
