"""What a program needs, in lines and as JSON."""

from __future__ import annotations

import json
import math

import jsonschema
import pytest

from buto import schemas
from buto.judging.need import MIB, Footprint, HeapTrial, Need, Search
from buto.report.size import size_json, size_lines, to_copy

RUN = Footprint(400.0 * MIB, 256.0 * MIB, 256.0 * MIB, *[0.0] * 5, 38.0, 2.0, 1e9)
NEED = Need(
    (RUN, RUN),
    *(float(size * MIB) for size in (412, 256, 61, 24, 16, 43, 12, 156, 256, 256)),
)
SEARCH = Search(
    96 * MIB,
    64 * MIB,
    0.01,
    (
        HeapTrial(64 * MIB, (), "ends in OutOfMemoryError: Java heap space"),
        HeapTrial(128 * MIB, (0.0,)),
        HeapTrial(80 * MIB, (0.2,)),
        HeapTrial(96 * MIB, (0.02, 0.04)),
    ),
)


def text(need: Need = NEED, search: Search | None = SEARCH) -> list[str]:
    lines = size_lines("shop", need, 96 * MIB, 155.5 * MIB, search)
    return ["".join(part for part, _ in line.parts) for line in lines]


def test_the_first_line_has_the_bound_and_the_last_two_are_to_be_copied() -> None:
    first, *_, heap, container = text()
    assert "412 MiB" in first
    assert (heap.strip(), container.strip()) == ("-Xmx96m", "-m 252m")
    assert to_copy(96 * MIB, 252 * MIB) == ("-Xmx96m", "-m 252m")


def test_sizes_that_were_tried_are_told_from_the_largest_on() -> None:
    rows = [line.strip() for line in text() if "enough," in line or "too small," in line]
    assert [line.partition(":")[0] for line in rows] == ["128 MiB", "80 MiB", "64 MiB"]
    assert any("96 MiB" in line and "+3 %" in line for line in text())


@pytest.mark.parametrize(
    "search", [None, Search(256 * MIB, 128 * MIB, 0.01, (HeapTrial(128 * MIB, (0.3,)),))]
)
def test_without_a_smaller_heap_that_is_enough(search: Search | None) -> None:
    assert text(search=search)[-2].strip() == "-Xmx96m"


def test_a_need_that_is_partly_unknown_names_no_number_for_it() -> None:
    from msgspec import structs

    unknown = structs.replace(RUN, threads=math.nan)
    lines = text(structs.replace(NEED, runs=(unknown, unknown), allowed=math.nan, direct=0.0))
    assert not any("nan" in line or "direct" in line or "thread," in line for line in lines)


@pytest.mark.parametrize("search", [None, SEARCH])
def test_the_document_follows_its_schema(search: Search | None) -> None:
    document = json.loads(size_json("shop", NEED, 96 * MIB, 155.5 * MIB, ["a", "b"], search, 9))
    jsonschema.validate(document, schemas.load("size"))
    assert document["limit"] == 252 * MIB
    assert sum(document["needs"]["parts"].values()) == document["needs"]["most"]
