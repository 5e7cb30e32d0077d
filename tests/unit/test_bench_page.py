from __future__ import annotations

import json
import platform
import re
from dataclasses import asdict
from pathlib import Path

from perf.__main__ import BENCHMARKS, FIGURES, PAGE
from perf.figures import BenchmarkFigure, FigureSection, at_least, at_most, figure_of, section_of
from perf.page import page

ROOT = Path(__file__).resolve().parents[2]


def test_a_goal_is_held_against_the_median() -> None:
    assert at_most("x", [1.0, 2.0, 9.0], 2.0, "ms") == BenchmarkFigure(
        "x", "2.0 ms", "1.5 to 5.5 (n = 3)", "at most 2 ms", True
    )
    missed = at_least("x", [1.0], 1.5, reason="the machine is old")
    assert (missed.measured, missed.spread, missed.goal) == ("1.0", "", "at least 1.5")
    assert not missed.met
    assert missed.reason == "the machine is old"
    assert at_least("x", [2.0], 1.5, reason="the machine is old").reason == ""


def test_the_page_has_every_figure_with_a_goal_and_names_what_was_missed() -> None:
    sections = [
        FigureSection("One", (figure_of("a", [1.0]), at_most("b", [3.0], 2.0, "ms", reason="b is slow"))),
        FigureSection("Two", (at_least("c", [3.0], 2.0),)),
        FigureSection("Only looked at", (figure_of("d", [4.0]),)),
    ]
    written = page(sections, {"three": "Three things"})
    assert "1 of 2 goals are met." in written
    assert "- b: 3.0 ms (**missed**: at most 2 ms); b is slow" in written
    assert "- a:" not in written
    assert "Only looked at" not in written
    assert written.index("## One") < written.index("## Two")
    assert written.endswith('## Not measured here yet\n\n- Three things: `make bench ONLY="three"`\n')
    assert "Not measured" not in page(sections, {})
    assert platform.node() not in written
    assert str(ROOT) not in written


def test_a_section_survives_its_file() -> None:
    section = FigureSection("One", (at_most("b", [3.0], 2.0, "ms", reason="b is slow"),))
    assert section_of(json.loads(json.dumps(asdict(section)))) == section


def test_the_page_lists_each_benchmark_that_has_no_figures() -> None:
    missing = set(BENCHMARKS) - set(json.loads(FIGURES.read_text()))
    listed = PAGE.read_text().partition("## Not measured here yet")[2]
    assert set(re.findall(r'`make bench ONLY="([\w-]+)"`', listed)) == missing
