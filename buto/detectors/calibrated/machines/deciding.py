"""From a rank to a verdict."""

from __future__ import annotations

from buto.detectors.calibrated.machines.environments import Environment
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.calibrated.machines.ranking import Ranked
from buto.verdicts import Status


def decided(whole: WholeTests, environment: Environment, found: Ranked | None, alpha: float) -> Status:
    """Return the status of a test.

    A regression if the p-value is at most alpha, and no component of the environment is new that all prior
    tests had alike. Inconclusive if more prior tests would show that it differs, or if there is such a
    component.

    Args:
        found: None if the test could not be ranked.
    """
    if found is None:
        return Status.INCONCLUSIVE
    if found.p_value > alpha:
        return Status.PASS if found.needed is None else Status.INCONCLUSIVE
    return Status.INCONCLUSIVE if new_components(whole, environment) else Status.REGRESSION


def new_components(whole: WholeTests, environment: Environment) -> tuple[str, ...]:
    """Return the components whose value is new, although all prior tests have one value."""
    theirs = whole.environments
    return tuple(
        key
        for key, value in environment.items()
        if value not in (known := {one.get(key) for one in theirs}) and len(known) == 1
    )
