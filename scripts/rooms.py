"""Draw the rooms of buto and their imports: ``docs/images/rooms.svg``, which CONTRIBUTING.md shows.

``make rooms`` calls it, and a test holds the drawing to the imports. A room is a folder or module directly
below ``buto``. A room lies above all that it imports, and a line leads from each room to those that it
imports. A line that follows from others is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
DRAWING = ROOT / "docs" / "images" / "rooms.svg"
ENTRY = "__main__"
"""Starts the command line and is not a room."""

WIDTH, LEVEL, BOX, CHARACTER, MARGIN = 960, 84, 34, 8.4, 24
STYLE = """\
text { font: 14px ui-monospace, monospace; text-anchor: middle; fill: #1b1f24 }
rect { fill: #eef3fb; stroke: #4a6a9b }
path { fill: none; stroke: #8a97a8; stroke-width: 1.2 }
.paper { fill: #fff; stroke: none }"""

Imports = Mapping[str, frozenset[str]]
"""Of each room the rooms that it imports."""


def main() -> int:
    """Draw into the documentation."""
    DRAWING.write_text(drawing(imports()), encoding="utf-8")
    print(f"{DRAWING.relative_to(ROOT)} shows the imports as they are.")
    return 0


def imports() -> Imports:
    """Return the imports between rooms, read from the sources."""
    graph = grimp.build_graph("buto", cache_dir=None)
    rooms = sorted(room for room in graph.find_children("buto") if not room.endswith(ENTRY))
    for room in rooms:
        if graph.find_children(room):
            graph.squash_module(room)
    return {
        name_of(room): frozenset(
            name_of(other)
            for other in graph.find_modules_directly_imported_by(room) & set(rooms)
            if other != room
        )
        for room in rooms
    }


def name_of(room: str) -> str:
    """Return the name of a room without its package."""
    return room.removeprefix("buto.")


def levels(of: Imports) -> list[list[str]]:
    """Return the rooms by height, the lowest first: each is just above the highest room that it imports.

    Raises:
        ValueError: rooms import each other in a circle.
    """
    heights: list[list[str]] = []
    left = set(of)
    while left:
        level = sorted(room for room in left if not of[room] & left)
        if not level:
            raise ValueError(f"rooms must not import each other in a circle, got one among {sorted(left)}")
        heights.append(level)
        left -= set(level)
    return heights


def shortest(of: Imports) -> Imports:
    """Return the imports without those that follow from others."""
    reached: dict[str, frozenset[str]] = {}
    for room in (room for level in levels(of) for room in level):
        reached[room] = of[room].union(*(reached[other] for other in of[room]))
    return {room: others.difference(*(reached[other] for other in others)) for room, others in of.items()}


def drawing(of: Imports) -> str:
    """Return the rooms as SVG, a level a row, the same text for the same imports."""
    rows, lines = levels(of)[::-1], shortest(of)
    places: dict[str, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        y = MARGIN + number * LEVEL
        above = {room: [places[place][0] for place in places if room in lines[place]] for room in row}
        centre = {room: sum(above[room]) / len(above[room]) if above[room] else WIDTH / 2 for room in row}
        ordered = sorted(row, key=lambda room: (centre[room], room))
        for place, room in enumerate(ordered):
            shift = (number % 2) * 30
            places[room] = (WIDTH * (place + 1) / (len(row) + 1) + shift, y)
    height = 2 * MARGIN + (len(rows) - 1) * LEVEL + BOX
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>The rooms of buto: each imports only rooms below it</title>",
        f"<style>\n{STYLE}\n</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
    ]
    for room in sorted(lines):
        drawn += [line(places[room], places[other]) for other in sorted(lines[room])]
    drawn += [box(room, *places[room]) for room in sorted(places)]
    return "\n".join([*drawn, "</svg>", ""])


def line(upper: tuple[float, float], lower: tuple[float, float]) -> str:
    """Return a curve from the bottom of one box to the top of another."""
    (x, y), (end_x, end_y) = (upper[0], upper[1] + BOX), lower
    bend = LEVEL / 2
    curve = f"C{x:.0f} {y + bend:.0f} {end_x:.0f} {end_y - bend:.0f} {end_x:.0f} {end_y:.0f}"
    return f'<path d="M{x:.0f} {y:.0f}{curve}"/>'


def box(room: str, x: float, y: float) -> str:
    """Return a box with a name in it."""
    width = len(room) * CHARACTER + 20
    frame = f'<rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width:.0f}" height="{BOX}" rx="5"/>'
    return f'{frame}<text x="{x:.0f}" y="{y + 22:.0f}">{escape(room)}</text>'


if __name__ == "__main__":
    sys.exit(main())
