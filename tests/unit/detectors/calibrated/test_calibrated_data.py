"""What a calibrated oracle learned, as text and back, and what becomes of damage."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.analysis.features import GAUGE_FEATURES
from buto.detectors import registry
from buto.detectors.bounds.settings import SUSTAINED
from buto.detectors.calibrated.data import MOST_RUNS, read, rounded, write
from buto.detectors.calibrated.settings import CALIBRATED
from buto.errors import BadFileError, ButoError
from buto.oracle import check, load, save, train
from buto.oracle.document import to_text
from buto.runs import Notification, run_set
from buto.verdicts import Verdict
from tests.support.runs.signals import program_run
from tests.support.training.profiles import a_profile


def heard(number):
    run = program_run(6, number)
    object.__setattr__(run, "notifications", (Notification(0.5, "done", "a:type=Bell", number, ""),))
    return run


TRAINING = run_set([heard(number) for number in range(6)])
CHECKED = run_set([heard(50)])
DATA = {
    preset.preset: json.loads(to_text(train(TRAINING, preset).fitted.to_data()))
    for preset in (CALIBRATED, SUSTAINED)
}
PRESETS = {preset.preset: preset for preset in (CALIBRATED, SUSTAINED)}


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


PLACES = [(preset, path) for preset, data in DATA.items() for path in places(data)]
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


@settings(deadline=None, max_examples=250)
@given(st.sampled_from(PLACES), ANYTHING)
def test_damage_anywhere_is_refused_or_leaves_an_oracle_that_judges(place, value):
    preset, path = place
    detector = registry.detector(PRESETS[preset].detector)(PRESETS[preset])
    try:
        fitted = detector.from_data(damaged(DATA[preset], path, value))
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
        (("properties", 2, "features", 0), [1.0, 2.0], "[1.0, 2.0] are not 6 numbers"),
        (("properties", 2, "features", 0), None, "NoneType"),
        (("properties", 2, "features", 0), "1e999", "'1e999' are not 6 numbers"),
        (("properties", 2, "features"), [], "argument 2 is shorter"),
        (("properties", 0, "kind"), "constant", "CONSTANT"),
        (("properties", 0, "kind"), "counter", "argument 2 is longer"),
        (("properties", 0, "better"), "greener", "greener"),
        (("properties", 0), {"features": []}, "is missing"),
        (("duration_s",), 5, "int"),
        (("notification_counts", 0, "total"), [1] * 5, "are not 6 numbers"),
        (("bands",), [], "list"),
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
    data = json.loads(path.read_text())
    data["model"]["properties"][0]["features"][7] = "much"
    path.write_text(json.dumps(data))
    with pytest.raises(BadFileError, match="could not convert string to float: 'much'") as caught:
        load(path)
    assert caught.value.advice.startswith(f"restore it (git checkout {path})")


def test_a_profile_comes_back_as_it_was():
    profile = a_profile(7)
    grains = profile.grain.tolist()
    bands = [{"name": one.name, "grain": grains[column]} for column, one in enumerate(profile.properties)]
    # A band of many samples can have another grain than the features.
    bands[1]["grain"] += 1
    data = json.loads(to_text(write(profile, {"window": 9, "properties": bands})))
    again, rest = read(data)
    assert rest["window"] == 9
    assert [one["grain"] for one in rest["properties"]] == [one["grain"] for one in bands]
    assert (again.properties, again.emitters, again.end_s) == (
        profile.properties,
        profile.emitters,
        profile.end_s,
    )
    assert np.array_equal(again.values, profile.values)
    assert np.array_equal(again.grain, profile.grain)


@given(st.lists(st.floats(-1e99, 1e99), min_size=1, max_size=6))
def test_six_digits_are_kept_and_stay_as_they_are(values):
    once = rounded(np.array([values]))
    assert once == pytest.approx(np.array([values]), rel=1e-5)
    assert np.array_equal(rounded(once), once)
    assert json.loads(to_text({"values": once[0].tolist()}))["values"] == once[0].tolist()


def test_what_was_equal_in_all_runs_takes_one_number():
    features = {block["name"]: block["features"] for block in DATA["calibrated"]["properties"]}
    mean, largest = GAUGE_FEATURES.index("mean"), GAUGE_FEATURES.index("largest")
    assert features["jvm.memory.heap.committed"][mean] == 134218000
    assert features["jvm.buffer.count[direct]"][largest] == 0
    assert len(features["jvm.memory.heap.used"][mean]) == 6
    assert DATA["calibrated"]["notification_counts"] == [
        {"type": "done", "source": "a:type=Bell", "total": 1}
    ]


def test_a_loaded_oracle_judges_a_run_with_other_notifications():
    path_free = registry.detector("calibrated")(CALIBRATED).from_data(DATA["calibrated"])
    assert path_free.check(CHECKED) == train(TRAINING).fitted.check(CHECKED)
    assert check(train(TRAINING), CHECKED).p_value == path_free.check(CHECKED).p_value
