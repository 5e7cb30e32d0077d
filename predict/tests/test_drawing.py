"""Where boxes, arrows and lines of the page of a prediction lie."""

from dataclasses import replace
from functools import cache

import pytest

from buto_predict.model import Architecture, Call, Component, Endpoint, Station
from buto_predict.prediction.predict import predict
from buto_predict.report.diagram import GAP, HEIGHT, WIDTH, arrows, diagram, lay_out
from buto_predict.report.page import _round_numbers, load_charts
from buto_predict.report.tables import from_to, initials, shortened
from predict.tests.support.systems import QUICK, result, running_example, two_endpoints

LOADS = (10.0, 20.0, 30.0, 40.0, 50.0)


def prediction(times):
    old, new = ([result("B3", scale * 0.002, seed=k)] for k, scale in enumerate((1.0, times)))
    return predict(running_example(), old, new, loads=LOADS, settings=QUICK)


@cache
def regression():
    """Computed when it is needed, and not while tests are collected."""
    return prediction(3.0)


def test_boxes_lie_in_the_bands_and_do_not_overlap():
    drawn = diagram(running_example(), regression())
    corners = {(box.x, box.y) for box in drawn.boxes}
    assert len(corners) == len(drawn.boxes)
    for box in drawn.boxes:
        assert any(band.y <= box.y and box.y + HEIGHT <= band.y + band.height for band in drawn.bands)
        assert box.x + WIDTH <= drawn.width
    labels = [band.label for band in drawn.bands]
    assert labels[0] == "requests"
    assert labels[1].startswith("B: demand 18 ms to")
    assert len(drawn.arrows) == 6


def test_what_does_not_change_is_one_number():
    labels = [band.label for band in diagram(running_example(), regression()).bands]
    assert labels[2] == "A: demand 17.1 ms, utilisation 40 %"


def chain():
    """A request to a station, from it to another one and back."""
    return Architecture(
        "chain",
        (Station("z"), Station("unused"), Station("a"), Station("w")),
        (
            Component("z1", "z", 0.001, (Call("a1", 1), Call("w1", 1))),
            Component("a1", "a", 0.001, (Call("z2", 1),)),
            Component("w1", "w", 0.001),
            Component("z2", "z", 0.001, (Call("a2", 2),)),
            Component("a2", "a", 0.001, (Call("w1", 1),)),
        ),
        (Endpoint("GET", (Call("z1", 1),), 5.0),),
    )


def test_stations_come_in_the_order_of_calls_and_changed_ones_first_among_equals():
    assert [row.station for row in lay_out(chain()).rows] == ["", "z", "a", "w", "unused"]
    assert [row.station for row in lay_out(chain(), ["w"]).rows] == ["", "z", "w", "a", "unused"]


def test_a_station_has_columns_for_its_own_depths_only():
    layout = lay_out(chain())
    columns = {name: x for (_, name), (x, _) in layout.places.items()}
    assert columns["z1"] == columns["a1"] == columns["w1"] == columns["GET"]
    assert columns["z2"] == columns["a2"] > columns["z1"] + WIDTH
    assert layout.width > columns["z2"] + WIDTH


@pytest.mark.parametrize(
    ("position", "caller", "callee", "from_right", "to_left"),
    [
        (1, "z1", "a1", True, False),
        (3, "a1", "z2", True, True),
        (4, "z2", "a2", True, False),
        (5, "a2", "w1", False, False),
    ],
)
def test_arrows_lead_to_the_nearer_side(position, caller, callee, from_right, to_left):
    layout = lay_out(chain())
    drawn = arrows(chain(), layout.places)[position]
    (x0, y0), (x1, y1) = ends_of(drawn)
    start, end = layout.places[False, caller], layout.places[False, callee]
    assert (x0, x1) == (start[0] + WIDTH * from_right, end[0] + WIDTH * (not to_left))
    assert start[1] < y0 < start[1] + HEIGHT
    assert end[1] < y1 < end[1] + HEIGHT
    assert drawn.anchor == ("end" if to_left else "start")


def ends_of(arrow):
    """Where an arrow begins and ends."""
    words = arrow.path.removeprefix("M").split()
    first, last = (tuple(map(float, word.split(","))) for word in (words[0], words[-1]))
    return first, last


def star():
    """A request to each of three stations, which all call the same two components twice."""
    both = (Call("x", 2), Call("y", 2))
    return Architecture(
        "star",
        tuple(Station(name) for name in "abcd"),
        (
            *(Component(f"{name}1", name, 0.001, both) for name in "abc"),
            Component("x", "d", 0.001),
            Component("y", "d", 0.001),
        ),
        (Endpoint("GET", (Call("a1", 1), Call("b1", 1), Call("c1", 1)), 5.0),),
    )


def test_arrows_at_one_side_of_a_box_are_apart_so_that_each_label_is_read():
    drawn = arrows(star(), lay_out(star()).places)
    ends = [end for arrow in drawn for end in ends_of(arrow)]
    assert len(set(ends)) == len(ends)
    assert len({(arrow.x, arrow.y) for arrow in drawn}) == len(drawn)


def test_arcs_to_boxes_of_the_same_column_lie_within_each_other():
    """The arrow to the nearest box leaves lowest, and turns first."""
    drawn = arrows(star(), lay_out(star()).places)[:3]
    starts = [ends_of(arrow)[0][1] for arrow in sorted(drawn, key=lambda arrow: ends_of(arrow)[1][1])]
    assert starts == sorted(starts, reverse=True)
    turns = [turn_of(arrow) for arrow in sorted(drawn, key=lambda arrow: ends_of(arrow)[1][1])]
    assert turns == sorted(set(turns))


def turn_of(arrow):
    """How far to the right the handle of its first end is."""
    return float(arrow.path.split("C")[1].split(",")[0])


def test_arrows_to_another_column_do_not_cross_at_their_box():
    places = lay_out(running_example()).places
    drawn = [ends_of(arrow) for arrow in arrows(running_example(), places)[3:5]]
    assert (drawn[0][0][1] < drawn[1][0][1]) == (drawn[0][1][1] < drawn[1][1][1])


def test_arrows_within_a_column_stay_in_the_gap_beside_it():
    layout = lay_out(chain())
    drawn = arrows(chain(), layout.places)[1]
    # A curve of this form goes three quarters of the way to its handles.
    assert 0 < 0.75 * (turn_of(drawn) - layout.places[False, "z1"][0] - WIDTH) < GAP


@pytest.mark.parametrize("highest", [4000.0, 1001.0, 0.03])
def test_an_axis_has_round_numbers_up_to_its_end(highest):
    numbers = _round_numbers(highest)
    assert numbers[0] == 0
    assert 3 <= len(numbers) <= 7
    assert highest / 2 < numbers[-1] <= highest


def test_charts_end_where_a_version_is_saturated():
    (chart,) = load_charts(regression())
    assert chart.old.count("L") == len(LOADS) - 1
    assert chart.new.count("L") < len(LOADS) - 1
    assert load_charts(replace(regression(), curve=regression().curve[:1])) == ()


def marks(found, endpoint=0):
    return {mark.tone: mark for mark in load_charts(found)[endpoint].marks}


def test_lines_of_a_chart_are_told_apart():
    shown = {tone: mark.short for tone, mark in marks(regression()).items()}
    assert shown == {"now": "judged", "old": "knee before", "new": "knee after", "saturated": "B saturates"}


def test_where_a_change_matters_at_the_lowest_load_no_line_says_from_where():
    (limits,) = regression().limits
    assert limits.matters_from == LOADS[0]
    later = replace(regression(), limits=(replace(limits, matters_from=12.0),))
    assert marks(later)["matters"].label == "the change matters from 12/s"


def test_the_station_that_saturates_is_named_at_endpoints_that_do_not_use_it():
    loads = (20.0, 90.0)
    found = predict(
        two_endpoints(), [result("a", 0.01)], [result("a", 0.0125)], loads=(*loads, 200.0), settings=QUICK
    )
    assert marks(found, 1)["saturated"].label.startswith("s saturates after the change at 1")


def test_of_two_near_lines_one_has_its_text_at_the_lower_end():
    (limits,) = regression().limits
    near = replace(regression(), limits=(replace(limits, old_knee=30.0, new_knee=30.5),))
    assert [marks(near)[tone].low for tone in ("old", "new")] == [False, True]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("web/GET /orders", "web/GET /orders"),
        ("gateway/GET /api/quotes/{id}/x", "gatewa…/quotes/{id}/x"),
        ("shop/com.acme.Stock.find", "shop/c.a.Stock.find"),
        ("shop/com.acme.shop.PremiumStock.find", "shop/c…miumStock.find"),
    ],
)
def test_long_names_are_cut_in_the_middle(name, short):
    assert shortened(name, 21) == short


@pytest.mark.parametrize(
    "text", ["postgresql", "1.47 ms", "db/SELECT shop.orders", "c.Stock", "a.b.c.run", "slower, large"]
)
def test_what_is_no_class_in_packages_stays(text):
    assert initials(text) == text


def test_a_number_that_prints_the_same_is_printed_once():
    assert (from_to("6 %", "6 %"), from_to("6 %", "7 %")) == ("6 %", "6 % to 7 %")
