"""What helps against the problems of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buto.actions.ending import advice_on, check_ending
from buto.errors import MeasureError
from buto.project.model import build_test
from buto.run.model import Outcome, Problem, ProblemKind, Quality, Run
from buto.run.properties import property_for
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


WRONG_CODE = Problem(ProblemKind.EXIT_CODE, "it exited with another code than expected")


def test_an_exit_that_stopping_causes_is_no_failure() -> None:
    target = build_test("t", {"command": "java A", "expect-exit": 143}, Path(), {}).target
    failed = Problem(ProblemKind.WORKLOAD, "its workload: 23 of 610 requests failed: GET /a: HTTP 500 (23)")
    with pytest.raises(MeasureError) as caught:
        check_ending(ended(143, b"", failed), target)
    assert caught.value.message.startswith("its workload: 23 of 610 requests failed: GET /a: ")
    assert "143" not in caught.value.message
    with pytest.raises(MeasureError, match="exited with code 7"):
        check_ending(ended(7, b"", WRONG_CODE, failed), target)


@pytest.mark.parametrize("stderr", [b"a.b.LostException: table\r\n\tat a.b.C\n", b"none\n"])
def test_a_program_that_ends_during_its_workload_is_the_cause_of_what_failed(stderr: bytes) -> None:
    target = build_test("t", {"command": "java A"}, Path(), {}).target
    failed = Problem(ProblemKind.WORKLOAD, "its workload: 3 of 83 requests failed")
    with pytest.raises(MeasureError) as caught:
        check_ending(ended(9, stderr, WRONG_CODE, failed), target)
    cause, effect, *_ = caught.value.message.splitlines()
    exception = ": a.b.LostException: table" if b"Lost" in stderr else ""
    assert cause == f"the program exited with code 9 during its workload{exception}"
    assert effect == failed.text


def test_who_has_requests_that_failed_is_told_which_and_what_may_be_configured() -> None:
    target = build_test("t", {"command": "java A"}, Path(), {}).target
    run = ended(143, b"", Problem(ProblemKind.WORKLOAD, "its workload: 2 of 83 requests failed"))
    counted = [property_for(f"load.failures[{kind}]") for kind in ("order", "look")]
    counts = np.tile([[2.0, 0.0]], (run.n_samples, 1))
    run = replace(run, properties=(*run.properties, *counted), values=np.column_stack([run.values, counts]))
    with pytest.raises(MeasureError) as caught:
        check_ending(run, target)
    advice = str(caught.value.advice)
    assert "order" in advice and "look" not in advice
    assert "status: 404" in advice and "may-fail: 0.02" in advice


def test_a_failed_assertion_comes_first_and_its_exit_code_is_no_advice() -> None:
    target = build_test("t", {"command": "java A"}, Path(), {}).target
    assertion = b"org.opentest4j.AssertionFailedError: expected: <10> but was: <9>\n\tat a.B.c(B.java:23)\n"
    with pytest.raises(MeasureError) as caught:
        check_ending(ended(1, assertion, WRONG_CODE), target)
    first, place, *_ = caught.value.message.splitlines()
    assert first == "org.opentest4j.AssertionFailedError: expected: <10> but was: <9>"
    assert place.strip() == "at a.B.c(B.java:23)"
    assert "expect-exit" not in str(caught.value.advice)
    check_ending(ended(0, assertion), target)
