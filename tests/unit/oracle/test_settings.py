import json

import pytest

from buto.errors import UsageError
from buto.oracle import DEFAULT, PRESETS, SUSTAINED, THESIS, settings_from


def test_nothing_said_gives_the_default():
    assert settings_from({}) == DEFAULT == SUSTAINED


def test_a_preset_with_departures():
    settings = settings_from({"preset": "thesis", "window": 5, "deviations": 4, "outside-share": 0.1})
    assert settings.preset == "thesis"
    assert (settings.pipeline.window, settings.pipeline.deviations) == (5, 4)
    assert settings.outside_share == 0.1
    assert settings.pipeline.average == THESIS.pipeline.average


def test_metadata_patterns_replace_those_of_the_preset():
    settings = settings_from({"metadata-ignored": ["a*"], "metadata-deciding": []})
    assert settings.metadata.ignored == ("a*",)
    assert not settings.metadata.is_deciding("jvm.vm.version")


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_settings_survive_the_way_through_a_file(preset):
    assert settings_from(json.loads(json.dumps(preset.to_data()))) == preset


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ({"windows": 9}, "unknown key 'windows'"),
        ({"preset": "strict"}, "preset: 'strict' is not sustained or thesis"),
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
        ({"detector": "magic"}, "detector: 'magic' is not bounds"),
    ],
)
def test_wrong_settings_are_refused_with_what_would_be_right(judge, said):
    with pytest.raises(UsageError) as caught:
        settings_from(judge)
    assert said in caught.value.message
