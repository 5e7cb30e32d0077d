"""Models learned from traces, and from what is known of the system besides."""

import numpy as np
import pytest

from buto.errors import UsageError
from buto_predict.model import Discipline
from buto_predict.network import network_of
from buto_predict.traces.files import read_otlp
from buto_predict.traces.fit import FittedNumber, errors_of
from buto_predict.traces.learning import KnownFacts, learn, without_utilisation
from buto_predict.traces.summary import summarize
from buto_predict.traces.tree import SpanKind
from predict.tests.support.traces import request, span, write_otlp


def traced(rate=20.0, requests=201):
    return summarize(recorded_span for k in range(requests) for recorded_span in request(f"t{k}", k / rate))


def test_a_model_has_calls_times_and_loads():
    made = learn(traced(), "shop", KnownFacts({"web": 2}))
    assert [(station.name, station.servers) for station in made.stations] == [("db", 1), ("web", 2)]
    order = made.components[made.component_index["web/order"]]
    assert {call.to: call.times for call in order.calls} == {"web/price": 2.0, "db/select": 1.0}
    assert (order.self_s, order.station) == (pytest.approx(0.002), "web")
    assert order.n_samples == 201
    (endpoint,) = made.endpoints
    assert (endpoint.name, endpoint.rate) == ("web/GET", pytest.approx(20.0))
    network = network_of(made)
    assert network.demands(made.self_s)[0] == pytest.approx([0.002, 0.008])


def test_the_utilisation_law_sets_the_demands():
    """Half of the wall-clock time on the web was waiting."""
    made = learn(traced(), "shop", KnownFacts({"web": 2}, {"web": 0.04}))
    network = network_of(made)
    assert network.utilisations(made.self_s, made.rates) == pytest.approx([0.04, 0.04])
    assert network.demands(made.self_s)[0] == pytest.approx([0.002, 0.004])
    assert made.components[made.component_index["web/order"]].self_s == pytest.approx(0.001)


def test_only_some_requests_may_be_traced():
    made = learn(traced(), "shop", KnownFacts(load=2000.0))
    assert made.endpoints[0].rate == pytest.approx(2000.0)


def test_unknown_stations_and_unknown_loads_are_refused():
    with pytest.raises(UsageError, match="--servers must name a station of the traces, got wbe"):
        learn(traced(), "shop", KnownFacts({"wbe": 2}))
    with pytest.raises(UsageError, match="the load is unknown: all requests came at the same time"):
        learn(traced(requests=1), "shop", KnownFacts())


def test_clients_wait_for_the_network_or_for_whom_they_name():
    def client(id, parent, service, start_s):
        made = span(f"call{id}", start_s, start_s + 0.004, id=id, parent=parent, kind=SpanKind.CLIENT)
        return made._replace(service=service)

    spans = [
        span("GET", 0.0, 0.020, id="1"),
        client("2", "1", "", 0.001),
        span("POST", 0.002, 0.004, id="3", parent="2", service="pay"),
        client("4", "1", "postgresql", 0.010),
    ]
    many = [
        recorded_span._replace(trace=str(k), start_s=recorded_span.start_s + k, end_s=recorded_span.end_s + k)
        for k in range(5)
        for recorded_span in spans
    ]
    made = learn(summarize(many), "shop", KnownFacts())
    assert {component.name: component.station for component in made.components} == {
        "web/GET": "web",
        "web/call2": "network",
        "pay/POST": "pay",
        "web/call4": "postgresql",
    }
    disciplines = {station.name: station.discipline for station in made.stations}
    assert disciplines["network"] is Discipline.DELAY
    assert disciplines["postgresql"] is Discipline.PROCESSOR_SHARING


def queued(rate, demand_s, count, seed):
    """Requests of one processor that is shared, as a simulation independent of ours gives them: M/M/1-PS."""
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / rate, count))
    left = {}
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


def test_a_model_learned_at_one_load_predicts_another():
    made = learn(summarize(queued(30.0, 0.01, 6000, 1)), "shop", KnownFacts(utilisations={"web": 0.3}))
    other = summarize(queued(60.0, 0.01, 12_000, 2))
    (response,), (busy,) = errors_of(made, other, KnownFacts(utilisations={"web": 0.6}))
    assert abs(response.error) < 0.1
    assert abs(busy.error) < 0.05


def test_without_utilisation_waiting_is_counted_twice():
    """What the page says of it: the learned demand holds the waiting of the traces."""
    summary = summarize(queued(60.0, 0.01, 8000, 1))
    (response,), _ = errors_of(learn(summary, "shop", KnownFacts()), summary, KnownFacts())
    assert response.predicted == np.inf
    assert response.error == np.inf


def test_endpoints_that_the_model_lacks_are_named(tmp_path):
    made = learn(traced(), "shop", KnownFacts())
    other = summarize(
        [*request("a", 0.0), span("PUT", 0, 1, id="1", trace="b"), span("PUT", 2, 3, id="1", trace="c")]
    )
    with pytest.raises(UsageError, match="must be endpoints of the model, got web/PUT"):
        errors_of(made, other, KnownFacts())


def test_a_utilisation_of_no_station_of_the_model_is_refused():
    made = learn(traced(), "shop", KnownFacts())
    with pytest.raises(UsageError, match="must be of a station of the model, got wbe"):
        errors_of(made, traced(), KnownFacts(utilisations={"wbe": 0.9}))


def test_a_measured_number_of_nothing_is_no_small_error():
    assert FittedNumber("web", 0.3, 0.0).error == np.inf
    assert FittedNumber("web", 0.0, 0.0).error == 0


RATE = 20.0


def timed(name, start_ms, end_ms, cpu_ms, **place):
    kind = SpanKind.CLIENT if name.startswith("call") else SpanKind.LOCAL
    made = span(name, start_ms / 1000, end_ms / 1000, kind=kind, **place)
    return (
        made._replace(service="", cpu_s=cpu_ms / 1000)
        if kind is SpanKind.CLIENT
        else made._replace(cpu_s=cpu_ms / 1000)
    )


def timed_request():
    """20 ms; processor time: 4 + 1 ms on the web, 1 ms of its client, 3 ms behind that."""
    return [
        timed("GET", 0, 20, 6, id="1"),
        timed("page", 1, 4, 1, id="2", parent="1"),
        timed("call", 5, 15, 1, id="3", parent="1"),
        timed("find", 8, 13, 3, id="4", parent="3", service="stock"),
    ]


def traced_processors(requests=201):
    return summarize(
        recorded_span._replace(
            trace=str(k), start_s=recorded_span.start_s + k / RATE, end_s=recorded_span.end_s + k / RATE
        )
        for k in range(requests)
        for recorded_span in timed_request()
    )


def self_ms(made):
    return {component.name: round(1000 * component.self_s, 6) for component in made.components}


def test_self_times_are_processor_times_where_they_were_recorded():
    made = learn(traced_processors(), "shop", KnownFacts())
    assert self_ms(made) == {"web/GET": 4, "web/page": 1, "web/call": 5, "stock/find": 3}


def test_processor_times_of_parallel_calls_belong_to_other_threads():
    spans = [
        timed("GET", 0, 20, 6, id="1"),
        timed("one", 1, 9, 7, id="2", parent="1"),
        timed("two", 1, 9, 7, id="3", parent="1"),
    ]
    found = summarize(spans)
    assert {name: round(1000 * moments.mean, 6) for name, moments in found.self_s.items()} == {
        "web/GET": 6,
        "web/one": 7,
        "web/two": 7,
    }


@pytest.mark.parametrize("begin", [9, 12])
def test_processor_time_of_a_call_that_outlasts_its_caller_is_of_another_thread(begin):
    found = summarize([timed("GET", 0, 10, 8, id="1"), timed("later", begin, 20, 6, id="2", parent="1")])
    assert {name: round(1000 * moments.mean, 6) for name, moments in found.self_s.items()} == {
        "web/GET": 8,
        "web/later": 6,
    }


def test_time_outside_of_spans_is_a_component_of_its_own_and_responses_are_those_of_the_traces():
    """The web used 2 ms more of each request than its spans; its components keep their times."""
    made = learn(traced_processors(), "shop", KnownFacts({"web": 2}, {"web": RATE * 0.007 / 2}))
    network = network_of(made)
    assert {name: self_ms(made)[name] for name in ("web/GET", "web/page", "web/untraced")} == {
        "web/GET": 4,
        "web/page": 1,
        "web/untraced": 2,
    }
    busy = dict(
        zip(
            (station.name for station in made.stations),
            network.utilisations(made.self_s, made.rates),
            strict=True,
        )
    )
    assert busy["web"] == pytest.approx(RATE * 0.007 / 2)
    assert network.mean_responses(made.self_s, made.rates) == pytest.approx([0.020])


def test_spans_that_took_more_than_the_station_was_busy_are_scaled():
    made = learn(traced_processors(), "shop", KnownFacts(utilisations={"web": RATE * 0.0025}))
    assert self_ms(made)["web/GET"] == 2
    assert self_ms(made)["web/page"] == 0.5


def test_services_of_one_machine_share_its_servers():
    known = KnownFacts({"cores": 2}, shared={"cores": ("web", "stock")})
    made = learn(traced_processors(), "shop", known)
    assert [(station.name, station.servers) for station in made.stations] == [("cores", 2), ("network", 1)]
    network = network_of(made)
    assert network.utilisations(made.self_s, made.rates)[0] == pytest.approx(RATE * 0.008 / 2)


@pytest.mark.parametrize(
    ("shared", "message"),
    [
        ({"cores": ("web", "stok")}, "--share must name a station of the traces, got stok"),
        ({"a": ("web",), "b": ("web",)}, "a station must be shared once, got web more often"),
        ({"stock": ("web",)}, "must give a new name, or that of a station it joins, got stock"),
    ],
)
def test_stations_that_cannot_be_shared_are_named(shared, message):
    with pytest.raises(UsageError, match=message):
        learn(traced_processors(), "shop", KnownFacts(shared=shared))


@pytest.mark.parametrize(
    ("known", "message", "advice"),
    [
        (
            KnownFacts({"web": 4}, shared={"cores": ("web", "stock")}),
            "web is part of cores, whose servers it uses",
            "--servers cores=4",
        ),
        (
            KnownFacts(utilisations={"cores": 0.4}, shared={"cores": ("web", "stock")}),
            "cores is shared: a utilisation must be of one of its services, web, stock",
            "--utilisation web=0.7 (the number of servers that it kept busy)",
        ),
    ],
)
def test_what_is_said_of_a_shared_station_and_its_services_must_be_theirs(known, message, advice):
    with pytest.raises(UsageError, match=message) as raised:
        learn(traced_processors(), "shop", known)
    assert raised.value.advice == advice


def test_a_station_that_others_join_has_servers_and_a_utilisation():
    made = learn(
        traced_processors(), "shop", KnownFacts({"web": 4}, {"web": 0.02}, shared={"web": ("web", "stock")})
    )
    assert [(station.name, station.servers) for station in made.stations] == [("network", 1), ("web", 4)]


def test_only_wall_clock_times_include_waiting():
    slow = span("select", 0.001, 0.002, id="9", parent="2", kind=SpanKind.CLIENT)._replace(
        service="postgresql"
    )
    assert without_utilisation(traced_processors(), KnownFacts()) == []
    assert without_utilisation(summarize([*timed_request(), slow]), KnownFacts()) == ["postgresql"]
    assert (
        without_utilisation(summarize([*timed_request(), slow]), KnownFacts(utilisations={"postgresql": 0.1}))
        == []
    )


def test_a_saturated_model_keeps_its_delays():
    made = learn(traced_processors(), "shop", KnownFacts(utilisations={"web": 1.5}))
    assert self_ms(made)["web/call"] == 5
    assert np.isinf(network_of(made).mean_responses(made.self_s, made.rates)).all()


def test_processor_times_are_read_from_otlp(tmp_path):
    spans = [timed("GET", 0, 20, 2.5, id="1"), span("page", 0, 1, id="2", parent="1")]
    path = write_otlp(tmp_path / "traces.json", [spans])
    assert [found.cpu_s for found in read_otlp(path)] == [0.0025, None]
