"""An oracle that a stranger has written: numbers that decide otherwise than the text says are refused."""

import json

import pytest

from buto.errors import EXIT_BAD_FILE, BadFileError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.oracle import load, save, train
from perf.fuzz.examples import rewrite, whole
from tests.support.runs.signals import program_runs

HEAP = "jvm.memory.heap.used"


@pytest.fixture(params=[CALIBRATED, THESIS], ids=lambda method_settings: method_settings.method)
def settings(request):
    return request.param


@pytest.fixture
def path(tmp_path, settings):
    path = tmp_path / "program.json"
    save(path, train(program_runs(1, 8), settings))
    return path


def block(data, name=HEAP):
    return next(prop for prop in data["model"]["properties"] if prop["name"] == name)


def refused(path, *words, thorough=False):
    with pytest.raises(BadFileError) as caught:
        load(path, thorough=thorough)
    assert caught.value.exit_code == EXIT_BAD_FILE
    for word in (str(path), *words):
        assert word in caught.value.message


def line_of(path, key):
    lines = path.read_text().splitlines()
    return 1 + next(number for number, line in enumerate(lines) if f'"{key}":' in line)


def with_numbers(path, change):
    """Change numbers and their digest, and leave the text as the reviewer has seen it."""
    text = path.read_text()
    old = json.loads(text)["checksums"]["numbers"]
    data = whole(path)
    change(data)
    rewrite(path, data)
    path.write_text(text.replace(old, json.loads(path.read_text())["checksums"]["numbers"]))


def no_properties(data):
    data["model"]["properties"] = []


def no_heap(data):
    data["model"]["properties"].remove(block(data))


@pytest.mark.parametrize(("change", "key"), [(no_properties, "jvm.cpu.time"), (no_heap, HEAP)])
@pytest.mark.parametrize("settings", [CALIBRATED], ids=["calibrated"])
def test_numbers_that_lack_what_the_text_lists(path, change, key):
    with_numbers(path, change)
    refused(path, key, f"line {line_of(path, key)}")


def test_numbers_that_lack_it_beside_said_numbers_that_lack_it_too(path):
    def change(data):
        data["said"] = [said for said in data["said"] if said["level"]["prop"]["name"] != HEAP]

    with_numbers(path, change)
    refused(path, HEAP, f"line {line_of(path, HEAP)}")


@pytest.mark.parametrize("settings", [CALIBRATED], ids=["calibrated"])
def test_runs_ten_times_as_far_apart(path):
    def change(data):
        features = block(data)["features"]
        values = features["largest"]
        features["largest"] = [value * (1 + 9 * (at % 2)) for at, value in enumerate(values)]

    with_numbers(path, change)
    refused(path, HEAP, f"line {line_of(path, HEAP)}")


@pytest.mark.parametrize("settings", [CALIBRATED], ids=["calibrated"])
def test_a_grain_that_hides_every_change_is_refused_before_a_verdict(path):
    save(path, train(program_runs(1, 16), CALIBRATED))
    assert "found from" in json.loads(path.read_text())["properties"][HEAP]
    load(path, thorough=True)
    with_numbers(path, lambda data: block(data).update(grain=1e12))
    refused(path, HEAP, thorough=True)


@pytest.mark.parametrize("settings", [CALIBRATED], ids=["calibrated"])
def test_settings_that_were_edited_change_what_is_found_and_are_not_refused(path):
    save(path, train(program_runs(1, 16), CALIBRATED))
    path.write_text(path.read_text().replace('"alpha": 0.01', '"alpha": 0.0005'))
    assert load(path, thorough=True).edits


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["properties"].pop(HEAP),
        lambda data: data["properties"].update({HEAP: "mean 1 MiB"}),
        lambda data: data["properties"].update({"jvm.never": "mean 1 MiB"}),
        lambda data: data["properties"].update({"not shown": "9 properties"}),
        lambda data: data.update(properties={}),
        lambda data: data.update(properties=7),
        lambda data: data.update(properties={HEAP: ["a list"]}),
        lambda data: data["environment"].update({"host.cores": 64}),
        lambda data: data.update(environment={}),
    ],
)
def test_a_text_that_says_something_else(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data, indent=2))
    refused(path)


def test_layout_says_nothing(path):
    path.write_text(json.dumps(json.loads(path.read_text())))
    assert load(path, thorough=True).edits == ()


def test_a_text_that_was_said_before_still_holds(path, settings):
    """A second training leaves lines that are still true; they are read again."""
    for seed in range(2, 7):
        save(path, train(program_runs(seed, 8), settings))
        assert len(load(path, thorough=True).run_ids) == 8
