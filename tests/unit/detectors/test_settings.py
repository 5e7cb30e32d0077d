import json

import pytest

from buto.detectors.bounds.keys import KEYS as BAND_KEYS
from buto.detectors.bounds.settings import SUSTAINED, THESIS
from buto.detectors.calibrated.settings import CALIBRATED, CALIBRATED_NEXT
from buto.detectors.calibrated.settings import KEYS as RANK_KEYS
from buto.detectors.judge import presets
from buto.errors import UsageError
from buto.oracle import DEFAULT, settings_from


def test_nothing_said_gives_the_default():
    assert settings_from({}) == DEFAULT == CALIBRATED
    assert (DEFAULT.alpha, DEFAULT.fail_on, DEFAULT.minimum_effect) == (0.01, "any", {})


def test_a_preset_with_departures():
    settings = settings_from({"preset": "thesis", "window": 5, "deviations": 4, "outside-share": 0.1})
    assert settings.method == "thesis"
    assert (settings.pipeline.window, settings.pipeline.deviations) == (5, 4)
    assert settings.outside_share == 0.1
    assert settings.pipeline.average == THESIS.pipeline.average


def test_metadata_patterns_replace_those_of_the_preset():
    settings = settings_from({"metadata-ignored": ["a*"], "metadata-deciding": []})
    assert settings.metadata.ignored == ("a*",)
    assert not settings.metadata.is_deciding("jvm.vm.version")


@pytest.mark.parametrize("preset", presets().values(), ids=presets())
def test_settings_survive_the_way_through_a_file(preset):
    assert settings_from(json.loads(json.dumps(preset.to_data()))) == preset


PARTICLE = {
    "preset": "sustained",
    "bounds": "particle",
    "particles": 500,
    "iterations": 4,
    "resample": 0.5,
    "propagate": "none",
    "weighting": "distance",
    "process-noise": "average-difference",
    "seed": 7,
}


@pytest.mark.parametrize(
    "judge",
    [
        {"preset": "sustained", "bounds": "kalman-listing", "process-noise": "average-variance"},
        {"preset": "thesis", "bounds": "kalman", "time-points": "rounding", "matching": "interpolated"},
        PARTICLE,
        {"alpha": 0.05, "fail-on": "worse", "minimum-effect": {"jvm.memory.*": "64KiB", "*": "5%"}},
    ],
)
def test_parameters_of_bounds_survive_the_way_through_a_file(judge):
    settings = settings_from(judge)
    assert settings_from(json.loads(json.dumps(settings.to_data()))) == settings
    assert settings.to_data().items() >= judge.items()


def test_a_file_holds_no_parameters_of_other_bounds_and_of_no_other_detector():
    assert not {"particles", "seed", "process-noise"} & set(SUSTAINED.to_data())
    assert "particles" not in settings_from({"preset": "sustained", "bounds": "kalman"}).to_data()
    assert list(settings_from(PARTICLE).to_data()) == ["preset", "detector", *(key.name for key in BAND_KEYS)]
    given = [key.name for key in RANK_KEYS if key.name not in CALIBRATED_NEXT.values]
    assert list(CALIBRATED.to_data()) == ["preset", "detector", *given]


def test_a_setting_of_the_other_detector_is_refused_with_the_presets_that_it_goes_with():
    for judge, fitting in (
        ({"deviations": 6}, "sustained or thesis"),
        (
            {**PARTICLE, "alpha": 0.1},
            "calibrated or calibrated-next or regression-models or ensemble or foo or history",
        ),
    ):
        with pytest.raises(UsageError) as caught:
            settings_from(judge)
        assert caught.value.advice == f"it goes with preset: {fitting}"


def test_the_defaults_of_the_particle_filter_are_the_theses_best():
    pipeline = settings_from({"preset": "thesis", "bounds": "particle"}).pipeline
    assert (pipeline.iterations, pipeline.resample, pipeline.particles) == (8, 0.6, 1000)
    assert (pipeline.propagate, pipeline.weighting) == ("velocity", "density")


def test_bounds_and_their_parameters_may_come_in_any_order():
    assert settings_from(dict(reversed(PARTICLE.items()))) == settings_from(PARTICLE)


def test_a_parameter_of_other_bounds_is_refused_with_what_goes():
    with pytest.raises(UsageError) as caught:
        settings_from({"preset": "sustained", "bounds": "kalman", "particles": 100})
    assert caught.value.message == "judge: particles is no setting of bounds: kalman, but of particle"
    assert "bounds: kalman goes with average, deviations, process-noise" in (caught.value.advice or "")


@pytest.mark.parametrize(
    ("judge", "fault"),
    [
        ({"preset": "sustained", "bounds": "particle", "particles": 1}, "a whole number from 2 to 100000"),
        ({"bounds": "particle", "iterations": 2.0}, "a whole number from 1"),
        ({"bounds": "particle", "weighting": "pdf"}, "density or distance"),
        (
            {"preset": "sustained", "process-noise": "average-variance"},
            "of kalman or kalman-listing or particle",
        ),
        ({"windows": 9}, "unknown key 'windows'"),
        (
            {"preset": "strict"},
            "preset: 'strict' is not calibrated or calibrated-next or sustained or thesis",
        ),
        ({"preset": ["thesis"]}, "preset"),
        ({"window": 8}, "window: 8 is not an odd number"),
        ({"window": 9.0}, "odd"),
        ({"window": True}, "odd"),
        ({"smoothing": "loess"}, "none or mean or median"),
        ({"deviations": 0}, "a positive number"),
        ({"deviations": float("nan")}, "a positive number"),
        ({"deviations": "20"}, "a positive number"),
        ({"outside-share": 1.5}, "a share from 0 to 1"),
        ({"floor": 1}, "true or false"),
        ({"metadata-ignored": "a*"}, "a list of shell patterns"),
        ({"metadata-deciding": [1]}, "a list of shell patterns"),
        ({"detector": "magic"}, "detector: 'magic' is not bounds or calibrated"),
        ({"window": 9}, "window is no setting of the preset calibrated"),
        ({"preset": "thesis", "alpha": 0.05}, "alpha is no setting of the preset thesis"),
        ({"alpha": 0}, "alpha: 0 is not a share of checks from 0.0005 to 0.5"),
        ({"alpha": 0.6}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"alpha": True}, "alpha"),
        ({"alpha": "0.01"}, "alpha"),
        ({"fail-on": "better"}, "fail-on: 'better' is not any or worse"),
        ({"minimum-effect": {"jvm.*": "much"}}, "minimum-effect"),
        ({"minimum-effect": {"jvm.*": "-5%"}}, "minimum-effect"),
        ({"minimum-effect": {"jvm.*": "nan"}}, "minimum-effect"),
        ({"minimum-effect": "5%"}, "a mapping from shell patterns"),
    ],
)
def test_wrong_settings_are_refused_with_what_would_be_right(judge, fault):
    with pytest.raises(UsageError) as caught:
        settings_from(judge)
    assert fault in caught.value.message
