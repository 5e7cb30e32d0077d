"""From a rank to a verdict."""

from __future__ import annotations

from buto.detectors.ensemble.voting import Environment
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.ensemble.whole.ranking import Ranked
from buto.verdicts import Status


def decided(whole: WholeTests, environment: Environment, found: Ranked | None, alpha: float) -> Status:
    """Return the status of a test that was ranked; None was not.

    A regression if the p-value is at most alpha, and nothing of the environment may be the cause that no
    prior test shows. Inconclusive if the test stands out and one of both is not so.
    """
    if found is None:
        return Status.INCONCLUSIVE
    if found.p_value > alpha:
        return Status.INCONCLUSIVE if needs_more(found, alpha) else Status.PASS
    return Status.INCONCLUSIVE if new_components(whole, environment) else Status.REGRESSION


def needs_more(found: Ranked, alpha: float) -> bool:
    """Return whether a test stands out among too few prior tests to say that it differs."""
    return found.stands_out and found.smallest > alpha


def new_components(whole: WholeTests, environment: Environment) -> tuple[str, ...]:
    """Return the components of an environment that are new where all prior tests are alike, so that a
    difference may come from them.
    """
    theirs = whole.environments
    if whole.groups.pooled:
        return ()
    return tuple(
        key
        for key, value in environment.items()
        if value not in (known := {one.get(key) for one in theirs}) and len(known) == 1
    )
