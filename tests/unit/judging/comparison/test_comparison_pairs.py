"""Two programs that ran at the same time, compared in pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging.calibrated.detector import explain_comparison
from buto.judging.calibrated.settings import CALIBRATED
from buto.judging.comparison import compare, comparing, pairs_of, runs_needed, smallest_p_value
from buto.judging.verdict import Direction, Effect, Status
from buto.run.model import PAIR, RunSet, run_set
from tests.support.runs.qualities import starved
from tests.support.runs.signals import Program, program_run

SETTINGS = comparing(CALIBRATED)


def side(test: str, n_runs: int, second: int, work: float = 1.0, *, paired: bool = True) -> RunSet:
    """Runs on a machine that is up to three times slower in some pairs than in others."""
    made = []
    for pair in range(n_runs):
        slower = np.random.default_rng((9, pair)).uniform(1.0, 3.0)
        run = program_run(5, 2 * pair + second, Program(work=work * slower, duration_s=4.0 * slower))
        metadata = {**run.metadata, **({PAIR: f"pair-{pair}"} if paired else {})}
        made.append(replace(run, test=test, metadata=metadata))
    return run_set(made)


def both(n_runs: int = 10, work: float = 1.0, *, paired: bool = True) -> tuple[RunSet, RunSet]:
    return side("old", n_runs, 0, paired=paired), side("new", n_runs, 1, work, paired=paired)


def test_pairs_show_what_a_machine_that_changes_hides() -> None:
    verdict = compare(*both(work=1.2), SETTINGS)
    assert verdict.status is Status.REGRESSION
    assert verdict.p_value == pytest.approx(2 / 1024)
    (found,) = [one for one in verdict.findings if one.subject == "jvm.cpu.time"]
    assert (found.direction, found.effect) == (Direction.MORE, Effect.WORSE)
    assert found.observed is not None
    assert found.upper is not None
    assert found.observed > found.upper
    assert "2 of 1024 ways of exchanging the two runs of each pair" in verdict.guarantee
    alone = compare(*both(work=1.2, paired=False), SETTINGS)
    assert (alone.status, alone.warnings) == (Status.PASS, ())


def test_the_roles_are_alike() -> None:
    old, new = both(work=1.2)
    there, back = compare(old, new, SETTINGS), compare(new, old, SETTINGS)
    assert there.p_value == back.p_value
    assert [one.subject for one in there.findings] == [one.subject for one in back.findings]


def test_equal_programs_pass() -> None:
    assert compare(*both(), SETTINGS).status is Status.PASS


def test_a_run_whose_partner_is_not_usable_is_left_out_and_named() -> None:
    old, new = both(9)
    disturbed = replace(new.runs[2], quality=starved("it was starved"))
    verdict = compare(old, run_set([*new.runs[:2], disturbed, *new.runs[3:]]), SETTINGS)
    assert verdict.n_training == len(verdict.run_ids) == 8
    assert f"without a usable partner, and left out: {old.runs[2].id}" in verdict.warnings


def test_runs_are_matched_by_their_pair_and_not_by_their_place() -> None:
    old, new = both(8)
    swapped = [
        replace(run, metadata={**run.metadata, PAIR: f"pair-{7 - place}"}) for place, run in enumerate(new)
    ]
    pairs = pairs_of(old, run_set(swapped))
    assert pairs is not None
    assert [run.metadata[PAIR] for run in pairs.first] == [run.metadata[PAIR] for run in pairs.second]
    assert pairs_of(*both(8, paired=False)) is None


@pytest.mark.parametrize(
    ("alpha", "fail_on", "needed"), [(0.05, "any", 6), (0.01, "any", 8), (0.01, "worse", 7)]
)
def test_too_few_pairs_for_alpha_decide_nothing(alpha: float, fail_on: str, needed: int) -> None:
    settings = comparing(replace(CALIBRATED, alpha=alpha, fail_on=fail_on))
    assert runs_needed(settings, paired=True) == needed
    assert smallest_p_value(needed, needed, settings, paired=True) <= alpha
    fewer = compare(*both(needed - 1), settings)
    assert (fewer.status, fewer.p_value) == (Status.INCONCLUSIVE, None)
    assert fewer.reasons == (
        f"{needed - 1} pairs cannot tell a share of {alpha:g} from chance: {needed} could",
    )


def test_fewer_than_five_pairs_are_refused() -> None:
    with pytest.raises(JudgeError, match="4 and 4 usable runs"):
        compare(*both(4), SETTINGS)


def test_the_explanation_tells_of_pairs() -> None:
    verdict = compare(*both(), SETTINGS)
    assert "ran in pairs, at the same time" in str(explain_comparison(verdict, paired=True))
    assert "in pairs" not in str(explain_comparison(verdict))
