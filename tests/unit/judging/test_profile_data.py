"""What a calibrated oracle learned, as text and back, and what becomes of damage."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import BadFileError, ButoError
from buto.judging import registry
from buto.judging.contrasts import COUNT_GRAIN
from buto.judging.envelope import N_POINTS, Envelope, envelope
from buto.judging.features import significant
from buto.judging.judge_settings import CALIBRATED
from buto.judging.profile_data import read, write
from buto.judging.stored import MOST_RUNS
from buto.judging.thesis.detector import THESIS
from buto.judging.verdict import Verdict
from buto.oracle import check, load, save, train
from buto.oracle.text import to_text
from buto.run.model import Notification, run_set
from buto.run.properties import Kind, Property
from perf.fuzz.examples import rewrite, whole
from tests.support.runs.signals import make_run, program_run
from tests.support.training.profiles import a_profile


def heard(number):
    run = program_run(6, number)
    object.__setattr__(run, "notifications", (Notification(0.5, "done", "a:type=Bell", 1, ""),))
    return run


TRAINING = run_set([heard(number) for number in range(6)])
CHECKED = run_set([heard(50)])
METHODS = {settings.method: settings for settings in (CALIBRATED, THESIS)}
DATA = {
    method: json.loads(to_text(train(TRAINING, settings).fitted.to_data()))
    for method, settings in METHODS.items()
}


def places(data, path=()):
    """The way to every value of some data."""
    yield path
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield from places(value, (*path, key))


def damaged(data, path, value):
    if not path:
        return value
    result = copy.deepcopy(data)
    inside = result
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return result


PLACES = [(method, path) for method, data in DATA.items() for path in places(data)]
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["gauge", "counter", "constant", "cost", "1e999", -1, 0, 1e308, 10**400]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(PLACES), ANYTHING)
def test_damage_anywhere_is_refused_or_leaves_an_oracle_that_judges(place, value):
    method, path = place
    detector = registry.detector(method)(METHODS[method])
    try:
        fitted = detector.from_data(damaged(DATA[method], path, value))
    except BadFileError:
        return
    try:
        verdict = fitted.check(CHECKED)
    except ButoError:
        return
    assert isinstance(verdict, Verdict)
    assert verdict.p_value is None or 0 < verdict.p_value <= 1


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("n_runs",), 0, "there are 0 training runs"),
        (("n_runs",), 6.5, "there are 6.5 training runs"),
        (("n_runs",), MOST_RUNS + 1, "training runs"),
        (("n_runs",), 7, "are not 7 numbers"),
        (("end_s",), -1.0, "-1.0 is no size"),
        (("end_s",), float("inf"), "is no size"),
        (("properties", 0, "grain"), float("nan"), "is no size"),
        (("properties", 2, "features", "total"), [1.0, 2.0], "[1.0, 2.0] are not 6 numbers"),
        (("properties", 2, "features", "total"), None, "NoneType"),
        (("properties", 2, "features", "total"), "1e999", "'1e999' are not 6 numbers"),
        (("properties", 2, "features"), [], "list indices must be"),
        (("properties", 0, "kind"), "constant", "'total' is missing"),
        (("properties", 0, "kind"), "counter", "'total' is missing"),
        (("properties", 0, "step"), -1.0, "-1.0 is no size"),
        (("properties", 0, "better"), "greener", "greener"),
        (("properties", 0), {"features": []}, "is missing"),
        (("duration_s",), 5, "int"),
        (("notification_counts", 0, "total"), [1] * 5, "are not 6 numbers"),
        (("envelope",), [], "list"),
        (("envelope", "end_s"), -1.0, "-1.0 is no size"),
        (("envelope", "curves", "jvm.cpu.time", 0), [1.0] * 24, "are not 25 numbers"),
        (("envelope", "curves", "jvm.cpu.time", 3), "much", "could not convert"),
        (("envelope", "curves"), {}, "is missing"),
    ],
)
def test_damage_is_reported(path, value, fault):
    with pytest.raises(BadFileError) as caught:
        read(damaged(DATA["calibrated"], path, value))
    assert fault in caught.value.message
    assert len(caught.value.message) < 300


def test_a_damaged_oracle_file_says_how_to_restore_it(tmp_path):
    path = tmp_path / "program.json"
    save(path, train(TRAINING))
    data = whole(path)
    data["model"]["properties"][0]["features"]["largest"] = "much"
    rewrite(path, data)
    with pytest.raises(BadFileError, match="could not convert string to float: 'much'") as caught:
        load(path)
    assert caught.value.advice.startswith(f"restore it (git checkout {path})")


def test_a_profile_and_an_envelope_come_back_as_they_were():
    profile = a_profile(7)
    constant = Property("jvm.processors", "{processor}", Kind.CONSTANT)
    properties = tuple(sorted((*profile.properties, constant), key=lambda test: test.name))
    shape = (3, N_POINTS, len(properties))
    lower, mean, upper = np.sort(np.random.default_rng(1).integers(-99, 99, shape) / 8, axis=0)
    upper[:, 2] = 7.0
    times_s, unread = np.linspace(0, 4.8, N_POINTS), np.arange(len(properties)) / 16
    shown = Envelope(properties, times_s, lower, mean, upper, unread, {"jvm.gone": "not read"})
    again, drawn = read(json.loads(to_text(write(profile, shown))))
    assert (again.properties, again.emitters, again.end_s) == (
        profile.properties,
        profile.emitters,
        profile.end_s,
    )
    assert np.array_equal(again.values, profile.values)
    assert np.array_equal(again.grain, profile.grain)
    assert (drawn.properties, drawn.left_out) == (shown.properties, shown.left_out)
    for array in ("times_s", "lower", "mean", "upper", "unread"):
        assert np.array_equal(getattr(drawn, array), getattr(shown, array))


def test_whole_numbers_of_an_older_oracle_have_the_grain_of_today():
    profile = a_profile(6)
    nothing = np.zeros((N_POINTS, len(profile.properties)))
    shown = Envelope(
        profile.properties, np.linspace(0, 4.8, N_POINTS), nothing, nothing, nothing, nothing[0], {}
    )
    former = replace(profile, grain=np.where(profile.grain == COUNT_GRAIN, 0.5, profile.grain))
    assert (former.grain == 0.5).sum() > 1
    again, _ = read(json.loads(to_text(write(former, shown))))
    assert np.array_equal(again.grain, profile.grain)


def test_the_envelope_is_the_smallest_the_mean_and_the_largest_value_of_any_training_run():
    """Of straight lines it is straight lines, until the shortest run ends."""

    def line(number, end_s):
        times = np.linspace(0, end_s, 31)
        return make_run(number, times, {"jvm.class.count": 100 + number * times})

    runs = [line(1, 6.0), line(2, 5.0), line(6, 8.0)]
    found = envelope(runs, runs[0].properties, {})
    assert found.times_s[-1] == 5.0
    for side, factor in ((found.lower, 1), (found.mean, 3), (found.upper, 6)):
        assert side[:, 0] == pytest.approx(100 + factor * found.times_s, rel=1e-3)
    assert found.unread.tolist() == [0.0]


@given(st.lists(st.floats(-1e99, 1e99), min_size=1, max_size=6))
def test_six_digits_are_kept_and_stay_as_they_are(values):
    once = significant(np.array([values]))
    assert once == pytest.approx(np.array([values]), rel=1e-5)
    assert np.array_equal(significant(once), once)
    assert json.loads(to_text({"values": once[0].tolist()}))["values"] == once[0].tolist()


def test_what_was_equal_in_all_runs_takes_one_number():
    features = {block["name"]: block["features"] for block in DATA["calibrated"]["properties"]}
    assert features["jvm.memory.heap.committed"] == {"largest": 134218000}
    assert features["jvm.buffer.count[direct]"] == {"largest": 0, "last": 0}
    assert len(features["jvm.memory.heap.used"]["largest"]) == 6
    assert DATA["calibrated"]["notification_counts"] == [
        {"type": "done", "source": "a:type=Bell", "total": 1}
    ]


def test_a_loaded_oracle_judges_a_run_with_other_notifications():
    path_free = registry.detector("calibrated")(CALIBRATED).from_data(DATA["calibrated"])
    assert path_free.check(CHECKED) == train(TRAINING).fitted.check(CHECKED)
    assert check(train(TRAINING), CHECKED).p_value == path_free.check(CHECKED).p_value
