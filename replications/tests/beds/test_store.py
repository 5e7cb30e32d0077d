"""The small store without JVMs: its versions, its plan, what is kept of a run, and the comparison."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
import yaml

from beds.artefacts import BedError
from beds.store import __main__ as commands
from beds.store.configuration import Place, Ports, configuration
from beds.store.generate import generate
from beds.store.plan import Item, missing, plan, planned_minutes
from beds.store.prepare import SOURCES, Store
from beds.store.recording import index_of
from beds.store.traces import measured_requests
from beds.store.versions import FIXED, LOADS, OLD, SERIES, VERSIONS, WARM_UP_S
from buto.errors import BadFileError
from buto_predict.traces.files import read_otlp
from buto_replications.store.recorded import unpacked
from replications.tests.support.store import HOME, ORDER, SEARCH, write_recording

MAIN, NEAR = SERIES["main"], SERIES["near"]
STORE = Store(Path("jars"), Path("programs"), Path("template"), Path("junit.jar"))


def test_every_changed_component_can_be_slowed_down_and_benchmarked():
    slow, benchmarked = set(), set()
    for path in (SOURCES / "src").rglob("*.java"):
        slow |= set(re.findall(r'Slowdown\.of\("([\w.]+)"\)', path.read_text()))
    for path in (SOURCES / "benchmarks").rglob("*Bench.java"):
        [method] = re.findall(r"@Benchmark\s+public \S+ (\w+)\(", path.read_text())
        benchmarked.add(f"{path.stem.removesuffix('Bench')}.{method}")
    assert {version.component for version in VERSIONS.values() if version.component} <= slow
    assert slow == benchmarked


def test_there_are_nine_changed_twenty_other_and_six_near_versions():
    assert (len(MAIN.changed), len(MAIN.unchanged), len(NEAR.changed), len(VERSIONS)) == (9, 20, 6, 36)
    assert {version.component for version in NEAR.changed} == {version.component for version in MAIN.changed}
    assert VERSIONS["hot-low"].options == ("-Dstore.slow=Recommender.rank:0.5",)
    assert VERSIONS["same-1"].options == OLD.options == ()


def test_a_configuration_starts_what_is_called_before_its_callers():
    version = VERSIONS["rare-low"]
    made = yaml.safe_load(configuration(Place(STORE, Path("t")), [(version, FIXED)]))
    [(name, test)] = made["tests"].items()
    assert name == "rare-low-fixed"
    assert list(test["services"]) == ["database", "catalogue", "order"]
    jvms = (test, test["services"]["catalogue"], test["services"]["order"])
    assert all("-Dstore.slow=Vouchers.discount:0.5" in jvm["command"] for jvm in jvms)
    assert test["window"]["from"] == f"load.start + {WARM_UP_S}s"


def test_the_sources_find_the_processes_of_their_own_store_alone():
    made = yaml.safe_load(configuration(Place(STORE, Path("t")), [(OLD, FIXED)]))
    [test] = made["tests"].values()
    ours = {
        "postgresql" if name == "database" else name: service for name, service in test["services"].items()
    }
    others = yaml.safe_load(configuration(Place(STORE, Path("t"), Ports(1, 2, 3, 4)), [(OLD, FIXED)]))
    theirs = others["tests"]["old-fixed"]["services"].values()
    for name, service in ours.items():
        pattern = test["sources"][name]["match"]
        assert fnmatchcase(" ".join(service["command"]), pattern)
        assert not any(fnmatchcase(" ".join(other["command"]), pattern) for other in theirs)
        assert not fnmatchcase(" ".join(test["command"]), pattern)


@pytest.mark.parametrize("name", LOADS)
def test_the_weights_of_a_load_are_the_rates_of_its_endpoints(name):
    load = LOADS[name]
    weights = {
        kind: request["weight"] for kind, request in load.settings("http://x", 1, 6, 14)["requests"].items()
    }
    shares = {HOME: weights["home"], SEARCH: weights["search"], ORDER: weights["order"] + weights["voucher"]}
    assert {endpoint: load.rate * share for endpoint, share in shares.items()} == pytest.approx(load.rates)
    assert sum(load.rates.values()) == pytest.approx(load.rate)


def test_the_plan_mixes_everything_and_takes_less_than_two_hours():
    items = plan(MAIN, seed=4)
    assert len(set(items)) == len(items) == 4 * (6 + 9 * 3) + 20 + 30 + 10
    assert planned_minutes(items) < 120
    assert planned_minutes(plan(NEAR, seed=4)) < 100
    assert plan(MAIN, seed=4) == items
    assert plan(MAIN, seed=5) != items
    old = [position for position, item in enumerate(items) if item.version == OLD.name]
    assert max(np.diff(old)) < len(items) / 4


def test_what_has_a_result_is_not_measured_again(tmp_path):
    items = plan(MAIN, seed=4)
    for item in items[::2]:
        item.result(tmp_path).parent.mkdir(exist_ok=True)
        item.result(tmp_path).touch()
    assert missing(items, tmp_path) == items[1::2]


def measured_by(done, failing):
    def measure(item, directory, place):
        done.append(item)
        if item.version in failing:
            raise BedError("no answer")
        item.result(directory).parent.mkdir(exist_ok=True)
        item.result(directory).touch()

    return measure


def test_what_fails_is_repeated_by_the_next_call(tmp_path, monkeypatch):
    items, done, said = plan(MAIN, seed=4), list[Item](), list[str]()
    place = Place(STORE, tmp_path / "current")
    monkeypatch.setattr("beds.store.generate._measure", measured_by(done, {"hot-low"}))
    failures = generate(items, tmp_path, place, said.append)
    assert [failure.item for failure in failures] == [item for item in items if item.version == "hot-low"]
    assert {failure.reason for failure in failures} == {"no answer"}
    assert yaml.safe_load((tmp_path / "buto.yaml").read_text())["tests"].keys() >= {
        "old-fixed",
        "same-1-fixed",
    }
    done.clear()
    monkeypatch.setattr("beds.store.generate._measure", measured_by(done, set()))
    assert generate(items, tmp_path, place, said.append) == []
    assert done == [failure.item for failure in failures]


def test_many_failures_in_a_row_end_it(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr("beds.store.generate._measure", measured_by(done, set(VERSIONS)))
    with pytest.raises(BedError, match="5 measurements failed in a row; the last one: no answer"):
        generate(plan(MAIN, seed=4), tmp_path, Place(STORE, tmp_path / "current"), lambda text: None)
    assert len(done) == 5


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_recording(tmp_path_factory.mktemp("store"))


def test_what_was_recorded_is_compared_with_predictions(data, capsys):
    assert commands.main(["evaluate", str(data)]) == 0
    printed = capsys.readouterr().out
    assert "1 found" in printed
    assert "4 rightly quiet" in printed
    assert "not measured: hot-low fixed, " in printed


def test_only_a_finished_recording_is_packed(data, tmp_path, capsys, monkeypatch):
    assert commands.main(["pack", str(data), str(tmp_path / "out")]) == 3
    assert f"measurements are missing in {data}; make them first" in capsys.readouterr().err
    monkeypatch.setattr(commands, "missing", lambda items, directory: [])
    assert commands.main(["pack", str(data), str(tmp_path / "out")]) == 0
    with unpacked(tmp_path / "out" / "recording.tar.xz") as (_, index):
        assert index == index_of(MAIN)


def test_the_warm_up_is_left_out(data, tmp_path):
    ids = measured_requests(data / "current", 1.0).ids
    everything = {span.trace for span in read_otlp(data / "current" / "web.json")}
    assert 0.85 < len(ids) / len(everything) < 0.97
    kept = {span.trace for span in read_otlp(next((data / "traces").glob("*.json")))}
    assert len(kept) < len(everything)
    with pytest.raises(BedError, match="no traces of requests after the warm-up of 60 s"):
        measured_requests(data / "current", 60.0)
    with pytest.raises(BadFileError, match="cannot read the traces"):
        measured_requests(tmp_path, 1.0)


def test_a_directory_without_the_old_version_says_what_is_missing(tmp_path, capsys):
    assert commands.main(["evaluate", str(tmp_path)]) == 3
    assert "a model needs traces and runs of the old version" in capsys.readouterr().err


def test_the_plan_is_shown(tmp_path, capsys):
    assert commands.main(["plan", str(tmp_path)]) == 0
    assert re.search(r"^run +152, 152 missing, 58 min in all$", capsys.readouterr().out, re.MULTILINE)


def test_ctrl_c_says_how_to_continue(tmp_path, capsys, monkeypatch):
    def interrupted(directory, index, tests):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "evaluate", interrupted)
    assert commands.main(["evaluate", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "interrupted; the same command continues\n"
