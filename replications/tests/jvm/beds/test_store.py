"""The small store: three real JVMs with PostgreSQL under load, and its components by JMH and JUnit."""

import numpy as np
import pytest
import yaml

import buto
from beds.artefacts import FetchError
from beds.store.components import measure_by_jmh, measure_by_junit
from beds.store.configuration import SERVICES, Place, Ports, configuration
from beds.store.prepare import prepare
from beds.store.traces import keep_traces, measured_of, measured_requests
from beds.store.versions import VERSIONS, Load
from buto.run.model import SourceState
from buto_predict.mapping import match
from buto_predict.model import Architecture, Component, Station
from buto_predict.results.files import read_results
from buto_predict.traces.files import read_traces
from buto_predict.traces.learning import KnownFacts, learn
from buto_predict.traces.summary import summarize
from buto_replications.store.measured import read_measured, write_measured
from perf.scale.ports import free_port, free_ports

WARM_UP_S, MEASURED_S = 1.0, 5.0
LIGHT = Load("light", 6, 0.3, 0.3, 0.4, vouchers=0.5)
"""Few requests, for a busy machine; each kind is among them, for the seed is fixed."""

CALLS = {
    "web/GET /home": {"web/Sessions.customer", "web/GET catalogue/recommendations", "web/Page.render"},
    "web/GET /search": {"web/Sessions.customer", "web/GET catalogue/search", "web/Page.render"},
    "web/POST /order": {"web/Sessions.customer", "web/POST order/orders", "web/Page.render"},
    "web/GET catalogue/recommendations": {"catalogue/GET /recommendations"},
    "web/GET catalogue/search": {"catalogue/GET /search"},
    "web/POST order/orders": {"order/POST /orders"},
    "catalogue/GET /recommendations": {
        "catalogue/Products.viewedBy",
        "catalogue/Recommender.rank",
        "catalogue/Products.byId",
    },
    "catalogue/GET /search": {"catalogue/Search.find"},
    "order/POST /orders": {
        "order/GET catalogue/products",
        "order/Pricing.total",
        "order/Vouchers.discount",
        "order/Orders.place",
    },
    "order/GET catalogue/products": {"catalogue/GET /products"},
    "catalogue/GET /products": {"catalogue/Products.byId"},
    "catalogue/Products.viewedBy": {"catalogue/SELECT viewed"},
    "catalogue/Products.byId": {"catalogue/SELECT product"},
    "order/Orders.place": {"order/INSERT purchase"},
}
COMPONENTS = set(CALLS) | {name for called in CALLS.values() for name in called}


@pytest.fixture(scope="module")
def store():
    try:
        return prepare(free_port())
    except FetchError as missing:
        pytest.skip(str(missing))


def with_agents(config):
    """Sample the JVMs of both services, too."""
    document = yaml.safe_load(config)
    for test in document["tests"].values():
        for name in SERVICES:
            match = test["sources"][name]["match"]
            test["sources"][f"{name}-jvm"] = {"kind": "jvm", "match": f"*java {match}"}
    return str(yaml.safe_dump(document, sort_keys=False))


@pytest.mark.all
def test_three_processes_answer_and_their_traces_show_who_calls_whom(store, tmp_path):
    version = VERSIONS["rare-high"]
    ports = Ports(*free_ports(4))
    place = Place(store, tmp_path / "current", ports, WARM_UP_S, MEASURED_S)
    config = tmp_path / "buto.yaml"
    config.write_text(with_agents(configuration(place, [(version, LIGHT)])))
    [*_, run] = buto.record("rare-high-light", config=config)
    assert run.quality.valid
    for name in SERVICES:
        assert SourceState(f"{name}-jvm", "jvm") in run.sources
        inside, outside = run.series(f"{name}-jvm.jvm.cpu.time"), run.series(f"{name}.cpu.time")
        both = ~np.isnan(inside) & ~np.isnan(outside)
        assert inside[both][-1] > 0 and np.ptp((outside - inside)[both]) < 0.5
        assert np.nanmax(run.series(f"{name}-jvm.jvm.class.count")) > 1000
    requests = measured_requests(place.traces, WARM_UP_S)
    assert set(requests.responses_s) == {"web/GET /home", "web/GET /search", "web/POST /order"}
    path = tmp_path / "measured.json"
    write_measured(measured_of(version.name, LIGHT.name, run, requests), path)
    measured = read_measured(path)
    assert set(measured.busy) == {"web", "catalogue", "order", "postgresql"}
    # The database's processes may each have used less than the kernel counts.
    assert min(cores for process, cores in measured.busy.items() if process != "postgresql") > 0
    assert sum(measured.busy.values()) < measured.cores
    keep_traces(place.traces, requests, tmp_path / "traces.json")
    summary = summarize(read_traces([tmp_path / "traces.json"]))
    assert summary.cut == 0
    assert summary.requests == len(requests.ids)
    model = learn(summary, "store", KnownFacts())
    assert {component.name for component in model.components} == COMPONENTS
    assert {
        component.name: {call.to for call in component.calls}
        for component in model.components
        if component.calls
    } == CALLS
    assert {station.name for station in model.stations} == {
        "web",
        "catalogue",
        "order",
        "postgresql",
        "network",
    }


@pytest.mark.all
def test_components_are_measured_by_jmh_and_junit(store, tmp_path):
    version = VERSIONS["rare-high"]
    measure_by_jmh(store, version, tmp_path / "jmh.json", forks=1, benchmarks="VouchersBench")
    measure_by_junit(store, version, tmp_path, reports=1)
    measure_by_junit(store, version, tmp_path / "own", reports=1, tag="slowdown")
    [by_jmh] = read_results([tmp_path / "jmh.json"])
    assert by_jmh.name == "buto.store.order.VouchersBench.discount"
    by_junit = read_results([tmp_path / "rare-high-1.xml"])
    parts = tuple(Component(name, "host", 0.001) for name in sorted(COMPONENTS))
    results = {result.name: result for result in (by_jmh, *by_junit)}
    matched = match(results, Architecture("store", (Station("host"),), parts, ()))
    assert matched[by_jmh.name].benchmark.component == "order/Vouchers.discount"
    assert {benchmark.benchmark.component for benchmark in matched.values()} == {
        "catalogue/Recommender.rank",
        "catalogue/Search.find",
        "order/Pricing.total",
        "order/Vouchers.discount",
        "web/Page.render",
    }
