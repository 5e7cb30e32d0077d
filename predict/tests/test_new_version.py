"""Predictions with a model of the new version, and which component to mend first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from buto.errors import UsageError
from buto.verdicts import Status
from buto_predict.mapping import How
from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Station
from buto_predict.prediction.model import Prediction
from buto_predict.prediction.predict import predict
from predict.tests.support.systems import QUICK, result, running_example, single_station, two_endpoints


def test_mending_names_the_component_that_counts_most() -> None:
    """B3 is called twice for each request and B4 twice, but B3 has become slower by more."""
    old = [result("B3", 0.002, seed=1), result("B4", 0.002, seed=2)]
    new = [result("B3", 0.005, seed=3), result("B4", 0.003, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert [one.component for one in found.mending] == ["B3", "B4"]
    first = found.mending[0]
    assert first.gain_s == pytest.approx(found.endpoints[0].new_s - first.mended_s)
    assert first.self_interval_s[0] < 0.003 < first.self_interval_s[1]


def test_a_caller_whose_test_noticed_is_not_to_be_mended() -> None:
    old = [result("B1", 0.010, noise=0.005, seed=1), result("B3", 0.002, noise=0.005, seed=2)]
    new = [result("B1", 0.014, noise=0.005, seed=3), result("B3", 0.004, noise=0.005, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert [one.component for one in found.mending] == ["B3"]


def test_a_caller_whose_test_noticed_nothing_takes_nothing_back() -> None:
    """B1's noisy test does not see that B3 takes twice as long; what B3's own test says holds."""
    old = [result("B1", 0.010, noise=0.5, seed=1), result("B3", 0.002, seed=2)]
    new = [result("B1", 0.010, noise=0.5, seed=3), result("B3", 0.004, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert found.stations[1].new_demand_s == pytest.approx(0.022, rel=0.02)
    assert found.stations[1].new_interval[0] > found.stations[1].old


def test_another_call_structure_is_predicted_without_any_slower_component() -> None:
    """A query in a loop: ten calls in place of two."""
    made = running_example()
    calls = (Call("B3", 10), Call("B4", 1))
    new = replace(
        made,
        components=tuple(replace(one, calls=calls) if one.name == "B1" else one for one in made.components),
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert found.stations[1].new_demand_s == pytest.approx(0.034)
    assert found.status is Status.REGRESSION


def with_a_cache(rate: float, cache_s: float, samples: int | None = None, cv: float = 1.0) -> Prediction:
    """A new model with one more component, at a station of its own."""
    stations = (Station("s"), Station("cache", 1, Discipline.DELAY))
    cached = Component("C.run", "s", 0.01, (Call("K.get", 1),))
    endpoints = (Endpoint("e", (Call("C.run", 1),), rate),)
    old = Architecture("x", stations, (replace(cached, calls=()),), endpoints)
    new = Architecture(
        "x", stations, (cached, Component("K.get", "cache", cache_s, (), cv, samples)), endpoints
    )
    return predict(old, [], [], new_architecture=new, loads=(), settings=QUICK)


def test_a_further_station_changes_nothing_but_its_own_time() -> None:
    """Near saturation, other random numbers would make a large difference."""
    assert abs(with_a_cache(98.0, 1e-7).endpoints[0].delta) < 0.001


def test_a_new_component_that_is_hardly_known_makes_the_interval_wider() -> None:
    known, vague = (with_a_cache(50.0, 0.003, samples, 3.0).endpoints[0] for samples in (None, 2))
    assert known.delta == vague.delta
    widths = [high - low for low, high in (known.delta_interval, vague.delta_interval)]
    assert widths[1] > 3 * widths[0]


def test_renamed_components_keep_their_old_times() -> None:
    made = running_example()
    names = {"B3": "B3next"}
    new = replace(
        made,
        components=tuple(
            replace(
                one,
                name=names.get(one.name, one.name),
                self_s=99.0 if one.name == "B3" else one.self_s,
                calls=tuple(replace(call, to=names.get(call.to, call.to)) for call in one.calls),
            )
            for one in made.components
        ),
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert found.mapping is not None
    assert [(pair.old, pair.new, pair.how) for pair in found.mapping.pairs if pair.how is not How.NAME] == [
        ("B3", "B3next", How.RENAMED)
    ]
    assert found.stations[1].new_demand_s == pytest.approx(0.018)
    assert found.status is Status.PASS


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (single_station(0.5, servers=2), "station s has 1 server in the model and 2 in the new model"),
        (
            single_station(0.5, discipline=Discipline.FIFO),
            "station s is processor-sharing in the model and fifo in the new model",
        ),
        (
            replace(single_station(0.5), stations=(Station("s"), Station("t"), Station("u"))),
            "stations t, u are only in the new model",
        ),
        (running_example(), "endpoint e is only in the model"),
    ],
)
def test_models_of_two_systems_are_refused(new: Architecture, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        predict(single_station(0.5), [], [], new_architecture=new)
    assert refused.value.message == message
    assert refused.value.advice == (
        "make endpoints and stations of both models the same; components and their calls may differ"
    )


def test_the_new_model_may_have_another_order_and_needs_no_load() -> None:
    made = two_endpoints(rates=(50.0, 20.0))
    new = replace(
        made.with_rates({"first": 0.0, "second": 0.0}),
        stations=made.stations[::-1],
        endpoints=made.with_rates({"first": 0.0, "second": 0.0}).endpoints[::-1],
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert [one.rate for one in found.endpoints] == [50.0, 20.0]
    assert [(one.old, one.new) for one in found.stations] == [(0.5, 0.5), (0.2, 0.2)]
    assert found.new_architecture is not None
    assert found.new_architecture.rates.tolist() == [50.0, 20.0]


def test_mending_is_reported_for_components_that_were_renamed_but_not_for_those_that_are_gone() -> None:
    made = two_endpoints()
    new = replace(
        made,
        components=(replace(made.components[0], name="x"), made.components[1]),
        endpoints=(Endpoint("first", (Call("x", 1),), 50.0), made.endpoints[1]),
    )
    sides = [
        [result(name, scale * 0.01, seed=k) for name in ("a", "b")] for k, scale in enumerate((1.0, 1.5))
    ]
    found = predict(made, *sides, new_architecture=new, loads=(), settings=QUICK)
    assert {one.component for one in found.mending} == {"a", "b"}
    gone = replace(new, components=(made.components[1], replace(new.components[0], name="x")))
    gone = replace(gone, endpoints=(Endpoint("first", (Call("b", 1),), 50.0), made.endpoints[1]))
    found = predict(made, *sides, new_architecture=gone, loads=(), settings=QUICK)
    assert [one.component for one in found.mending] == ["b"]
    assert found.warnings == ("only in the old model: a", "only in the new model: x")
    assert found.self_changes_s[0] == 0.0
