"""Calls of other services, and whether a model predicts the traces that it was learned from."""

import numpy as np
import pytest

from buto_predict.config import architecture_text, load_architecture
from buto_predict.mapping import match
from buto_predict.model import Architecture, Component, Station
from buto_predict.report.text import misfit_text, summary_lines, varied_text, waiting_text
from buto_predict.traces.files import read_otlp
from buto_predict.traces.fit import MisfitCause, misfits, varied
from buto_predict.traces.learning import KnownFacts, learn
from buto_predict.traces.summary import summarize
from buto_predict.traces.tree import SpanKind
from predict.tests.support.systems import result
from predict.tests.support.traces import span, write_otlp


def client(name, start_ms, end_ms, *, peer, **place):
    made = span(name, start_ms / 1000, end_ms / 1000, kind=SpanKind.CLIENT, **place)
    return made._replace(service=peer)


def local(name, start_ms, end_ms, **place):
    return span(name, start_ms / 1000, end_ms / 1000, **place)


def called(name, callee="POST /policies", service="quotes"):
    """A request whose client takes 8 ms, 2 of them itself; the callee reads a database for 1 ms."""
    return [
        local("POST /api", 0, 10, id="1"),
        client(name, 1, 9, id="2", parent="1", peer="quotes"),
        local(callee, 2, 8, id="3", parent="2", service=service),
        client("select", 4, 5, id="4", parent="3", service=service, peer="postgresql"),
    ]


def self_ms(summary):
    return {name: round(1000 * moments.mean, 6) for name, moments in summary.self_s.items()}


@pytest.mark.parametrize("name", ["POST", "GET", "HTTP POST", "HTTP"])
def test_a_client_that_is_named_by_its_method_alone_is_named_with_its_callee(name):
    found = summarize(called(name))
    assert self_ms(found) == {
        "web/POST /api": 2,
        f"web/{name} [quotes/POST /policies]": 2,
        "quotes/POST /policies": 5,
        "quotes/select": 1,
    }
    assert found.calls_of("web/POST /api") == {f"web/{name} [quotes/POST /policies]": 1}


@pytest.mark.parametrize("name", ["POST /policies", "GET catalogue/items", "Pay.post", "policies publish"])
def test_a_client_whose_name_tells_more_keeps_it(name):
    assert f"web/{name}" in summarize(called(name)).self_s


def test_a_client_without_a_callee_in_another_service_keeps_its_name():
    assert "web/POST" in summarize(called("POST")[:2]).self_s
    assert "web/POST" in summarize(called("POST", service="web")).self_s


def test_a_client_of_a_client_is_named_by_what_both_call():
    inner = local("GET /items", 4, 5, id="5", parent="4", service="stock")
    spans = [*called("POST"), inner]
    spans[2:4] = [
        client("GET", 2, 8, id="3", parent="2", service="proxy", peer="proxy"),
        local("GET /items", 3, 7, id="4", parent="3", service="stock"),
    ]
    assert "web/POST [proxy/GET [stock/GET /items]]" in summarize(spans).self_s


def test_names_of_clients_fit_into_a_model_and_are_no_names_of_tests(tmp_path):
    spans = called("POST", f"POST /{'long' * 120}")
    many = [
        recorded_span._replace(
            trace=f"t{k}", start_s=recorded_span.start_s + k, end_s=recorded_span.end_s + k
        )
        for k in range(3)
        for recorded_span in (spans if k else called("POST"))
    ]
    path = tmp_path / "shop.yaml"
    made = learn(summarize(many), "shop", KnownFacts())
    path.write_text(architecture_text(made))
    names = [component.name for component in load_architecture(path).components]
    assert names == [component.name for component in made.components]
    assert max(map(len, names)) == 500
    model = Architecture("x", (Station("a"),), tuple(Component(name, "a", 1.0) for name in names), ())
    benchmarks = [
        result(name, 1.0) for name in ("PostBench.policies", "WebBench.post", "QuotesBench.policies")
    ]
    found = match({benchmark.name: benchmark for benchmark in benchmarks}, model)
    assert {name: test_result.benchmark.component for name, test_result in found.items()} == {
        "PostBench.policies": "quotes/POST /policies"
    }


@pytest.mark.parametrize("skew_ms", [0, 5, -5, 250])
def test_the_clock_of_a_callee_is_set_right_though_the_client_names_its_service(tmp_path, skew_ms):
    """So it is where the name of a host is that of its service, as in Docker Compose."""
    spans = [
        recorded_span._replace(
            start_s=recorded_span.start_s + 1e6 + skew_ms / 1000,
            end_s=recorded_span.end_s + 1e6 + skew_ms / 1000,
        )
        if recorded_span.emitter == "quotes"
        else recorded_span._replace(start_s=recorded_span.start_s + 1e6, end_s=recorded_span.end_s + 1e6)
        for recorded_span in called("POST quotes/policies")
    ]
    found = summarize(spans)
    assert {name: round(own, 3) for name, own in self_ms(found).items()} == {
        "web/POST /api": 2,
        "web/POST quotes/policies": 2,
        "quotes/POST /policies": 5,
        "quotes/select": 1,
    }
    assert found.skewed == (1 if skew_ms else 0)
    assert found.late.total() == 0


def test_a_call_of_a_client_in_the_same_process_is_on_the_same_clock():
    """It goes on after its caller has returned, which is no sign of another clock."""
    spans = [
        local("GET", 0, 10, id="1"),
        local("start", 1, 3, id="2", parent="1"),
        client("POST", 2, 4, id="3", parent="2", peer="pay"),
    ]
    found = summarize(spans)
    assert found.skewed == 0
    assert self_ms(found) == {"web/GET": 8, "web/start": 1, "web/POST": 2}


def test_calls_that_begin_after_their_caller_has_ended_are_counted():
    spans = [
        local("POST /orders", 0, 10, id="1"),
        client("orders publish", 2, 3, id="2", parent="1", peer="kafka"),
        local("orders process", 20, 50, id="3", parent="2", service="mail"),
    ]
    found = summarize([*spans, *(recorded_span._replace(trace="u") for recorded_span in called("POST"))])
    assert (found.late, found.skewed) == ({"web/POST /orders": 1}, 0)
    assert (
        "1 call began after their caller had ended, such as messages; their time counts as response time"
        in list(summary_lines(found))
    )


def test_otlp_tells_who_recorded_a_client(tmp_path):
    path = write_otlp(tmp_path / "t.json", [called("POST")])
    assert {recorded_span.component: recorded_span.emitter for recorded_span in read_otlp(path)}[
        "web/POST"
    ] == "web"


TOLERANCE = 0.2


def request(endpoint, callee, callee_s, late_s=0.0):
    """An endpoint that takes 2 ms more than what it calls through ``Router.route``."""
    end_s = 0.002 + callee_s
    spans = [
        span(endpoint, 0.0, end_s, id="1"),
        span("Router.route", 0.001, end_s, id="2", parent="1"),
        span(callee, 0.002, end_s, id="3", parent="2"),
    ]
    return [*spans, span("mail", 1.0, 1.0 + late_s, id="4", parent="3", service="mail")] if late_s else spans


def found(kind, known=None, *, every_s=1.0):
    spans = [
        recorded_span._replace(
            trace=str(k), start_s=recorded_span.start_s + k * every_s, end_s=recorded_span.end_s + k * every_s
        )
        for k in range(100)
        for recorded_span in kind(k)
    ]
    summary, known = summarize(spans), known or KnownFacts()
    return misfits(learn(summary, "shop", known), summary, known, TOLERANCE)


def test_endpoints_with_calls_of_their_own_fit():
    assert found(lambda _: request("GET /a", "A.run", 0.02)) == []


def test_a_component_whose_calls_depend_on_the_endpoint_is_named():
    def kinds(k):
        return request("GET /a", "A.run", 0.02) if k % 2 else request("GET /b", "B.run", 0.004)

    slower, faster = found(kinds)
    assert [misfit_sides.response.what for misfit_sides in (slower, faster)] == ["web/GET /a", "web/GET /b"]
    for misfit in (slower, faster):
        assert (misfit.cause, misfit.mixed) == (MisfitCause.MIXED, "web/Router.route")
        assert "because the calls of web/Router.route depend on the endpoint" in misfit_text(misfit)
    assert faster.response.error > TOLERANCE
    assert slower.response.error < -TOLERANCE


def test_messages_are_named_as_the_cause():
    known = KnownFacts(utilisations={"web": 0.022, "mail": 0.03})
    [misfit] = found(lambda _: request("GET /a", "A.run", 0.02, late_s=0.03), known)
    assert misfit.cause is MisfitCause.LATE
    assert misfit_text(misfit).endswith("because calls began after their caller had ended")


def test_waiting_that_counts_twice_is_named_as_the_cause():
    [misfit] = found(lambda _: request("GET /a", "A.run", 0.02), every_s=0.03)
    assert misfit.cause is MisfitCause.WAITING
    [saturated] = found(lambda _: request("GET /a", "A.run", 0.02), every_s=0.015)
    assert np.isinf(saturated.response.predicted)
    assert misfit_text(saturated) == (
        "web/GET /a: the model predicts saturation, its traces have 22 ms, because times include waiting"
    )


def test_another_cause_is_not_guessed():
    [misfit] = found(lambda _: request("GET /a", "A.run", 0.02), KnownFacts(utilisations={"web": 0.9}))
    assert misfit.cause is None
    assert misfit_text(misfit).endswith("its traces have 22 ms")


def test_requests_of_which_one_was_paused_are_named():
    def learned(pause_s):
        ends = [k + (pause_s if k == 5 else 0.01) for k in range(500)]
        spans = [span("GET /a", k, end, id="1", trace=str(k)) for k, end in enumerate(ends)]
        return learn(summarize(spans), "shop", KnownFacts(utilisations={"web": 0.01}))

    assert varied(learned(0.02)) == []
    (endpoint,) = varied(learned(5.0))
    assert varied_text(endpoint).startswith("web/GET /a: its requests vary by 11.2 times their mean (cv)")


def test_stations_are_named_with_what_to_add():
    assert waiting_text(["db", "web"]) == (
        "no utilisation of db, web: their times include waiting; give it, as --utilisation db=0.35"
        " --servers db=2"
    )
