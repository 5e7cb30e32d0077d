"""Attribution: the user's method that a stack counts for, and tables of sums by method and launch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from buto.profiles import Frame, Kind, Profile, Stack

FloatArray = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Unit:
    """What sums are attributed to: the topmost method of the user's code on the stack.

    Leaf methods are the JDK's nearly always (``Arrays.copyOf``), and a sum over all methods on a stack rises
    for every caller, too.

    Attributes:
        frame: the method.
        type: the class that was allocated, thrown or locked, for kinds that have one.
        holder: for kept memory, the user's field that keeps it.
    """

    frame: Frame
    type: str = ""
    holder: str = ""


@dataclass(frozen=True)
class Table:
    """Sums of one kind by unit and launch.

    Attributes:
        units: n of them, in the order of their names.
        old, new: shape (n_launches, n), in the kind's unit; 0 where a launch has none.
        old_squares, new_squares: sums of squares, of the same shapes.
        old_totals, new_totals: shape (n_launches,), with what has no frame of the user's.
        lines: for each unit the line with the largest sum; 0 without one.
        paths: for each unit the path to a root with the largest sum; may be empty.
    """

    units: tuple[Unit, ...]
    old: FloatArray
    new: FloatArray
    old_squares: FloatArray
    new_squares: FloatArray
    old_totals: FloatArray
    new_totals: FloatArray
    lines: tuple[int, ...]
    paths: tuple[str, ...]

    def of_launches(self, old: Places, new: Places) -> Table:
        """Return the sums of some launches, by their places. Lines and paths stay those of all launches."""
        return replace(
            self,
            old=self.old[old],
            new=self.new[new],
            old_squares=self.old_squares[old],
            new_squares=self.new_squares[new],
            old_totals=self.old_totals[old],
            new_totals=self.new_totals[new],
        )


def unit_of(profile: Profile, stack: Stack) -> Unit | None:
    """Return what a stack counts for; None if it has no method of the user's."""
    frame = profile.users_frame(stack)
    if frame is None:
        return None
    return Unit(frame, stack.type if stack.kind.about.has_type else "", stack.holder)


def table_of(old: Sequence[Profile], new: Sequence[Profile], kind: Kind) -> Table:
    """Return the sums of one kind of event in all launches of both programs."""
    places: dict[Unit, int] = {}
    lines: defaultdict[Unit, Counter[int]] = defaultdict(Counter)
    paths: defaultdict[Unit, Counter[str]] = defaultdict(Counter)
    cells: list[tuple[int, int, float, float]] = []
    launches = [*old, *new]
    totals = np.zeros(len(launches))
    for launch, profile in enumerate(launches):
        for stack in profile.stacks:
            if stack.kind is not kind:
                continue
            totals[launch] += stack.weight
            unit = unit_of(profile, stack)
            if unit is None:
                continue
            cells.append((launch, places.setdefault(unit, len(places)), stack.weight, stack.squares))
            # The new program's lines are those that the user has open.
            importance = stack.weight if launch >= len(old) else stack.weight * 1e-6
            lines[unit][stack.line] += importance  # type: ignore[assignment]
            paths[unit][stack.path] += importance  # type: ignore[assignment]
    # The order of names, so that units of equal rise have one order whichever launches are compared.
    units = sorted(places, key=lambda unit: (unit.frame.name, unit.type, unit.holder))
    column = np.argsort([places[unit] for unit in units])
    sums, squares = np.zeros((2, len(launches), len(places)))
    for launch, place, weight, square in cells:
        sums[launch, column[place]] += weight
        squares[launch, column[place]] += square
    cut = len(old)
    return Table(
        tuple(units),
        sums[:cut],
        sums[cut:],
        squares[:cut],
        squares[cut:],
        totals[:cut],
        totals[cut:],
        tuple(lines[unit].most_common(1)[0][0] for unit in units),
        tuple(paths[unit].most_common(1)[0][0] for unit in units),
    )
