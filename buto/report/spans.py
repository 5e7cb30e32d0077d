"""What the marks of a run mean on its time axis: spans, as of a phase or a fault, and moments."""

from __future__ import annotations

from dataclasses import dataclass

from buto.runs import Run
from buto.runs.observations import Mark
from buto.runs.window import PROGRAM_END, PROGRAM_START

BEGIN, FINISH = ".start", ".end"
"""Ends of the names of two marks that enclose a span."""

MOST_SPANS = 60
"""More in one chart would be one dark bar."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the time axis, or a moment.

    Attributes:
        name: of the mark, without ``.start``.
        start_s: seconds on the run's clock.
        end_s: the same as ``start_s`` for a moment.
        text: what the marks say.
    """

    name: str
    start_s: float
    end_s: float
    text: str = ""

    @property
    def is_moment(self) -> bool:
        return self.start_s == self.end_s


def spans_of(run: Run) -> tuple[Span, ...]:
    """Return what a chart draws of a run's marks: at most MOST_SPANS, in the order of their beginning.

    ``NAME.start`` begins a span that the next ``NAME.end`` ends, or the end of the run. Any other mark is a
    moment. What lies outside of the samples, or contains all of them, is left out.
    """
    if not len(run.times_s):
        return ()
    first_s, last_s = float(run.times_s[0]), float(run.times_s[-1])
    found: list[Span] = []
    open_marks: dict[str, Mark] = {}
    for mark in run.marks:
        if mark.name in (PROGRAM_START, PROGRAM_END):
            continue
        name, is_end = mark.name.removesuffix(FINISH), mark.name.endswith(FINISH)
        if mark.name.endswith(BEGIN):
            open_marks.setdefault(mark.name.removesuffix(BEGIN), mark)
        elif is_end and name in open_marks:
            begun = open_marks.pop(name)
            text = "; ".join(filter(None, (begun.text, mark.text)))
            found.append(Span(name, begun.time_s, mark.time_s, text))
        else:
            found.append(Span(mark.name, mark.time_s, mark.time_s, mark.text))
    found += [Span(name, mark.time_s, last_s, mark.text) for name, mark in open_marks.items()]
    drawn = [
        one
        for one in found
        if one.end_s >= first_s and one.start_s <= last_s and (one.start_s > first_s or one.end_s < last_s)
    ]
    return tuple(sorted(drawn, key=lambda one: (one.start_s, -one.end_s))[:MOST_SPANS])
