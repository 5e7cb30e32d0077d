"""Models from traces, and how well they predict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from buto.errors import UsageError
from buto_predict.model import Discipline
from buto_predict.network import network_of
from buto_predict.traces.fit import Compared, errors_of
from buto_predict.traces.learning import Known, learn
from buto_predict.traces.summary import Summary, summarize
from buto_predict.traces.tree import Kind, Span
from predict.tests.support.traces import request, span


def traced(rate: float = 20.0, requests: int = 201) -> Summary:
    return summarize(one for k in range(requests) for one in request(f"t{k}", k / rate))


def test_a_model_has_calls_times_and_loads() -> None:
    made = learn(traced(), "shop", Known({"web": 2}))
    assert [(one.name, one.servers) for one in made.stations] == [("db", 1), ("web", 2)]
    order = made.components[made.component_index["web/order"]]
    assert {call.to: call.times for call in order.calls} == {"web/price": 2.0, "db/select": 1.0}
    assert (order.self_s, order.station) == (pytest.approx(0.002), "web")
    assert order.n_samples == 201
    (endpoint,) = made.endpoints
    assert (endpoint.name, endpoint.rate) == ("web/GET", pytest.approx(20.0))
    network = network_of(made)
    assert network.demands(made.self_s)[0] == pytest.approx([0.002, 0.008])


def test_the_utilisation_law_sets_the_demands() -> None:
    """Half of the wall-clock time on the web was waiting."""
    made = learn(traced(), "shop", Known({"web": 2}, {"web": 0.04}))
    network = network_of(made)
    assert network.utilisations(made.self_s, made.rates) == pytest.approx([0.04, 0.04])
    assert network.demands(made.self_s)[0] == pytest.approx([0.002, 0.004])
    assert made.components[made.component_index["web/order"]].self_s == pytest.approx(0.001)


def test_only_some_requests_may_be_traced() -> None:
    made = learn(traced(), "shop", Known(load=2000.0))
    assert made.endpoints[0].rate == pytest.approx(2000.0)


def test_unknown_stations_and_unknown_loads_are_refused() -> None:
    with pytest.raises(UsageError, match="--servers must name a station of the traces, got wbe"):
        learn(traced(), "shop", Known({"wbe": 2}))
    with pytest.raises(UsageError, match="the load is unknown: all requests came at the same time"):
        learn(traced(requests=1), "shop", Known())


def test_clients_wait_for_the_network_or_for_whom_they_name() -> None:
    def client(id: str, parent: str, service: str, start_s: float) -> Span:
        made = span(f"call{id}", start_s, start_s + 0.004, id=id, parent=parent, kind=Kind.CLIENT)
        return made._replace(service=service)

    spans = [
        span("GET", 0.0, 0.020, id="1"),
        client("2", "1", "", 0.001),
        span("POST", 0.002, 0.004, id="3", parent="2", service="pay"),
        client("4", "1", "postgresql", 0.010),
    ]
    many = [
        one._replace(trace=str(k), start_s=one.start_s + k, end_s=one.end_s + k)
        for k in range(5)
        for one in spans
    ]
    made = learn(summarize(many), "shop", Known())
    assert {one.name: one.station for one in made.components} == {
        "web/GET": "web",
        "web/call2": "network",
        "pay/POST": "pay",
        "web/call4": "postgresql",
    }
    disciplines = {one.name: one.discipline for one in made.stations}
    assert disciplines["network"] is Discipline.DELAY
    assert disciplines["postgresql"] is Discipline.PROCESSOR_SHARING


def queued(rate: float, demand_s: float, count: int, seed: int) -> list[Span]:
    """Requests of one processor that is shared, as a simulation independent of ours gives them: M/M/1-PS."""
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / rate, count))
    left: dict[int, float] = {}
    ends = np.zeros(count)
    now, following = 0.0, 0
    while following < count or left:
        soonest = min(left.values()) * len(left) if left else np.inf
        until = arrivals[following] - now if following < count else np.inf
        step = min(soonest, until)
        for number in left:
            left[number] -= step / len(left)
        now += step
        if step == until:
            left[following] = rng.exponential(demand_s)
            following += 1
        else:
            done = min(left, key=left.__getitem__)
            ends[done] = now
            del left[done]
    return [span("GET", arrivals[k], ends[k], id="1", trace=str(k)) for k in range(count)]


def test_a_model_learned_at_one_load_predicts_another() -> None:
    made = learn(summarize(queued(30.0, 0.01, 6000, 1)), "shop", Known(utilisations={"web": 0.3}))
    other = summarize(queued(60.0, 0.01, 12_000, 2))
    (response,), (busy,) = errors_of(made, other, Known(utilisations={"web": 0.6}))
    assert abs(response.error) < 0.1
    assert abs(busy.error) < 0.05


def test_without_utilisation_waiting_is_counted_twice() -> None:
    """What the page says of it: the learned demand holds the waiting of the traces."""
    summary = summarize(queued(60.0, 0.01, 8000, 1))
    (response,), _ = errors_of(learn(summary, "shop", Known()), summary, Known())
    assert response.predicted == np.inf
    assert response.error == np.inf


def test_endpoints_that_the_model_lacks_are_named(tmp_path: Path) -> None:
    made = learn(traced(), "shop", Known())
    other = summarize(
        [*request("a", 0.0), span("PUT", 0, 1, id="1", trace="b"), span("PUT", 2, 3, id="1", trace="c")]
    )
    with pytest.raises(UsageError, match="must be endpoints of the model, got web/PUT"):
        errors_of(made, other, Known())


def test_a_utilisation_of_no_station_of_the_model_is_refused() -> None:
    made = learn(traced(), "shop", Known())
    with pytest.raises(UsageError, match="must be of a station of the model, got wbe"):
        errors_of(made, traced(), Known(utilisations={"wbe": 0.9}))


def test_a_measured_number_of_nothing_is_no_small_error() -> None:
    assert Compared("web", 0.3, 0.0).error == np.inf
    assert Compared("web", 0.0, 0.0).error == 0
