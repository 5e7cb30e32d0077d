"""The script writes quantities as buto.run.units does, for there is one way to write them."""

from __future__ import annotations

import json
import math
import random

import pytest
from playwright.sync_api import Browser

from buto.report.html.chart_data import unit_data
from buto.report.html.template import asset
from buto.run.units import format_quantity

UNITS = ("By", "s", "1", "{thread}", "{class}", "{query}", "Cel", "")
EDGES = (
    0.0,
    1.0,
    -1.0,
    0.5,
    999.5,
    1023.996 * 1024,
    1024.0,
    119.99,
    120.0,
    172800.0,
    1e-9,
    5e-5,
    1e15,
    1e300,
    512.5 * 1024,
)


@pytest.fixture(scope="module")
def values() -> list[float]:
    chance = random.Random(3)
    spread = [chance.choice((1, -1)) * 10 ** chance.uniform(-11, 17) for _ in range(400)]
    whole = [float(chance.randrange(2**40) >> chance.randrange(40)) for _ in range(400)]
    halves = [chance.randrange(2**16) / 2 ** chance.randrange(12) for _ in range(400)]
    return [*EDGES, *(-edge for edge in EDGES[1:]), *spread, *whole, *halves]


@pytest.mark.parametrize("unit", UNITS)
def test_it_reads_alike_on_both_sides(browser: Browser, values: list[float], unit: str) -> None:
    numbers = f"[{json.dumps(values)[1:-1]}, NaN, Infinity, -Infinity]"
    call = f"return {numbers}.map((one) => formatQuantity(one, {json.dumps(unit_data(unit))}))"
    page = browser.new_page()
    written = page.evaluate(f"() => {{ {asset('quantity.js')}; {call} }}")
    page.close()
    assert written == [format_quantity(value, unit) for value in (*values, math.nan, math.inf, -math.inf)]
