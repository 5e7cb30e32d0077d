"""What helps against the problems of a run."""

from __future__ import annotations

import pytest

from buto.actions.ending import advice_on
from buto.run.model import Problem, ProblemKind


@pytest.mark.parametrize(
    ("kinds", "advice"),
    [
        (
            [ProblemKind.STARVED],
            "buto doctor (what else loads this machine), or sample less often: --interval 1s",
        ),
        (
            [ProblemKind.EXIT_CODE, ProblemKind.SLOW_MBEAN],
            "record other MBeans: --mbean PATTERN, or sample less often: --interval 1s",
        ),
        ([ProblemKind.EXIT_CODE], None),
        ([], None),
    ],
)
def test_the_first_problem_that_can_be_helped_has_advice(
    kinds: list[ProblemKind], advice: str | None
) -> None:
    assert advice_on([Problem(kind, "text") for kind in kinds]) == advice
