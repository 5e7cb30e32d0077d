"""What buto does about a disturbed run follows from the kinds of its problems, whatever their texts say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.collecting import Plan
from buto.actions.stored import newest_check
from buto.errors import ButoError
from buto.measure.target import Target
from buto.run.model import Outcome, Problem, ProblemKind, Quality, Run
from buto.run.store import RunStore
from tests.support.projects import project_in
from tests.support.runs import stored
from tests.support.runs.scripted import GOOD, Log, Script

GOLDEN = Path(__file__).parents[3] / "golden" / "runs" / "v1"
OLD_PROBLEMS = RunStore(GOLDEN).load_set("golden/invalid").runs[0].quality.problems
"""One problem of each wording that the first version of the format had."""

REWORDED = "it exited with code 3: its workload, the MBean and the measured JVM were starved"
"""Words of many kinds, which are none."""

OUTCOMES = (Outcome(0, duration_s=1.0), Outcome(3, duration_s=1.0), Outcome(None, timed_out=True))


def reworded(problem: Problem) -> Problem:
    return replace(problem, text=REWORDED)


def trained(place: Path, problem: Problem, outcome: Outcome) -> list[object]:
    """Collect runs of which each has the problem; return what was launched, kept and advised."""
    bad = replace(GOOD, quality=Quality((problem,)), outcome=outcome)
    script = Script({"a": [bad] * 9})
    plans = [Plan("a", Target(("a",), timeout_s=5.0), 2)]
    log, root = Log(), RunStore(place)
    (result,) = script.collect(plans, root, log, seed=1, purpose="train").values()
    assert result.failure is not None
    advice = (result.failure.advice or "").replace(result.runs[-1].id, "ID")
    message = result.failure.message.replace(problem.text, "TEXT")
    return [script.launched, log.steps, len(result.runs), type(result.failure), message, advice]


def judged(place: Path, problem: Problem) -> object:
    """Look for the newest check, of a usable run and one that has the problem."""
    session = {"buto.session": stored.leaking_run(20).id}
    runs: list[Run] = [
        stored.leaking_run(20, purpose="check", **session),
        stored.leaking_run(21, purpose="check", quality=Quality((problem,)), **session),
    ]
    stored.store(place, *runs)
    try:
        return [run.id for run in newest_check(project_in(place).site(), "leaker")]
    except ButoError as error:
        advice = (error.advice or "").replace(str(place), "PLACE")
        return type(error), error.message.replace(problem.text, "TEXT"), advice


@pytest.mark.parametrize("outcome", OUTCOMES, ids=Outcome.describe)
@pytest.mark.parametrize("problem", OLD_PROBLEMS, ids=lambda problem: problem.text.replace("/", ""))
def test_training_does_the_same_whatever_a_text_says(
    tmp_path: Path, problem: Problem, outcome: Outcome
) -> None:
    before = trained(tmp_path / "before", problem, outcome)
    assert trained(tmp_path / "after", reworded(problem), outcome) == before


@pytest.mark.parametrize("problem", OLD_PROBLEMS, ids=lambda problem: problem.text.replace("/", ""))
def test_the_newest_check_is_the_same_whatever_a_text_says(tmp_path: Path, problem: Problem) -> None:
    assert judged(tmp_path / "before", problem) == judged(tmp_path / "after", reworded(problem))


def test_what_is_done_depends_on_the_kind(tmp_path: Path) -> None:
    """Otherwise the tests above could not fail."""
    done = {kind: repr(judged(tmp_path / kind.value, Problem(kind, REWORDED))) for kind in ProblemKind}
    assert len(set(done.values())) == 2
    launched = {
        repr(trained(tmp_path / f"train-{kind.value}", Problem(kind, REWORDED), OUTCOMES[0]))
        for kind in ProblemKind
    }
    assert len(launched) > 3
