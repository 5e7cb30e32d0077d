"""What a check adds to its report: which code did it, or the step that finds out."""

from __future__ import annotations

from buto.actions.advice import is_of_process
from buto.actions.hooks import Addition
from buto.actions.launcher import Launcher
from buto.actions.workspace import Workspace
from buto.judging.story import story_of
from buto.judging.verdict import Status
from buto.oracle import CheckedRuns, Oracle
from buto.project.model import TestConfig
from buto.report.check_report import CodeCause
from buto.steps import Action, Step


def next_steps(workspace: Workspace, checked: CheckedRuns) -> Addition:
    """Return the step that explains a regression, if the trained program is kept or its profile stored."""
    verdict, test = checked.verdict, checked.oracle.test
    has_no_jvm = any(map(is_of_process, checked.runs))
    if verdict.status is not Status.REGRESSION or has_no_jvm or story_of(verdict).is_welcome:
        return Addition()
    # Imported here: most verdicts need no explanation.
    from buto.causes.profiles import ProfileStore
    from buto.programs.named import Unkept

    # Turns have an oracle of their own, and launch the kept program.
    has_old = not isinstance(checked.oracle.program, Unkept) and not verdict.without_turns
    is_kept = checked.against is not None or has_old
    is_known = is_kept or ProfileStore(workspace.store).has(test)
    return Addition(steps=(Step(Action.WHY, test, why="which code did it"),) if is_known else ())


def causes(
    launcher: Launcher, test: TestConfig, known: Oracle, checked: CheckedRuns
) -> tuple[CodeCause, ...]:
    """Profile the program of the training and the present one, and return what did it, the likeliest first.

    Empty if the program of the training was not kept.
    """
    from buto.causes.action import why_checked
    from buto.causes.sentence import in_check

    explanation = why_checked(launcher, test, known, checked)
    return () if explanation is None else in_check(explanation)
