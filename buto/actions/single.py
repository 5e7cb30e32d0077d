"""One test whose caller decides when it is launched: what its runs are for, and what comes of them."""

from __future__ import annotations

from dataclasses import replace

from buto.actions import accept, check, train
from buto.actions.case import Case, check_number_of_runs, checked, learned
from buto.actions.events import OnEvent, ignore
from buto.actions.kept import watch
from buto.actions.outcome import concluded, keep
from buto.actions.project import Project
from buto.actions.record import complete
from buto.actions.stored import Site
from buto.project.model import TestConfig
from buto.report.result import Result
from buto.run.cache import is_missing
from buto.steps import Action


def begun(
    project: Project, test: TestConfig, action: Action, on_event: OnEvent = ignore, *, is_driven: bool = False
) -> Case:
    """Return a test before its first run; to accept, with the runs of its newest check if it did not pass.

    Args:
        action: CHECK, TRAIN or ACCEPT; what has no oracle to be accepted is trained.
        is_driven: see :class:`Case`; then the command may differ each time.
    """
    site, path = project.site(), project.oracle_path(test.name)
    if action is not Action.CHECK:
        check_number_of_runs(test, site.door)
    if action is Action.TRAIN or (action is Action.ACCEPT and is_missing(path)):
        project.check_oracles_writable([test.name])
        return replace(learned(test, path), is_driven=is_driven)
    known = project.known(test.name, Action.CHECK)
    case = checked(test, known, accepts=action is Action.ACCEPT)
    if action is Action.ACCEPT:
        project.check_oracles_writable([test.name])
        command = None if is_driven else test.target.new_mask().command(test.target.command)
        judged = accept.not_passed(site, known.oracle, command)
        case = accept.begun(test, known, judged, None, on_event) if judged else case
    return replace(case, is_driven=is_driven)


def launched(site: Site, case: Case, on_event: OnEvent) -> Case:
    """Launch a test as often as needed; ButoError if its program cannot be measured."""
    path = case.path if case.known is None else case.known.path
    if path is not None and (case.known is None or case.accepts):
        case = replace(case, watched=watch(site, case.test, path))
    (case,) = complete(site, [case], on_event)
    if case.failure is not None:
        raise case.failure
    return case


def finished(site: Site, case: Case, on_event: OnEvent) -> Result:
    """Judge or learn from the runs of a test, and return the result, which is also in the history."""
    if case.known is not None:
        action, result = Action.CHECK, check.finished(site, case, on_event)
    elif case.replaced is not None:
        action, result = Action.ACCEPT, accept.finished(site, case, on_event)
    else:
        action, result = Action.TRAIN, train.finished(site, case, on_event)
    if result.error is not None:
        raise result.error
    if case.known is not None:
        check.warn_of_settings(site.door, case.known.oracle, case.test, None, on_event)
    keep(site, concluded(action, [result]), on_event)
    return result
