from dataclasses import replace

import pytest

from buto.detectors.bounds.settings import SUSTAINED, THESIS
from buto.errors import JudgeError
from buto.oracle import check, train
from buto.runs import Notification, run_set
from buto.verdicts import Direction, Status
from tests.support.runs.signals import INTERVAL_S, make_run

SOURCE = "a:type=Counter"


def run(number, times, kind="done"):
    notifications = [Notification(time, kind, SOURCE, 1 + index, "") for index, time in enumerate(times)]
    moments = [index * INTERVAL_S for index in range(40)]
    return make_run(number, moments, {"jvm.class.count": [5] * 40}, notifications=notifications)


def regular(number, step=0.5, count=7):
    return run(number, [0.01 * (number % 3) + step * (1 + index) for index in range(count)])


def checked(runs, candidate, preset=SUSTAINED):
    return check(train(run_set(runs), preset), run_set([candidate]))


@pytest.mark.parametrize("preset", [SUSTAINED, THESIS])
def test_the_same_notifications_pass(preset):
    assert checked([regular(number) for number in range(5)], regular(9), preset).status is Status.PASS


@pytest.mark.parametrize("preset", [SUSTAINED, THESIS])
def test_notifications_that_come_much_later_are_found(preset):
    verdict = checked([regular(number) for number in range(5)], regular(9, step=0.8), preset)
    assert verdict.status is Status.REGRESSION
    (finding,) = verdict.findings
    assert (finding.source, finding.subject) == ("notification", f"done from {SOURCE}")
    assert finding.direction is Direction.MORE
    assert finding.unit == "s"
    assert finding.observed > finding.upper
    if preset is SUSTAINED:
        assert finding.text == "7 of 7 came too early or too late"
        assert finding.observed == pytest.approx(5.6)


def test_twice_as_many_are_found_by_their_number():
    verdict = checked([regular(number) for number in range(5)], regular(9, count=14))
    (finding,) = verdict.findings
    assert (finding.observed, finding.expected, finding.unit) == (14, 7, "{notification}")


def test_one_more_or_one_less_is_not_a_finding_but_fails_the_rule_of_the_thesis():
    for count in (6, 8):
        runs = [regular(number) for number in range(5)]
        assert checked(runs, regular(9, count=count)).status is Status.PASS
        verdict = checked(runs, regular(9, count=count), THESIS)
        assert verdict.status is Status.REGRESSION
        assert verdict.findings[0].text == ("1 missing" if count == 6 else "1 unknown")


def test_training_runs_with_different_numbers_are_learned_from_but_refused_by_the_thesis():
    runs = [regular(number, count=7 + number % 3) for number in range(6)]
    assert checked(runs, regular(9, count=8)).status is Status.PASS
    with pytest.raises(JudgeError, match="different notifications"):
        checked(runs, regular(9), THESIS)


def test_a_kind_that_never_came_in_training_is_found():
    verdict = checked(
        [run(number, []) for number in range(5)], run(9, [0.5 + index / 10 for index in range(20)])
    )
    (finding,) = verdict.findings
    assert finding.text == "training runs had none"
    assert finding.observed == 20


def test_notifications_that_cease_are_found():
    verdict = checked([regular(number) for number in range(5)], run(9, []))
    assert verdict.findings[0].direction is Direction.LESS
    assert verdict.findings[0].observed == 0


def test_equal_times_in_training_make_no_hard_limit():
    runs = [run(number, [1.0, 2.0]) for number in range(5)]
    slightly_later = run(9, [1.05, 2.05])
    assert checked(runs, slightly_later).status is Status.PASS
    assert checked(runs, slightly_later, THESIS).status is Status.REGRESSION


def test_one_number_for_all_notifications_is_judged_by_how_many_there_are():
    def same(number, count):
        repeated = tuple(Notification(0.1 * index, "gc", SOURCE, 0, "") for index in range(count))
        return replace(run(number, []), notifications=repeated)

    runs = [same(number, 10) for number in range(5)]
    assert checked(runs, same(9, 11)).status is Status.PASS
    assert checked(runs, same(9, 30)).status is Status.REGRESSION
