"""Loads that are given for a model."""

from __future__ import annotations

import pytest

from buto.errors import UsageError
from buto_predict.commands.options import endpoint_named, under_load
from predict.tests.support.systems import two_endpoints

KNOWN = ("gateway/POST /api/quotes", "gateway/GET /health", "quotes/GET /health", "GET /items")


@pytest.mark.parametrize(
    ("text", "name"),
    [("POST /api/quotes", KNOWN[0]), (KNOWN[1], KNOWN[1]), ("GET /items", KNOWN[3])],
)
def test_the_service_of_an_endpoint_may_be_left_out(text: str, name: str) -> None:
    assert endpoint_named(text, KNOWN) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("POST /api/quote", "no endpoint 'POST /api/quote'; did you mean 'gateway/POST /api/quotes'?"),
        (
            "GET /health",
            "no endpoint 'GET /health'; did you mean 'gateway/GET /health' or 'quotes/GET /health'?",
        ),
        ("items", "no endpoint 'items'; did you mean 'GET /items'?"),
        ("", f"no endpoint ''; known are {', '.join(KNOWN)}"),
    ],
)
def test_a_name_that_is_not_one_endpoint_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        endpoint_named(text, KNOWN)
    assert refused.value.message == message


def test_the_total_is_applied_before_single_loads() -> None:
    made = two_endpoints(rates=(10.0, 30.0))
    assert under_load(made, ["first=5/s", "80/s"]).rates.tolist() == [5.0, 60.0]
