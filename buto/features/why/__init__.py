"""From profiles of an old and a new program to the methods that use more."""

from __future__ import annotations

from buto.actions.hooks import Addition
from buto.actions.stored import Site
from buto.judging.verdict import Status
from buto.oracle import Checked
from buto.steps import Action, Step


def next_steps(site: Site, checked: Checked) -> Addition:
    """Return the step that explains a regression, if a profile of the trained program is stored."""
    verdict, test = checked.verdict, checked.oracle.test
    if verdict.status is not Status.REGRESSION or verdict.is_welcome:
        return Addition()
    # Imported here: most verdicts need no explanation.
    from buto.run.profiles import ProfileStore

    step = Step(Action.WHY, test, why="which code did it")
    return Addition(steps=(step,) if ProfileStore(site.store).has(test) else ())
