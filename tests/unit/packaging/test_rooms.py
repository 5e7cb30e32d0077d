"""The drawing of the rooms is that of the imports."""

from __future__ import annotations

import pytest

from scripts import rooms

SOME = {
    "cli": frozenset({"report", "runs", "errors"}),
    "report": frozenset({"runs"}),
    "runs": frozenset({"errors"}),
    "errors": frozenset[str](),
}


def test_the_drawing_in_the_documentation_is_up_to_date() -> None:
    assert rooms.DRAWING.read_text(encoding="utf-8") == rooms.drawing(rooms.imports()), "type: make rooms"


def test_a_room_is_above_all_that_it_imports() -> None:
    assert rooms.levels(SOME) == [["errors"], ["runs"], ["report"], ["cli"]]


def test_imports_that_follow_from_others_are_left_out() -> None:
    assert rooms.shortest(SOME) == {
        "cli": {"report"},
        "report": {"runs"},
        "runs": {"errors"},
        "errors": frozenset(),
    }


def test_a_circle_is_named() -> None:
    with pytest.raises(ValueError, match=r"circle, got one among \['cli', 'report'\]"):
        rooms.levels({**SOME, "report": frozenset({"cli"})})
