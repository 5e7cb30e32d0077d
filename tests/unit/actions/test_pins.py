"""A check that fails for pins says where they were."""

from __future__ import annotations

import pytest

from buto.actions.pins import with_places
from buto.judging.verdict import Difference, Direction, Status, Verdict
from tests.support.report.made import run

AT = "process.threads.pinned"


def verdict(subject: str, direction: Direction) -> Verdict:
    finding = Difference("comparison", subject, "run", direction, unit="{pin}", observed=8, expected=0)
    return Verdict(Status.REGRESSION, "work", (finding,))


def test_the_places_are_those_of_the_newest_run_that_has_some() -> None:
    runs = [run("a", metadata={AT: "Shop.a:1 (3)"}), run("b", metadata={AT: "Shop.b:2 (8)"}), run("c")]
    told = with_places(verdict("jvm.thread.virtual.pinned", Direction.MORE), runs)
    assert told.warnings == ("virtual threads were pinned in Shop.b:2 (8)",)


@pytest.mark.parametrize(
    ("subject", "direction"),
    [("jvm.thread.virtual.pinned", Direction.LESS), ("jvm.thread.count", Direction.MORE)],
)
def test_of_other_changes_nothing_is_said(subject: str, direction: Direction) -> None:
    told = with_places(verdict(subject, direction), [run(metadata={AT: "Shop.b:2 (8)"})])
    assert told.warnings == ()
