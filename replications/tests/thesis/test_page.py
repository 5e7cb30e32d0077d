"""Tables as text and as a page that needs nothing else."""

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

from buto.judging.views import Band
from buto.report.panels import Curve
from buto.run.model import Quality, RunSet
from buto_replications.report import content
from buto_replications.report.content import PageSection, PicturePanel, ReportPage, TextTable, ThesisFigure
from buto_replications.report.pictures import html
from buto_replications.thesis import published, tables
from buto_replications.thesis.notifications import notified_runs
from buto_replications.thesis.page import page as results_page
from buto_replications.thesis.repetition import repeat
from replications.tests.support.variants import a_data_set, variant_run
from tests.support.runs.qualities import starved

pytestmark = pytest.mark.slow

TABLE = TextTable(
    "Of <two> & more",
    ("what", "n", "MCC"),
    (("a", "1", "0.50"), ("longer", "200", "–")),
    (("", 1), ("here", 2)),
    faint=frozenset({1}),
    tones=(("0.50", "good"),),
    notes=("a note", "another"),
)


class Reader(HTMLParser):
    """Refuses what is not closed, and keeps what a reader sees."""

    VOID = frozenset({"meta", "img"})

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = []
        self.sources = []

    def handle_starttag(self, tag, attrs):
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.seen.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def test_a_table_as_text():
    assert content.lines(TABLE) == [
        "Of <two> & more",
        "          ── here ─",
        "  what      n   MCC",
        "  a         1  0.50",
        "  longer  200     –",
        "  a note",
        "  another",
    ]


def test_a_page_escapes_what_it_shows_and_fetches_nothing():
    curve = Curve(np.arange(5.0), np.array([1.0, 2, np.nan, 4, 5]))
    band = Band(np.arange(5.0), np.zeros(5), np.full(5, 4.5), np.full(5, 9.0))
    picture = ThesisFigure(
        "5.3", "Runs <of> it", (PicturePanel("positive", "By", (curve,), band, "positive"),)
    )
    page = html(
        ReportPage("A & B", ("<b>",), (PageSection("One", ("x",), (TABLE,), (picture,), (TABLE,), "More"),))
    )
    reader = read(page)
    assert "Of <two> & more" in reader.seen and "<b>" in reader.seen
    assert all(source.startswith(("data:image/png;base64,", "#")) for source in reader.sources)
    assert not re.search(r"https?:|<script|@import|url\(", page)


def test_a_figure_without_curves_can_be_drawn():
    panels = (
        PicturePanel("nothing", "s", ()),
        PicturePanel("a constant", "{thread}", (Curve(np.arange(2.0), np.ones(2)),)),
    )
    assert "data:image/png" in html(
        ReportPage("x", (), (PageSection("y", pictures=(ThesisFigure("5.4", "z", panels),)),))
    )


@cache
def results():
    variants = ("references-strong", "references-weak", "consumerproducer-v0", "consumerproducer-v4")
    return repeat("parallel", a_data_set(10, variants), ["training-set-size", "smoothing", "bounds-matcher"])


def test_the_thesiss_numbers_are_next_to_ours_with_every_claim_and_figure():
    ours = results()
    seen = read(html(results_page([ours]))).seen
    for table in ours.tables:
        assert tables.scores(table).caption in seen
    assert {"1408", "0.89"} <= set(seen)
    for claim, decision in ours.claims:
        assert claim.text in seen and decision.outcome.value in seen
    figures = [text for text in seen if text.startswith("Figure ")]
    assert [figure.split(". ")[0] for figure in figures] == ["Figure 5.2"]
    assert "By program" in seen
    assert any("the thesis's own counts give accuracy 0.67, MCC 0.42" in text for text in seen)


def test_on_a_terminal_long_tables_are_cut():
    table = results().tables[0]
    lines = tuple(table.lines * 3)
    short = tables.scores(type(table)(table.number, table.grid, table.title, lines), short=True)
    assert len(short.rows) == tables.SHORT
    assert f"{len(lines) - tables.SHORT} more lines on the page." in short.notes[-1]
    assert all(len(row) == len(short.heads) for row in short.rows)


def test_the_page_says_which_runs_there_were_and_what_the_thesis_contradicts():
    runs = a_data_set(10, ("references-strong", "references-weak"))
    busy = variant_run("references-weak", 11, quality=Quality(foreign_load=0.25))
    odd = variant_run("references-weak", 12, quality=starved(foreign_load=0.9))
    runs["references-weak"] = RunSet((*runs["references-weak"].runs, busy, odd))
    runs["classloading-12ms"] = runs["references-strong"]
    ours = repeat("parallel", runs, ["bounds-matcher"])
    rows = {row[0]: row[1:] for row in tables.recorded(ours).rows}
    assert rows == {
        "references-strong": ("10", "10", "0", "–", ""),
        "references-weak": ("11", "10", "1", "25 %", "1 starved"),
    }
    assert tables.facts(ours).endswith("; 1 more run left out")
    seen = read(html(results_page([ours]))).seen
    assert all(slip in seen for _, slip in published.slips())


def test_an_experiment_that_the_thesis_shows_is_next_to_its_counts():
    ours = replace(results(), examples=((published.EXAMPLES[0], (40, 10, 49, 1)),))
    (row,) = tables.examples(ours).rows
    assert row[0] == "5.18" and row[3:] == ("S-4", "40", "10", "49", "1", "46", "4", "50", "0")
    assert "Single experiments" in read(html(results_page([ours]))).seen


def test_flagged_notifications_are_next_to_those_of_the_thesis():
    runs = a_data_set(10, ("consumerproducer-v0", "consumerproducer-v4"))
    ours = replace(results(), notified=notified_runs(runs, seed=1))
    (notified,) = ours.notified
    of_runs, _ = tables.notifications(notified)
    assert [row[:2] for row in of_runs.rows] == [
        ("positive", "here"),
        ("positive", "thesis"),
        ("negative", "here"),
        ("negative", "thesis"),
    ]
    assert of_runs.rows[0][2] == " ".join(map(str, notified.positive.first))
    assert of_runs.rows[1][2].startswith("1 0 1 0 4 0 1 1 1 1 0 1")
    assert of_runs.rows[3][2].startswith("33 34 34 34 36 1 32")
    assert of_runs.rows[3][2] in read(html(results_page([ours]))).seen


def test_what_could_not_be_done_is_reported():
    ours = repeat("parallel", a_data_set(6, ("references-strong", "references-weak")), ["training-set-size"])
    assert tables.not_applicable(ours, ours.grids[0]) == (
        "Not applied: 80 (references-strong: 7 usable runs are needed to train with 5 and judge 2, got 6).",
    )
    assert [line.configuration for line in ours.tables[0].lines].count("80") == 0


def test_what_is_known_of_several_claims_is_reported_once():
    table = tables.claims(results())
    marks = [row[-1] for row in table.rows if row[-1]]
    assert len(table.notes) == len(set(marks)) < len(marks)
    assert [note.split(":")[0] for note in table.notes] == list("abcdefgh"[: len(table.notes)])


def test_a_long_table_leads_with_its_best_lines_and_those_of_the_thesis():
    ours = results()
    table = ours.tables[0]
    (row, *others) = [replace(line, thesis=None) for line in table.lines]
    last = table.lines[-1]
    long = replace(table, lines=(*[row] * tables.SHORT, *others, last))
    leading = tables.scores(long, leading=True)
    assert len(leading.rows) == tables.SHORT + 1
    assert leading.rows[-1][0] == last.configuration
    assert leading.notes[-1] == f"{len(others)} more lines below."
    seen = read(html(results_page([replace(ours, tables=(long, *ours.tables[1:]))]))).seen
    assert "Whole tables" in seen
