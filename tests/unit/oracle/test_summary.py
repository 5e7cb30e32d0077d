"""The text of an oracle, as a reviewer reads it: small, in the order of topics, and what changed first."""

import difflib
import json
import re
from functools import cache

import pytest

from buto.judging.judge_settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.oracle import load, save, train
from buto.run.model import run_set
from tests.support.runs.signals import Program, make_run, program_runs

MOST_BYTES, MOST_LINES = 30_000, 60


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "program.json"
    save(path, trained(1))
    return path


@cache
def trained(seed, program=None):
    """An oracle that several tests read and none changes."""
    return train(program_runs(seed, 10, program or Program()))


def said(path):
    """The line of each property."""
    return json.loads(path.read_text())["properties"]


def difference(path, change):
    """The changed lines of the text, as in a review."""
    before = path.read_text().splitlines()
    change()
    return list(difflib.unified_diff(before, path.read_text().splitlines(), lineterm=""))[2:]


def test_a_reviewer_reads_what_changed_first_and_then_each_property_as_people_ask(path):
    data = json.loads(path.read_text())
    assert list(data)[:6] == ["format", "version", "test", "changed", "checksums", "properties"]
    names = [name for name in said(path) if name != "run.duration"]
    assert names[:4] == ["jvm.cpu.time", "jvm.memory.heap.used", "jvm.thread.count", "jvm.class.count"]
    assert data["changed"] == {}
    assert "jvm.memory.heap.committed" not in names, "it is set aside by the JVM"
    assert said(path)["not shown"] == "2 properties: always zero, set aside by the JVM, or too many"


def test_a_line_says_level_spread_and_what_would_be_found(tmp_path):
    path = tmp_path / "program.json"
    save(path, trained(1))
    size = r"\d+(\.\d+)?"
    text = rf"largest {size} MiB, {size} MiB to {size} MiB; found from ±{size} MiB \({size} %\)"
    assert re.fullmatch(text, said(path)["jvm.memory.heap.used"])
    assert said(path)["jvm.cpu.time"].endswith(" s"), "of times it is not said"


def test_a_new_training_of_the_same_program_leaves_what_is_said(path):
    before = said(path)
    lines = difference(path, lambda: save(path, trained(7)))
    assert said(path) == before
    assert [line[1:15] for line in lines if line[0] in "+-"] == ['  "checksums":'] * 2


def test_a_change_is_said_first_and_in_its_own_line(path):
    before = said(path)
    lines = difference(path, lambda: save(path, trained(7, Program(threads=30))))
    added = [line.strip("+ ") for line in lines if line[0] == "+"]
    assert added[0] == '"changed": {'
    assert added[1].startswith('"jvm.thread.count": "largest 1')
    assert added[1].endswith(' threads, +30 threads (+200 %)"')
    assert [name for name, text in said(path).items() if text != before[name]] == ["jvm.thread.count"]
    changed = json.loads(path.read_text())["changed"]
    save(path, trained(8, Program(threads=30)))
    assert json.loads(path.read_text())["changed"] == changed, "until something changes again"


def test_what_moves_by_little_each_time_is_said_when_it_has_moved_by_much(path):
    """Compared is what is said, not the training before."""
    messages = []
    for step in range(1, 6):
        save(path, trained(step, Program(heap=1 + step / 32)))
        messages.append(said(path)["jvm.memory.heap.used"])
    assert 1 < len(set(messages)) < len(messages)


def test_the_line_of_a_property_that_is_new_or_gone_is_told(tmp_path):
    path = tmp_path / "program.json"
    columns = {f"mbean[a:b=c]/{name}": [float(ord(name))] * 20 for name in "abcdef"}

    def with_those(names):
        chosen = {key: column for key, column in columns.items() if key[-1] in names}
        save(path, train(run_set([make_run(number, range(20), chosen) for number in range(5)])))
        return json.loads(path.read_text())["changed"]

    with_those("ab")
    assert with_those("bcdef") == {
        "new": "mbean[a:b=c]/c, mbean[a:b=c]/d, mbean[a:b=c]/e and 1 more",
        "gone": "mbean[a:b=c]/a",
    }


@pytest.mark.parametrize("settings", [CALIBRATED, THESIS], ids=lambda settings: settings.method)
def test_of_very_many_properties_the_text_has_what_people_ask_for(tmp_path, settings):
    names = [f"mbean[shop:type=Cache,name=number-{number:04}]/Entries" for number in range(1500)]
    columns = {name: [float(number)] * 20 for number, name in enumerate(names)}
    runs = [make_run(number, range(20), {**columns, "jvm.thread.count": [7.0] * 20}) for number in range(5)]
    path = tmp_path / "many.json"
    save(path, train(run_set(runs), settings))
    assert MOST_BYTES - 4000 < path.stat().st_size < MOST_BYTES
    shown = said(path)
    assert shown["jvm.thread.count"].startswith(("mean 7 threads", "largest 7 threads"))
    n_left = len(list(load(path).fitted.levels())) - len(shown) + 1
    assert shown["not shown"].startswith(f"{n_left:,} properties: ")
    assert load(path).test == "synthetic"
