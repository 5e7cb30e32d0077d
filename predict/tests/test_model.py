"""The model of an architecture as a file, and components of one call graph found in another."""

import time

import jsonschema
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from buto import schemas
from buto.errors import BadFileError, ConfigError, JudgeError
from buto.run.units import parse_rate, parse_seconds
from buto_predict.config import architecture_text, load_architecture
from buto_predict.mapping import How, map_graphs
from buto_predict.model import (
    Architecture,
    Benchmark,
    Call,
    Component,
    Discipline,
    Endpoint,
    Measures,
    Station,
)

TEXT = """\
version: 1
stations:
  web: {servers: 2}
  disk: {discipline: fifo}
  net:
components:
  A: {station: web, self: 4ms, cv: 0.5, samples: 100, calls: {B: 2.5, C: {times: 1, parallel: true}}}
  B: {station: disk, self: 250us}
  C: {station: net, self: 0}
endpoints:
  GET /a: {load: 600/min, cv: 0.8, calls: {A: 1}}
  POST /b: {calls: {B: 1}}
benchmarks:
  com.acme.FirstBench: A
  com.acme.OtherBench: {component: B, measures: self}
"""


def load(tmp_path, text):
    path = tmp_path / "shop.yaml"
    path.write_text(text)
    return load_architecture(path)


def test_a_model_is_read(tmp_path):
    assert load(tmp_path, TEXT) == Architecture(
        "shop",
        (Station("web", 2), Station("disk", 1, Discipline.FIFO), Station("net")),
        (
            Component("A", "web", 0.004, (Call("B", 2.5), Call("C", 1.0, parallel=True)), 0.5, 100),
            Component("B", "disk", pytest.approx(0.00025)),
            Component("C", "net", 0.0),
        ),
        (Endpoint("GET /a", (Call("A", 1.0),), 10.0, 0.8), Endpoint("POST /b", (Call("B", 1.0),), 0.0)),
        {"com.acme.FirstBench": Benchmark("A"), "com.acme.OtherBench": Benchmark("B", Measures.SELF)},
    )


def test_one_long_pause_among_many_short_calls_is_a_variation_that_is_read(tmp_path):
    made = load(tmp_path, TEXT.replace("cv: 0.5,", "cv: 99.9,"))
    assert made.components[0].cv == 99.9


def test_what_is_written_is_read_again(tmp_path):
    made = load(tmp_path, TEXT)
    assert load(tmp_path, architecture_text(made)) == made
    jsonschema.validate(yaml.safe_load(architecture_text(made)), schemas.load("architecture"))


@pytest.mark.parametrize("name", ["1e3", "010", "yes", "12:30", "null", "-.5", "<<", "a: b", "#"])
def test_a_name_like_a_number_is_written_as_a_text(tmp_path, name):
    components = (Component(name, name, 0.001),)
    made = Architecture(name, (Station(name),), components, (Endpoint(name, (Call(name, 1.0),), 1.0),))
    assert load(tmp_path, architecture_text(made)) == made


def test_a_model_that_is_too_large_to_be_read_is_not_written():
    components = tuple(Component(f"{'x' * 400}{k}", "s", 0.001) for k in range(3000))
    endpoint = Endpoint("e", (Call(components[0].name, 1.0),), 1.0)
    made = Architecture("x", (Station("s"),), components, (endpoint,))
    with pytest.raises(JudgeError, match="a model with 3,000 components cannot be read again: .*1024 KiB"):
        architecture_text(made)


def test_a_number_of_servers_may_have_a_point(tmp_path):
    servers = load(tmp_path, TEXT.replace("servers: 2", "servers: 2.0")).stations[0].servers
    assert (servers, type(servers)) == (2, int)


@given(st.floats(0, 1e9), st.floats(0, 10), st.integers(1, 10**6), st.floats(0, 1e9))
def test_numbers_keep_six_digits(self_s, cv, samples, rate):
    component = Component("c", "s", self_s, cv=cv, n_samples=samples)
    made = Architecture("x", (Station("s"),), (component,), (Endpoint("e", (Call("c", 1.0),), rate),))
    whole = yaml.safe_load(architecture_text(made))
    jsonschema.validate(whole, schemas.load("architecture"))
    data = whole["components"]["c"]
    assert parse_seconds(str(data["self"])) == pytest.approx(self_s, rel=1e-5)
    assert parse_rate(str(whole["endpoints"]["e"]["load"])) == pytest.approx(rate, rel=1e-5)
    assert float(data["cv"]) == pytest.approx(cv, rel=1e-5)
    assert data["samples"] == samples


def test_times_and_loads_are_written_with_their_units():
    made = Architecture(
        "x",
        (Station("s"),),
        tuple(
            Component(f"c{n}", "s", number)
            for n, number in enumerate((0.0, 2.5e-7, 0.00025, 0.00128931, 12.0))
        ),
        tuple(Endpoint(f"e{n}", (Call("c1", 1.0),), rate) for n, rate in enumerate((31.6, 0.25, 0.0))),
    )
    data = yaml.safe_load(architecture_text(made))
    assert [component["self"] for component in data["components"].values()] == [
        0,
        "250ns",
        "250us",
        "1.28931ms",
        "12s",
    ]
    assert [endpoint["load"] for endpoint in data["endpoints"].values()] == ["31.6/s", "0.25/s", 0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("calls: {A: 1}", "calls: {Z: 1}", r"shop.yaml:11:\d+: unknown component 'Z'; known are A, B, C"),
        (
            "station: disk",
            "station: disc",
            r"shop.yaml:8:\d+: unknown station 'disc'; known are web, disk, net",
        ),
        ("FirstBench: A", "FirstBench: Q", "unknown component 'Q'"),
        ("component: B,", "component: Q,", "unknown component 'Q'"),
        ("self: 4ms", "self: quick", 'components.A.self: found "quick", expected a duration'),
        ("self: 4ms", "self: -1", "components.A.self: found -1, expected a duration"),
        ("servers: 2", "servers: 0", "stations.web.servers: found 0, expected a number of servers"),
        ("600/min", "600/day", "expected a rate"),
        ("fifo", "lifo", 'found "lifo", expected'),
        ("B: 2.5", "B: 0", "expected a mean number of calls"),
        ("version: 1", "version: 2", "expected 1"),
        ("cv: 0.8, ", "cvv: 0.8, ", "unknown key 'cvv' in endpoints.GET /a; did you mean 'cv'"),
    ],
)
def test_faults_are_reported_with_their_places(tmp_path, old, new, message):
    assert TEXT.count(old) == 1
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, TEXT.replace(old, new))


def test_every_unknown_name_is_reported_at_once(tmp_path):
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, TEXT.replace("B: 2.5", "Y: 2.5").replace("calls: {B: 1}", "calls: {X: 1}"))
    assert len(raised.value.message.splitlines()) == 2


def test_a_missing_and_an_empty_file_are_refused(tmp_path):
    with pytest.raises(BadFileError, match="cannot read the model|does not exist|nothing.yaml"):
        load_architecture(tmp_path / "nothing.yaml")
    with pytest.raises(ConfigError, match="the model is empty"):
        load(tmp_path, "")


SHOP = {
    "shop.Shop.get": {"shop.Order.place": 1.0, "shop.Cart.show": 2.0},
    "shop.Order.place": {"shop.Price.total": 2.0, "shop.Stock.take": 1.0},
    "shop.Cart.show": {"shop.Price.total": 1.0},
}


def renamed(names):
    return {
        names.get(caller, caller): {names.get(callee, callee): times for callee, times in callees.items()}
        for caller, callees in SHOP.items()
    }


def pairs(names):
    found = map_graphs(SHOP, renamed(names))
    return {pair.old: (pair.new, pair.how) for pair in found.pairs if pair.how is not How.NAME}


def test_names_come_first():
    found = map_graphs(SHOP, SHOP)
    assert {pair.how for pair in found.pairs} == {How.NAME}
    assert (len(found.pairs), found.only_old, found.only_new) == (5, (), ())


def test_a_method_that_moved_is_found_by_its_last_words():
    moved = {"shop.Price.total": "shop.pricing.Price.total"}
    assert pairs(moved) == {"shop.Price.total": ("shop.pricing.Price.total", How.MOVED)}


def test_a_renamed_component_is_found_by_its_callers_and_callees():
    assert pairs({"shop.Order.place": "shop.Order2.submit"}) == {
        "shop.Order.place": ("shop.Order2.submit", How.RENAMED)
    }


def test_neighbours_that_were_both_renamed_are_found():
    found = pairs({"shop.Order.place": "x.Y.z", "shop.Stock.take": "u.V.w"})
    assert found == {"shop.Order.place": ("x.Y.z", How.RENAMED), "shop.Stock.take": ("u.V.w", How.RENAMED)}


def test_twins_are_not_guessed():
    """Two new components with the same caller may each be the old one."""
    old = {"a": {"b": 1.0}}
    found = map_graphs(old, {"a": {"x": 1.0, "y": 1.0}})
    assert (found.only_old, set(found.only_new)) == (("b",), {"x", "y"})


def test_what_has_no_counterpart_is_listed():
    found = map_graphs({**SHOP, "t.T1.test": {}}, {**SHOP, "n.New.one": {"n.New.two": 1.0}})
    assert found.only_old == ("t.T1.test",)
    assert set(found.only_new) == {"n.New.one", "n.New.two"}


@given(st.sets(st.sampled_from(sorted(SHOP))), st.integers(0, 5))
def test_nothing_is_used_twice_and_nothing_is_lost(dropped, added):
    new = {caller: callees for caller, callees in SHOP.items() if caller not in dropped}
    new |= {f"new{number}": {"shop.Price.total": 1.0} for number in range(added)}
    found = map_graphs(SHOP, new)
    olds, news = [pair.old for pair in found.pairs], [pair.new for pair in found.pairs]
    assert len(set(olds)) == len(olds)
    assert len(set(news)) == len(news)
    everything = {name for graph in (SHOP,) for name in [*graph, *(c for cs in graph.values() for c in cs)]}
    assert set(olds) | set(found.only_old) == everything


def test_a_thousand_components_take_less_than_a_second():
    rng = np.random.default_rng(2)
    old = {f"p.C{k}.m{k}": {f"p.C{j}.m{j}": 1.0 for j in rng.integers(0, 1000, 4)} for k in range(1000)}
    names = {f"p.C{k}.m{k}": f"q.D{k}.n{k}" for k in rng.choice(1000, 20, replace=False)}
    new = {
        names.get(caller, caller): {names.get(callee, callee): 1.0 for callee in callees}
        for caller, callees in old.items()
    }
    began = time.process_time()
    found = map_graphs(old, new)
    assert time.process_time() - began < 1
    assert sum(names.get(pair.old) == pair.new for pair in found.pairs) >= 18
