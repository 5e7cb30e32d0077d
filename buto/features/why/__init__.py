"""From profiles of an old and a new program to the methods that use more.

``launches`` profiles both, ``explain`` finds the candidates, ``counted`` joins their exact calls, and
``sentence`` and ``report`` say it.
"""

from __future__ import annotations

from buto.actions.events import OnEvent
from buto.actions.hooks import Addition
from buto.actions.stored import Site
from buto.judging.verdict import Status
from buto.oracle import Checked, Oracle
from buto.project.model import TestConfig
from buto.report.check_report import CodeCause
from buto.steps import Action, Step


def next_steps(site: Site, checked: Checked) -> Addition:
    """Return the step that explains a regression, if the trained program is kept or its profile stored."""
    verdict, test = checked.verdict, checked.oracle.test
    if verdict.status is not Status.REGRESSION or verdict.is_welcome:
        return Addition()
    # Imported here: most verdicts need no explanation.
    from buto.programs.named import Unkept
    from buto.run.profiles import ProfileStore

    # Turns have an oracle of their own, and launch the kept program.
    is_kept = checked.against is not None or not isinstance(checked.oracle.program, Unkept)
    is_known = is_kept or ProfileStore(site.store).has(test)
    return Addition(steps=(Step(Action.WHY, test, why="which code did it"),) if is_known else ())


def causes(
    site: Site, test: TestConfig, known: Oracle, checked: Checked, on_event: OnEvent
) -> tuple[CodeCause, ...]:
    """Profile the program of the training and the present one, and return what did it, the likeliest first.

    Empty if the program of the training was not kept.
    """
    from buto.features.why.action import why_checked
    from buto.features.why.sentence import in_check

    explanation = why_checked(site, test, known, checked, on_event)
    return () if explanation is None else in_check(explanation)
