import pytest

from buto.errors import JudgeError
from buto.judging.thesis.detector import THESIS
from buto.judging.verdict import Direction, Status
from buto.oracle import check, train
from buto.run.model import Notification, run_set
from tests.support.runs.signals import INTERVAL_S, make_run

SOURCE = "a:type=Counter"


def run(number, times, kind="done"):
    notifications = [Notification(time, kind, SOURCE, 1 + index, "") for index, time in enumerate(times)]
    moments = [index * INTERVAL_S for index in range(40)]
    return make_run(number, moments, {"jvm.class.count": [5] * 40}, notifications=notifications)


def regular(number, step=0.5, count=7):
    return run(number, [0.01 * (number % 3) + step * (1 + index) for index in range(count)])


def checked(candidate, runs=None):
    return check(train(run_set(runs or map(regular, range(5))), THESIS), run_set([candidate]))


def test_the_same_notifications_pass():
    assert checked(regular(9)).status is Status.PASS


def test_notifications_that_come_much_later_are_found():
    verdict = checked(regular(9, step=0.8))
    assert verdict.status is Status.REGRESSION
    (finding,) = verdict.findings
    assert (finding.source, finding.subject) == ("notification", f"done from {SOURCE}")
    assert finding.direction is Direction.MORE
    assert finding.unit == "s"
    assert finding.observed > finding.upper
    assert finding.text == "7 outside its time"
    assert finding.observed == pytest.approx(5.6)


@pytest.mark.parametrize(
    ("count", "text"), [(6, "1 missing"), (8, "1 unknown"), (0, "7 missing"), (14, "7 unknown")]
)
def test_any_more_or_less_fails(count, text):
    (finding,) = checked(regular(9, count=count)).findings
    assert finding.text == text


def test_training_runs_with_different_notifications_are_refused():
    with pytest.raises(JudgeError, match="different notifications") as caught:
        checked(regular(9), [regular(number, count=7 + number % 3) for number in range(6)])
    assert "judge: {method: thesis}" in caught.value.advice


def test_equal_times_in_training_are_a_hard_limit():
    runs = [run(number, [1.0, 2.0]) for number in range(5)]
    assert checked(run(9, [1.0, 2.0]), runs).status is Status.PASS
    assert checked(run(9, [1.05, 2.05]), runs).status is Status.REGRESSION
