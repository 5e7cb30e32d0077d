import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging.classifiers import BandLimits, NotificationKind, compare_notifications, learn_notifications
from buto.run.model import Notification


def emitted(*times, kind="done", source="a:type=Counter", first=1):
    return [Notification(time, kind, source, first + index, "said") for index, time in enumerate(times)]


def extremes(values):
    """The plainest band there is: from the smallest to the largest value."""
    return BandLimits(values.mean(axis=0), values.min(axis=0), values.max(axis=0))


def learn(*runs, strict=False):
    return learn_notifications(runs, extremes, strict=strict)


def kinds(differences):
    return [(difference.kind, difference.sequence) for difference in differences]


def test_each_group_has_the_band_of_its_times():
    (emitter,) = learn(emitted(1.0, 2.0), emitted(1.2, 2.6), strict=True).emitters
    assert (emitter.type, emitter.source, emitter.sequences) == ("done", "a:type=Counter", (1, 2))
    assert emitter.times_s.lower.tolist() == [1.0, 2.0]
    assert emitter.times_s.upper.tolist() == [1.2, 2.6]


def test_the_four_kinds_of_difference():
    model = learn(emitted(1.0, 2.0, 3.0), emitted(1.2, 2.2, 3.2), strict=True)
    run = [*emitted(1.1), *emitted(1.1), *emitted(9.0, first=2), *emitted(5.0, first=7)]
    assert kinds(compare_notifications(model, run)) == [
        (NotificationKind.DUPLICATE, 1),
        (NotificationKind.LATE_OR_EARLY, 2),
        (NotificationKind.UNMATCHED, 7),
        (NotificationKind.MISSING, 3),
    ]


def test_the_same_notifications_make_no_difference():
    model = learn(emitted(1.0, 2.0), emitted(1.2, 2.2), strict=True)
    assert compare_notifications(model, emitted(1.1, 2.2)) == ()


def test_messages_are_not_compared():
    model = learn(emitted(1.0), strict=True)
    other = [Notification(1.0, "done", "a:type=Counter", 1, "said otherwise")]
    assert compare_notifications(model, other) == ()


@pytest.mark.parametrize("field", ["kind", "source"])
def test_type_and_source_distinguish_groups(field):
    model = learn(emitted(1.0), strict=True)
    differences = compare_notifications(model, emitted(1.0, **{field: "b:other=1"}))
    assert kinds(differences) == [(NotificationKind.UNMATCHED, 1), (NotificationKind.MISSING, 1)]


def test_strict_training_refuses_groups_of_different_size():
    with pytest.raises(JudgeError, match=r"number 2 of type 'done' .* in only 1 of 2 runs"):
        learn(emitted(1.0, 2.0), emitted(1.0), strict=True)


def test_strict_training_refuses_a_duplicate_that_makes_up_for_a_gap():
    with pytest.raises(JudgeError, match="different notifications"):
        learn([*emitted(1.0), *emitted(2.0)], [], strict=True)


def test_groups_that_not_every_run_has_once_are_left_out():
    (emitter,) = learn(emitted(1.0, 2.0, 3.0), emitted(1.0, 2.0)).emitters
    assert emitter.sequences == (1, 2)


def test_an_emitter_with_one_number_for_all_has_no_times():
    same = [Notification(time, "done", "a:b=c", 0, "") for time in (1.0, 2.0)]
    (emitter,) = learn(same, same).emitters
    assert emitter.sequences == ()


def test_runs_without_notifications_give_an_empty_model():
    model = learn([], [], strict=True)
    assert model.emitters == ()
    assert compare_notifications(model, []) == ()


def test_the_order_of_the_runs_does_not_matter():
    runs = [emitted(1.0, 2.0), emitted(1.4, 2.2), emitted(1.1, 2.9)]
    (emitter,) = learn(*runs).emitters
    (other,) = learn(*reversed(runs)).emitters
    assert np.array_equal(emitter.times_s.upper, other.times_s.upper)
    assert emitter.sequences == other.sequences
