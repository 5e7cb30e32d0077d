"""What helps against the problems of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.ending import advice_on, check_ending
from buto.errors import MeasureError
from buto.project.model import build_test
from buto.run.model import Outcome, Problem, ProblemKind, Quality, Run
from perf.fuzz import examples


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


def ended(code: int, stderr: bytes = b"", *problems: Problem) -> Run:
    run = examples.run(1)
    return replace(run, outcome=Outcome(code, duration_s=1.0), stderr=stderr, quality=Quality(problems))


def test_an_exit_that_stopping_causes_is_no_failure() -> None:
    target = build_test("t", {"command": "java A", "expect-exit": 143}, Path(), {}).target
    failed = Problem(ProblemKind.WORKLOAD, "its workload: 23 of 610 requests failed: GET /a: HTTP 500 (23)")
    with pytest.raises(MeasureError) as caught:
        check_ending(ended(143, b"", failed), target)
    assert caught.value.message.startswith("its workload: 23 of 610 requests failed: GET /a: ")
    assert "143" not in caught.value.message
    with pytest.raises(MeasureError, match="exited with code 7"):
        check_ending(ended(7, b"", failed), target)


def test_a_failed_assertion_comes_first_and_its_exit_code_is_no_advice() -> None:
    target = build_test("t", {"command": "java A"}, Path(), {}).target
    assertion = b"org.opentest4j.AssertionFailedError: expected: <10> but was: <9>\n\tat a.B.c(B.java:23)\n"
    with pytest.raises(MeasureError) as caught:
        check_ending(ended(1, assertion), target)
    first, place, *_ = caught.value.message.splitlines()
    assert first == "org.opentest4j.AssertionFailedError: expected: <10> but was: <9>"
    assert place.strip() == "at a.B.c(B.java:23)"
    assert "expect-exit" not in str(caught.value.advice)
    check_ending(ended(0, assertion), target)
