import json

import pytest

from buto.errors import UsageError
from buto.judging.configuration import settings_from
from buto.judging.judge_settings import CALIBRATED
from buto.judging.registry import DETECTORS, detector
from buto.judging.thesis.detector import THESIS
from buto.oracle import DEFAULT

PARTICLE = {
    "bounds": "particle",
    "particles": 500,
    "iterations": 4,
    "resample": 0.5,
    "propagate": "none",
    "weighting": "distance",
    "process-noise": "average-difference",
    "seed": 7,
}


def thesis(**own):
    return settings_from({"method": "thesis", "thesis": {key.replace("_", "-"): own[key] for key in own}})


def test_nothing_said_gives_the_judge():
    assert settings_from({}) == settings_from({"method": "calibrated"}) == DEFAULT == CALIBRATED
    assert (DEFAULT.alpha, DEFAULT.fail_on, DEFAULT.minimum_effect) == (0.01, "any", {})


def test_the_keys_of_another_method_stand_below_its_name():
    settings = thesis(window=5, deviations=4)
    assert settings.method == "thesis"
    assert (settings.pipeline.window, settings.pipeline.deviations) == (5, 4)
    assert settings.pipeline.average == THESIS.pipeline.average
    assert settings_from({"method": "thesis"}) == THESIS
    assert settings_from({"method": "shang", "shang": {"threshold": 0.4}}).values["threshold"] == 0.4


def test_metadata_patterns_replace_the_usual_ones():
    assert settings_from({"metadata-ignored": ["a*"]}).metadata.ignored == ("a*",)
    assert thesis(metadata_ignored=["jvm.vm.*"]).metadata.ignored == ("jvm.vm.*",)


@pytest.mark.parametrize("method", DETECTORS)
def test_settings_survive_the_way_through_a_file(method):
    settings = detector(method).defaults
    assert settings.method == method
    assert settings_from(json.loads(json.dumps(settings.to_data()))) == settings


@pytest.mark.parametrize(
    "judge",
    [
        {"method": "thesis", "thesis": {"bounds": "kalman-listing", "process-noise": "average-variance"}},
        {"method": "thesis", "thesis": {"bounds": "kalman", "matching": "interpolated"}},
        {"method": "thesis", "thesis": PARTICLE},
        {"alpha": 0.05, "fail-on": "worse", "minimum-effect": {"jvm.memory.*": "64KiB", "*": "5%"}},
        {"minimum-effect": {"jvm.memory.*": "5% and 1MiB", "jvm.thread.*": "never"}},
    ],
)
def test_what_departs_from_the_usual_survives_the_way_through_a_file(judge):
    settings = settings_from(judge)
    assert settings_from(json.loads(json.dumps(settings.to_data()))) == settings
    given = judge.get("thesis", judge)
    assert {key: settings.own()[key] for key in given} == given


@pytest.mark.parametrize(
    ("written", "sizes"), [("0", {"*": "0"}), (0, {"*": "0"}), ("5%", {"*": "5%"}), ("never", {"*": "never"})]
)
def test_one_size_is_that_of_everything(written, sizes):
    settings = settings_from({"minimum-effect": written})
    assert settings.minimum_effect == sizes
    assert settings_from(json.loads(json.dumps(settings.to_data()))) == settings


def test_a_file_holds_the_keys_of_the_method_alone_and_no_parameters_of_other_bounds():
    assert list(CALIBRATED.to_data()) == ["method", *(key.name for key in detector("calibrated").keys)]
    assert list(THESIS.to_data()) == ["method", "thesis"]
    assert not {"particles", "seed", "process-noise"} & THESIS.own().keys()
    assert "particles" not in thesis(bounds="kalman").own()
    own = {key.name for key in detector("thesis").keys}
    assert settings_from({"method": "thesis", "thesis": PARTICLE}).own().keys() == own


@pytest.mark.parametrize("key", ["preset", "detector"])
def test_a_key_that_is_gone_is_refused_with_what_to_write(key):
    with pytest.raises(UsageError) as caught:
        settings_from({key: "thesis"})
    assert caught.value.message == (
        f"judge: {key} is gone: leave it out (the default is the judge), or judge: {{method: thesis}}"
    )


def test_the_thesis_is_its_best_configuration():
    pipeline = THESIS.pipeline
    assert (pipeline.smoothing, pipeline.window, pipeline.time_points) == ("mean", 9, "linear")
    assert (pipeline.bounds, pipeline.average, pipeline.deviations) == ("simple", "mean", 20.0)
    assert pipeline.matching == "nearest"


def test_the_defaults_of_the_particle_filter_are_the_theses_best():
    pipeline = thesis(bounds="particle").pipeline
    assert (pipeline.iterations, pipeline.resample, pipeline.particles) == (8, 0.6, 1000)
    assert (pipeline.propagate, pipeline.weighting) == ("velocity", "density")


def test_bounds_and_their_parameters_may_come_in_any_order():
    backwards = {"thesis": dict(reversed(PARTICLE.items())), "method": "thesis"}
    assert settings_from(backwards) == settings_from({"method": "thesis", "thesis": PARTICLE})


def test_a_parameter_of_other_bounds_is_refused_with_what_goes():
    with pytest.raises(UsageError) as caught:
        thesis(bounds="kalman", particles=100)
    assert caught.value.message == "judge: thesis: particles is no setting of bounds: kalman, but of particle"
    assert "bounds: kalman goes with average, deviations, process-noise" in (caught.value.advice or "")


def test_settings_beside_another_method_are_refused_with_their_place():
    with pytest.raises(UsageError) as caught:
        settings_from({"method": "thesis", "alpha": 0.05})
    assert caught.value.message == "judge: alpha is no setting of method: thesis"
    assert caught.value.advice is not None
    assert "judge: {method: thesis, thesis: {...}}" in caught.value.advice


@pytest.mark.parametrize(
    ("own", "fault"),
    [
        ({"bounds": "particle", "particles": 1}, "a whole number from 2 to 100000"),
        ({"bounds": "particle", "iterations": 2.0}, "a whole number from 1"),
        ({"bounds": "particle", "weighting": "pdf"}, "density or distance"),
        ({"process-noise": "average-variance"}, "of kalman or kalman-listing or particle"),
        ({"windows": 9}, "judge: thesis: unknown key 'windows'"),
        ({"alpha": 0.05}, "judge: thesis: unknown key 'alpha'"),
        ({"window": 8}, "judge: thesis: window: 8 is not an odd number"),
        ({"window": 9.0}, "odd"),
        ({"window": True}, "odd"),
        ({"smoothing": "loess"}, "none or mean or median"),
        ({"deviations": 0}, "a positive number"),
        ({"deviations": float("nan")}, "a positive number"),
        ({"deviations": "20"}, "a positive number"),
        ({"metadata-ignored": "a*"}, "a list of shell patterns"),
        ([], "no settings of method: thesis"),
    ],
)
def test_wrong_settings_of_the_thesis_are_refused_with_what_would_be_right(own, fault):
    with pytest.raises(UsageError) as caught:
        settings_from({"method": "thesis", "thesis": own})
    assert fault in caught.value.message


@pytest.mark.parametrize(
    ("judge", "fault"),
    [
        ({"window": 9}, "unknown key 'window'"),
        ({"thesis": {"window": 9}}, "thesis has settings of another method"),
        ({"method": "strict"}, "method: 'strict' is not calibrated or thesis or"),
        ({"method": ["thesis"]}, "method: ['thesis'] is not"),
        ({"cost": True}, "unknown key 'cost'"),
        ({"metadata-deciding": ["a*"]}, "unknown key 'metadata-deciding'"),
        ({"alpha": 0}, "alpha: 0 is not a share of checks from 0.0005 to 0.5"),
        ({"alpha": 0.6}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"alpha": True}, "alpha"),
        ({"alpha": "0.01"}, "alpha"),
        ({"fail-on": "better"}, "fail-on: 'better' is not any or worse"),
        ({"minimum-effect": {"jvm.*": "much"}}, "minimum-effect"),
        ({"minimum-effect": {"jvm.*": "-5%"}}, "minimum-effect"),
        ({"minimum-effect": {"jvm.*": "nan"}}, "minimum-effect"),
        ({"minimum-effect": ["5%"]}, "a mapping from shell patterns"),
    ],
)
def test_wrong_settings_of_the_judge_are_refused_with_what_would_be_right(judge, fault):
    with pytest.raises(UsageError) as caught:
        settings_from(judge)
    assert fault in caught.value.message
