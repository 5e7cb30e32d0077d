"""A prediction for people and for programs."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from math import inf
from xml.etree import ElementTree

import jsonschema
import pytest

from buto import schemas
from buto.run.units import format_rate
from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Station
from buto_predict.prediction.model import MoreNeeded, PredictionSettings
from buto_predict.prediction.predict import predict
from buto_predict.report.files import prediction_document, prediction_json, prediction_junit
from buto_predict.report.page import architecture_page, prediction_page
from buto_predict.report.tables import change, number
from buto_predict.report.text import architecture_lines, conclusions, needed_text, prediction_lines
from predict.tests.support.systems import result, running_example, single_station, two_endpoints

QUICK = PredictionSettings(n_replicates=100)
LOADS = (10.0, 20.0, 30.0, 40.0, 50.0)


def prediction(times, architecture=None, **options):
    old = [result(name, 0.002, seed=k, **options) for k, name in enumerate(("B3", "B4"))]
    new = [result(name, times * 0.002, seed=9 + k, **options) for k, name in enumerate(("B3", "B4"))]
    return predict(architecture or running_example(), old, new, loads=LOADS, settings=QUICK)


@cache
def regression():
    """Computed when it is needed, and not while tests are collected."""
    return prediction(2.0)


def test_the_terminal_says_what_happens_and_why():
    lines = prediction_lines(regression())
    assert lines[0] == "REGRESSION  running example under 23.3/s"
    text = "\n".join(lines)
    for part in (
        "GET /b    23.3/s  59.6 ms",
        "medium  regression",
        "B        18 ms",
        "10+10 forks",
        "slower, large",
        "response times increase, medium effect",
        "GET /b: the change matters at every load of the curve",
        "the system saturates at a total load of 55.6/s before and",
        "restoring B",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("tests", "count", "text"),
    [
        ("A", 8, "8 more forks of A on each side would decide"),
        ("AB", 1, "1 more fork of each of A and B on each side would decide"),
        ("ABCDE", 100, "100 more forks of each of A, B, C and 2 more on each side would decide"),
        ("A", 230, "more repetitions will hardly decide it; that takes 230 more forks of A on each side"),
        ("A", None, "no number of repetitions of component tests would decide it"),
    ],
)
def test_what_would_decide_is_said_in_few_words(tests, count, text):
    assert needed_text(MoreNeeded("GET /b", tuple(tests), "fork", count)) == f"GET /b: {text}"


def test_saturation_is_reported_in_words():
    found = prediction(8.0)
    text = "\n".join(prediction_lines(found))
    assert "saturated" in text
    assert "it is saturated after the change" in text
    assert "would end the saturation" not in text
    [endpoint] = found.endpoints
    assert endpoint.new_throughput < endpoint.rate
    most = format_rate(endpoint.new_throughput)
    assert f"GET /b: at most {most} of 23.3/s complete after the change" in text
    assert "complete before the change" not in text
    assert "would not end the saturation" in text
    mended = replace(found, mending=(replace(found.mending[0], gain_s=float("inf")),))
    assert any("would end the saturation" in line for line in conclusions(mended))


def test_above_saturation_before_the_change_the_terminal_says_which_load_to_try():
    made = running_example(rate=100.0)
    old, new = (
        [result(name, scale * 0.002, seed=seed) for name in ("B3", "B4")] for scale, seed in ((1, 1), (2, 2))
    )
    found = predict(made, old, new, loads=LOADS, settings=QUICK)
    lines = prediction_lines(found)
    (row,) = (line for line in lines if line.startswith("GET /b  "))
    assert row.split()[3:6] == ["saturated", "saturated", "-"]
    texts = list(conclusions(found))
    assert (
        texts[0] == "the load is above saturation (55.6/s) already before the change; try --load below 55.6/s"
    )
    for noise in ("unreadable", "restoring", "complete", "no number of"):
        assert noise not in "\n".join(lines)
    junit = prediction_junit(found, datetime(2026, 1, 2, tzinfo=UTC)).decode()
    assert "saturated to saturated" not in junit
    assert 'message="the load is above saturation (55.6/s)' in junit


def test_beside_a_saturated_station_the_terminal_says_which_load_to_try():
    found = predict(
        two_endpoints(rates=(70.0, 50.0)), [result("a", 0.01)], [result("a", 0.02)], loads=(), settings=QUICK
    )
    texts = list(conclusions(found))
    assert texts[0] == "first: it is saturated after the change"
    assert texts[1].startswith(
        "second: not judged, because s is saturated after the change; try --load below"
    )
    assert not any("repetitions" in line for line in texts)


def test_a_change_that_matters_at_the_lowest_load_but_not_at_all_loads_says_at_which():
    found = prediction(2.0)
    point = replace(found.curve[-1], load=60.0, delta=(0.0,))
    texts = conclusions(replace(found, curve=(*found.curve, point)))
    assert "GET /b: the change matters already at 10/s, the lowest total load of the curve" in texts


def test_what_pass_means_where_nothing_was_tested_is_reported():
    found = predict(two_endpoints(), [result("a", 0.01)], [result("a", 0.01)], loads=LOADS, settings=QUICK)
    texts = list(conclusions(found))
    assert "first: component tests cover 100 % of its demand" in texts
    assert (
        "second: component tests cover 0 % of its demand; pass means only that it hardly waits longer for "
        "other requests"
    ) in texts


def test_rounding_is_no_change():
    assert [change(1.0, 1 + share) for share in (-3e-16, 0.0, 5.68e-7, 1e-5, -0.1)] == [
        *["0 %"] * 3,
        "+0.001 %",
        "-10 %",
    ]
    assert [number(value) for value in (-1e-9, -0.004, -0.006, float("nan"))] == [
        "0.00",
        "0.00",
        "-0.01",
        "-",
    ]


def test_a_change_that_matters_only_under_load_says_from_which():
    texts = list(conclusions(prediction(1.4)))
    assert any(line.startswith("GET /b: the change matters from a total load of ") for line in texts)


def test_a_system_of_delays_is_never_saturated():
    made = single_station(0.5, discipline=Discipline.DELAY)
    found = predict(made, [], [], loads=LOADS, settings=QUICK)
    assert "no load saturates the system: all stations that requests use are delays" in conclusions(found)
    assert architecture_lines(made)[0] == "single: no load saturates it"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (50.0, inf, "at a total load of 50/s before the change, and at no load after it"),
        (inf, 50.0, "at no load before and at a total load of 50/s after the change"),
    ],
)
def test_a_version_that_no_load_saturates_is_named(old, new, text):
    found = replace(prediction(1.4), saturation_old=old, saturation_new=new)
    assert any(line.startswith(f"the system saturates {text}") for line in conclusions(found))


def test_json_has_names_that_are_no_valid_unicode():
    odd = replace(prediction(1.4), warnings=("a\ud800b",))
    assert json.loads(prediction_json(odd).encode())["warnings"] == ["a\ud800b"]


def test_renamed_and_unmapped_components_are_reported():
    made = running_example()
    renamed = tuple(
        replace(
            component,
            name="B9" if component.name == "B3" else component.name,
            calls=tuple(replace(call, to="B9" if call.to == "B3" else call.to) for call in component.calls),
        )
        for component in made.components
    )
    other = [result("com.acme.OtherBench.run", 0.002)]
    new = replace(made, components=renamed)
    texts = list(conclusions(predict(made, other, other, new_architecture=new, loads=LOADS, settings=QUICK)))
    assert "taken as the same component (renamed): B3 and B9" in texts
    assert "tests without a component in the model: com.acme.OtherBench.run" in texts


def test_json_has_everything_and_no_number_that_is_none():
    found = prediction(8.0)
    data = json.loads(prediction_json(found), parse_constant=pytest.fail)
    assert data == prediction_document(found)
    jsonschema.validate(data, schemas.load("prediction"))
    assert (data["format"], data["version"], data["status"]) == ("buto-prediction", 1, "regression")
    assert data["endpoints"][0]["new_s"] is None
    assert data["endpoints"][0]["status"] == "regression"
    assert data["tests"][0]["deviation"]["change"] == pytest.approx(7.0, rel=0.1)
    assert [component["self_change_s"] for component in data["components"]][:3] == [0.0, 0.0, 0.0]
    assert len(data["curve"]) == len(LOADS)


@pytest.mark.parametrize(("times", "tag"), [(2.0, "failure"), (1.0, None)])
def test_junit_has_a_case_for_each_endpoint(times, tag):
    root = ElementTree.fromstring(prediction_junit(prediction(times), datetime(2026, 1, 2, tzinfo=UTC)))
    (case,) = root.iter("testcase")
    assert case.get("name") == "GET /b"
    assert [child.tag for child in case] == ([] if tag is None else [tag])
    suite = root.find("testsuite")
    assert suite is not None
    assert suite.get("failures") == ("0" if tag is None else "1")


def test_junit_says_that_tests_were_too_few():
    root = ElementTree.fromstring(prediction_junit(prediction(1.0, n=3), datetime(2026, 1, 2, tzinfo=UTC)))
    assert [case.get("name") for case in root.iter("testcase") if case.find("error") is not None] == [
        "component tests"
    ]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser.found


def test_the_page_draws_the_architecture_and_the_curves():
    page = prediction_page(regression())
    found = tags(page)
    boxes = [attributes["class"] for tag, attributes in found if tag == "g"]
    assert boxes == ["box regression", *["box same"] * 3, *["box worse"] * 2]
    assert sum(tag == "svg" for tag, _ in found) == 2
    assert "demand 18 ms to" in page
    assert "x2" in page
    assert all(mark in page for mark in ("knee before", "knee after", "B saturates after the change at"))
    assert not [tag for tag, _ in found if tag in ("script", "img")]
    assert "http" not in page


def test_packages_are_short_in_tables_and_whole_in_tooltips():
    name = "com.acme.shop.OtherBench.run"
    page = prediction_page(
        predict(running_example(), [result(name, 1.0)], [result(name, 1.0)], loads=(), settings=QUICK)
    )
    assert f'<td class="word" title="{name}">c.a.s.OtherBench.run</td>' in page


def test_names_from_outside_stay_text():
    evil = "<script>alert(1)</script>"
    made = running_example()
    components = tuple(
        replace(component, name=evil, calls=()) if component.name == "A1" else component
        for component in made.components
    )
    calls = (Call(evil, 1), Call("B1", 1), Call("B2", 1))
    endpoint = Endpoint(f"GET {evil}", calls, made.endpoints[0].rate)
    page = prediction_page(prediction(2.0, replace(made, components=components, endpoints=(endpoint,))))
    assert "<script" not in page


def test_a_model_without_a_prediction_is_drawn():
    made = Architecture(
        "shop",
        (Station("web", 2), Station("disk", 1, Discipline.FIFO)),
        (
            Component("a" * 60, "web", 0.001, (Call("b", 1.5, parallel=True),)),
            Component("b", "disk", 0.002),
            Component("never called", "disk", 0.002),
        ),
        (Endpoint("GET", (Call("a" * 60, 1),), 5.0),),
    )
    page = architecture_page(made)
    assert "web, 2 servers" in page
    assert "disk, fifo" in page
    assert "x1.5 at once" in page
    text = "\n".join(architecture_lines(made))
    assert "shop: saturates at 333/s of all endpoints" in text
    assert "b x1.5" in text
