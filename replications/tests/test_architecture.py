"""The paper's example recomputed, and outcomes beside the truth."""

from collections import Counter
from itertools import islice

import pytest

from buto.judging.verdict import Status
from buto_predict.deviations import Size
from buto_predict.network import network_of
from buto_replications.store.example import Judged, Outcome, effects, figures
from buto_replications.store.simulated import LOADS, judge_changed, judge_unchanged, store


def test_the_example_has_the_papers_numbers():
    found = figures()
    assert [one.ours for one in found] == ["18 ms", "22 ms", "+22.2 %", "0.018 s", "0.022 s"]
    assert [one.paper for one in found] == ["18 ms", "22 ms", "+22.2 %", ".018 s", ".022 s"]


@pytest.mark.slow
def test_the_less_demands_vary_the_larger_is_delta():
    found = effects((1.2, 2.0), (1.0, 0.1), stays=40_000, seed=1)
    by_case = {(one.factor, one.variation): one for one in found}
    assert by_case[1.2, 1.0].delta < by_case[1.2, 0.1].delta
    assert by_case[1.2, 1.0].size is Size.NEGLIGIBLE
    assert by_case[2.0, 1.0].size is Size.MEDIUM


@pytest.mark.parametrize(
    ("truth", "status", "outcome"),
    [
        (0.2, Status.REGRESSION, Outcome.FOUND),
        (0.2, Status.PASS, Outcome.MISSED),
        (0.1, Status.REGRESSION, Outcome.FALSE_ALARM),
        (0.1, Status.PASS, Outcome.QUIET),
        (0.2, Status.INCONCLUSIVE, Outcome.UNDECIDED),
    ],
)
def test_outcomes_are_counted_by_the_truth(truth, status, outcome):
    assert Judged("x 1", "x", 1.0, "original", truth, 0.0, status).outcome is outcome


def test_a_delta_that_could_not_be_predicted_is_not_right():
    for truth in (0.0, 0.2):
        judged = Judged("x 1", "x", 1.0, "original", truth, float("nan"), Status.INCONCLUSIVE)
        assert not judged.agrees


def test_no_load_saturates_the_store():
    for load in LOADS:
        made = store(load)
        assert network_of(made).utilisations(made.self_s, made.rates).max() < 0.6


@pytest.mark.slow
def test_versions_without_a_change_raise_no_alarm():
    assert {one.outcome for one in judge_unchanged(3, count=6)} == {Outcome.QUIET}


@pytest.mark.slow
def test_changes_of_known_size_are_found_or_left_undecided():
    # Under the first two of the four loads.
    outcomes = Counter(one.outcome for one in islice(judge_changed(11), 18))
    assert sum(outcomes.values()) == 18
    assert outcomes[Outcome.MISSED] == outcomes[Outcome.FALSE_ALARM] == 0
    assert outcomes[Outcome.UNDECIDED] <= 3
