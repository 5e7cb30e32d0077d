"""Whether a model predicts the traces that it was learned from."""

import numpy as np

from buto_predict.report.text import misfit_text, varied_text, waiting_text
from buto_predict.traces.fit import Cause, misfits, varied
from buto_predict.traces.learning import Known, learn
from buto_predict.traces.summary import summarize
from predict.tests.support.traces import span

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
        one._replace(trace=str(k), start_s=one.start_s + k * every_s, end_s=one.end_s + k * every_s)
        for k in range(100)
        for one in kind(k)
    ]
    summary, known = summarize(spans), known or Known()
    return misfits(learn(summary, "shop", known), summary, known, TOLERANCE)


def test_endpoints_with_calls_of_their_own_fit():
    assert found(lambda _: request("GET /a", "A.run", 0.02)) == []


def test_a_component_whose_calls_depend_on_the_endpoint_is_named():
    def kinds(k):
        return request("GET /a", "A.run", 0.02) if k % 2 else request("GET /b", "B.run", 0.004)

    slower, faster = found(kinds)
    assert [one.response.what for one in (slower, faster)] == ["web/GET /a", "web/GET /b"]
    for one in (slower, faster):
        assert (one.cause, one.mixed) == (Cause.MIXED, "web/Router.route")
        assert "because the calls of web/Router.route depend on the endpoint" in misfit_text(one)
    assert faster.response.error > TOLERANCE
    assert slower.response.error < -TOLERANCE


def test_messages_are_named_as_the_cause():
    known = Known(utilisations={"web": 0.022, "mail": 0.03})
    [one] = found(lambda _: request("GET /a", "A.run", 0.02, late_s=0.03), known)
    assert one.cause is Cause.LATE
    assert misfit_text(one).endswith("because calls began after their caller had ended")


def test_waiting_that_counts_twice_is_named_as_the_cause():
    [one] = found(lambda _: request("GET /a", "A.run", 0.02), every_s=0.03)
    assert one.cause is Cause.WAITING
    [saturated] = found(lambda _: request("GET /a", "A.run", 0.02), every_s=0.015)
    assert np.isinf(saturated.response.predicted)
    assert misfit_text(saturated) == (
        "web/GET /a: the model predicts saturation, its traces have 22 ms, because times include waiting"
    )


def test_another_cause_is_not_guessed():
    [one] = found(lambda _: request("GET /a", "A.run", 0.02), Known(utilisations={"web": 0.9}))
    assert one.cause is None
    assert misfit_text(one).endswith("its traces have 22 ms")


def test_requests_of_which_one_was_paused_are_named():
    def learned(pause_s):
        ends = [k + (pause_s if k == 5 else 0.01) for k in range(500)]
        spans = [span("GET /a", k, end, id="1", trace=str(k)) for k, end in enumerate(ends)]
        return learn(summarize(spans), "shop", Known(utilisations={"web": 0.01}))

    assert varied(learned(0.02)) == []
    (endpoint,) = varied(learned(5.0))
    assert varied_text(endpoint).startswith("web/GET /a: its requests vary by 11.2 times their mean (cv)")


def test_stations_are_named_with_what_to_add():
    assert waiting_text(["db", "web"]) == (
        "no utilisation of db, web: their times include waiting; give it, as --utilisation db=0.35"
        " --servers db=2"
    )
