"""One test whose caller decides when it is launched: what its runs are for, and what comes of them."""

from __future__ import annotations

from msgspec import structs

from buto.actions import accept, check, train
from buto.actions.commit_programs import base_of_change, watch_build
from buto.actions.events import Reporter, ignore
from buto.actions.kept import watch
from buto.actions.launcher import Launcher
from buto.actions.monitor import watch_builds
from buto.actions.mood import with_mood
from buto.actions.outcome import conclude, keep
from buto.actions.past_results import warn_of_failed_check
from buto.actions.plan import Check, PlanProgress, Train, check_number_of_runs, plan_check, plan_training
from buto.actions.project import Project
from buto.actions.record import complete
from buto.errors import UsageError
from buto.project.model import TestConfig
from buto.report.result import Result
from buto.run.cache import is_missing
from buto.steps import Action, Advice, Configuration, Setting


def begin(
    project: Project,
    test: TestConfig,
    action: Action,
    reporter: Reporter = ignore,
    *,
    is_driven: bool = False,
) -> PlanProgress:
    """Return a test before its first run; to accept, with the runs of its newest check if it did not pass.

    Args:
        action: CHECK, TRAIN or ACCEPT; what has no oracle to be accepted is trained.
        is_driven: see :class:`buto.actions.plan.Plan`; then the command may differ each time.
    """
    workspace, path = project.workspace(), project.oracle_path(test.name)
    if is_driven and test.no_growth is not None:
        raise UsageError(
            f"{test.name}: only a program that buto launches itself can be counted in rounds",
            advice=Advice("leave out ", Setting("growth"), ", or give the command to ", Configuration()),
        )
    if action is not Action.CHECK:
        check_number_of_runs(test)
    if action is Action.TRAIN or (action is Action.ACCEPT and is_missing(path)):
        project.check_oracles_writable([test.name])
        warn_of_failed_check(workspace, test.name, reporter)
        return _as_driven(plan_training(test, path), is_driven=is_driven)
    known = project.load_known(test.name, Action.CHECK)
    is_check = action is Action.CHECK
    known = with_mood(workspace, known) if is_check else known
    progress = plan_check(
        test,
        known,
        accepts=not is_check,
        look_over_builds=watch_builds(workspace, known.oracle, reporter) if is_check else None,
        # Who drives a program launches no other one.
        base=None
        if is_driven or not is_check
        else base_of_change(workspace, known.oracle, test, known.path, reporter),
    )
    if action is Action.ACCEPT:
        project.check_oracles_writable([test.name])
        command = None if is_driven else test.target.new_mask().command(test.target.command)
        judged = accept.find_failed_runs(workspace, known.oracle, command)
        progress = accept.plan_from_check(test, known, judged, None, reporter) if judged else progress
    return _as_driven(progress, is_driven=is_driven)


def _as_driven(progress: PlanProgress, *, is_driven: bool) -> PlanProgress:
    return structs.replace(progress, plan=structs.replace(progress.plan, is_driven=is_driven))


def launch(launcher: Launcher, progress: PlanProgress) -> PlanProgress:
    """Launch a test as often as needed; ButoError if its program cannot be measured."""
    plan, path = progress.plan, progress.oracle_path
    policy = plan.policy
    if path is not None and isinstance(policy, Train | Check):
        learns = isinstance(policy, Train) or policy.accepts
        watched = (watch if learns else watch_build)(launcher.workspace, plan.test, path)
        policy = structs.replace(policy, watched=watched)
        progress = structs.replace(progress, plan=structs.replace(plan, policy=policy))
    (progress,) = complete(launcher, [progress])
    if progress.failure is not None:
        raise progress.failure
    return progress


def finish(launcher: Launcher, progress: PlanProgress) -> Result:
    """Judge or learn from the runs of a test, and return the result, which is also in the history."""
    if progress.check is not None:
        action, result = Action.CHECK, check.finish(launcher, progress)
    elif progress.is_acceptance:
        action, result = Action.ACCEPT, accept.finish(launcher, progress)
    else:
        action, result = Action.TRAIN, train.finish(launcher, progress)
    if result.error is not None:
        raise result.error
    if progress.check is not None:
        check.warn_of_settings(
            launcher.workspace, progress.check.known.oracle, progress.test, None, launcher.report
        )
    keep(launcher, conclude(action, [result]))
    return result
