"""Draw the steps of a check: ``docs/images/check.svg``, which the page on a check shows.

``make steps`` calls it, and a test holds the drawing to the rule: each number is a constant of
:mod:`buto.judging.procedure`, or follows from one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import (
    GROWTH_T,
    LEVEL_T,
    N_CHECKED,
    N_CONFIRMING,
    N_FIRST,
    PASSING,
    SUSPICIOUS,
    Procedure,
)

ROOT = Path(__file__).resolve().parent.parent
DRAWING = ROOT / "docs" / "images" / "check.svg"
TITLE = "The steps of a check"

WIDTH, MARGIN, GAP, LINE, PADDING = 960, 24, 34, 20, 12
LAUNCH, QUESTION, OUTCOME = (24, 210), (290, 400), (780, 156)
"""Left edge and width of the three columns."""

STYLE = """\
text { font: 15px ui-sans-serif, Helvetica, Arial, sans-serif; text-anchor: middle; fill: #1b1f24 }
.small { font-size: 13px; fill: #4d5761 }
.left { text-anchor: start }
rect { fill: #fff; stroke: #8a97a8 }
.launch { fill: #eef3fb; stroke: #4a6a9b }
.pass { fill: #e5f5e8; stroke: #2f7d3c }
.fail { fill: #fce8e6; stroke: #b3382c }
.inconclusive { fill: #f1f1f1; stroke: #777 }
path { fill: none; stroke: #5b6775; stroke-width: 1.4; marker-end: url(#tip) }
.tip { fill: #5b6775; stroke: none; marker-end: none }
.paper { fill: #fff; stroke: none }"""

TIP = (
    '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path class="tip" d="M0 0L8 4L0 8Z"/></marker>'
)


@dataclass(frozen=True, slots=True)
class CheckStage:
    """A question of a check, and what comes before and after it.

    Attributes:
        launch: what is launched first, in lines; empty for nothing.
        question: in a line, and in further ones what answers it.
        answer: yes or no, the answer that ends the check; the other one leads to the next stage.
        outcome: pass, fail or inconclusive.
        because: what the outcome then means; empty if that is plain.
    """

    launch: tuple[str, ...]
    question: tuple[str, ...]
    answer: str
    outcome: str
    because: str = ""

    @property
    def other_answer(self) -> str:
        return "no" if self.answer == "yes" else "yes"

    @property
    def height(self) -> int:
        return 2 * PADDING + LINE * max(len(self.launch), len(self.question))


@dataclass(frozen=True, slots=True)
class CheckWay:
    """Stages one after another, and how a check ends that none of them has ended."""

    title: str
    stages: tuple[CheckStage, ...]
    outcome: str
    because: str = ""


def ways(procedure: Procedure) -> tuple[CheckWay, CheckWay]:
    """Return the steps of a check, with turns and without them."""
    alpha, last = procedure.alpha, procedure.looks[-1]
    early = ", ".join(f"after {n} if p > {p:g}" for n, p in PASSING.items())
    with_turns = CheckWay(
        "",
        (
            CheckStage(
                (f"{N_FIRST} run", "of the new program"),
                (
                    "Is the run beyond what training expects?",
                    f"t ≥ {LEVEL_T:g} of a level, or t ≥ {GROWTH_T:g} of growth",
                ),
                "no",
                "pass",
            ),
            CheckStage(
                (f"{N_CONFIRMING} more runs",),
                (f"Do the {N_CHECKED} runs differ from training?", f"p ≤ {max(alpha, SUSPICIOUS):g}"),
                "no",
                "pass",
            ),
            CheckStage(
                ("old and new in turns", f"at most {procedure.n_turns} + {procedure.n_turns} launches"),
                (
                    "Do bets tell which program each launch is of?",
                    f"after each launch: W ≥ {procedure.winning:g}",
                ),
                "yes",
                "fail",
            ),
            CheckStage(
                (),
                (
                    "Does hardly any order set them as far apart?",
                    f"after {last} launches: p ≤ {procedure.permutation_alpha:g}",
                    f"(the launches end {early})",
                ),
                "yes",
                "fail",
            ),
            CheckStage(
                (),
                ("Are both programs beyond training", "in counters that no machine moves?"),
                "yes",
                "fail",
                "something outside changed",
            ),
        ),
        "pass",
    )
    without = CheckWay(
        "Where the old program cannot be launched, in place of turns:",
        (
            CheckStage(
                (),
                ("Do counters that no machine moves differ?", f"p ≤ {alpha:g} by these alone"),
                "yes",
                "fail",
            ),
        ),
        "inconclusive",
        f"or a pass, if p > {alpha:g} by everything",
    )
    return with_turns, without


def drawing(procedure: Procedure) -> str:
    """Return the steps as SVG, the same text for the same rule."""
    y, drawn = MARGIN, list[str]()
    for way in ways(procedure):
        if way.title:
            drawn.append(f'<text class="left" x="{QUESTION[0]}" y="{y + 14}">{escape(way.title)}</text>')
            y += LINE + PADDING
        drawn += _way(way, y)
        y += sum(stage.height + GAP for stage in way.stages) + 2 * PADDING + LINE + GAP
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y - GAP + MARGIN}" role="img">',
        f"<title>{TITLE}</title>",
        f"<style>\n{STYLE}\n</style>",
        f"<defs>{TIP}</defs>",
        f'<rect class="paper" width="{WIDTH}" height="{y - GAP + MARGIN}"/>',
    ]
    return "\n".join([*head, *drawn, "</svg>", ""])


def _way(way: CheckWay, y: int) -> Iterator[str]:
    middle = _middle(QUESTION)
    for stage, following in zip(way.stages, (*way.stages[1:], None), strict=True):
        height, centre = stage.height, y + stage.height // 2
        if stage.launch:
            yield from _box("launch", LAUNCH, y, height, stage.launch)
            yield _arrow((_right(LAUNCH), centre), (QUESTION[0], centre))
        yield from _box("question", QUESTION, y, height, stage.question)
        yield _arrow((_right(QUESTION), centre), (OUTCOME[0], centre))
        yield _word(stage.answer, (_right(QUESTION) + OUTCOME[0]) // 2, centre - 6)
        yield from _outcome(stage.outcome, centre, stage.because)
        below = y + height
        yield _word(stage.other_answer, middle + 18, below + 16)
        if following is not None and following.launch:
            turn, left = below + GAP // 2 + 2, _middle(LAUNCH)
            yield f'<path d="M{middle} {below}V{turn}H{left}V{below + GAP}"/>'
        else:
            yield _arrow((middle, below), (middle, below + GAP))
        y = below + GAP
    width = OUTCOME[1]
    yield from _box(way.outcome, (middle - width // 2, width), y, 2 * PADDING + LINE, (way.outcome,))
    if way.because:
        x = middle + width // 2 + 10
        yield f'<text class="small left" x="{x}" y="{y + 27}">{escape(way.because)}</text>'


def _outcome(outcome: str, centre: int, because: str) -> Iterator[str]:
    height = 2 * PADDING + LINE
    yield from _box(outcome, OUTCOME, centre - height // 2, height, (outcome,))
    if because:
        yield _word(because, _middle(OUTCOME), centre + height // 2 + 16)


def _box(kind: str, column: tuple[int, int], y: int, height: int, lines: tuple[str, ...]) -> Iterator[str]:
    yield f'<rect class="{kind}" x="{column[0]}" y="{y}" width="{column[1]}" height="{height}" rx="6"/>'
    first = y + (height - LINE * len(lines)) // 2 + 15
    for number, text in enumerate(lines):
        small = ' class="small"' if number and kind == "question" and not text.endswith("?") else ""
        yield f'<text{small} x="{_middle(column)}" y="{first + LINE * number}">{escape(text)}</text>'


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    return f'<path d="M{start[0]} {start[1]}L{end[0]} {end[1]}"/>'


def _word(text: str, x: int, y: int) -> str:
    return f'<text class="small" x="{x}" y="{y}">{escape(text)}</text>'


def _middle(column: tuple[int, int]) -> int:
    return column[0] + column[1] // 2


def _right(column: tuple[int, int]) -> int:
    return column[0] + column[1]


def main() -> int:
    """Draw into the documentation."""
    DRAWING.write_text(drawing(Procedure(CALIBRATED.alpha)), encoding="utf-8")
    print(f"{DRAWING.relative_to(ROOT)} shows the rule as it is.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
