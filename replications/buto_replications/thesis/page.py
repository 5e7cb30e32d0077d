"""All results as one page, section by section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from buto_replications.report.content import PageSection, ReportPage
from buto_replications.thesis import published
from buto_replications.thesis.repetition import Results
from buto_replications.thesis.tables import (
    SHORT,
    best_by_property,
    claims,
    examples,
    facts,
    failing,
    not_applicable,
    notifications,
    recorded,
    scores,
    slips,
    summary,
)

_CLOCK = (
    "Time is counted from the start of main; the thesis counts it from the start of the JVM. One claim "
    "compares the two, if the runs have the time that their JVM took to start."
)
_ERRORS = (
    "± is one standard error of the score before it, clustered by run. It does not contain the influence of "
    "the choice of training runs: in simulations it was 50 % to 100 % of the true deviation. Claims are "
    "decided by differences. The errors of differences were 67 % to 100 % of the true ones, and a difference "
    "must exceed three of them. Undefined scores (0 / 0) are dashes. Counts are over all splits."
)
_CLAIMS = "The thesis's scores are computed here from its counts; an undefined MCC counts as 0."


def page(results: Sequence[Results]) -> ReportPage:
    sections = [section for result in results for section in _sections(result, several=len(results) > 1)]
    texts = [
        "Each number of the thesis is shown beside ours. " + _ERRORS,
        _CLOCK,
        *(f"Host {result.host}: {facts(result)}." for result in results),
    ]
    sections.append(PageSection("Slips of the thesis", tables=(slips(),)))
    return ReportPage("The experiments of the thesis, repeated", tuple(texts), tuple(sections))


def _sections(results: Results, *, several: bool) -> Iterator[PageSection]:
    at = f"{results.host}: " if several else ""
    texts = (f"{summary(results)}.", _CLAIMS)
    yield PageSection(f"{at}Claims", texts, (claims(results),))
    pictures = {picture.number: picture for picture in results.pictures}
    for grid in results.grids:
        tables = [table for table in results.tables if table.grid == grid.name]
        long = any(len(table.lines) > SHORT for table in tables)
        more = tables if long else [table for table in results.by_program if table.grid == grid.name]
        yield PageSection(
            f"{at}{grid.name}",
            not_applicable(results, grid),
            tables=tuple(scores(table, leading=long) for table in tables),
            pictures=tuple(pictures[number] for number in _FIGURES.get(grid.name, ()) if number in pictures),
            folded=tuple(map(scores, more)),
            folded_title="Whole tables" if long else "By program",
        )
    if results.examples:
        shown = tuple(picture for picture in results.pictures if picture.number in _FIGURES_OF_EXAMPLES)
        yield PageSection(f"{at}Single experiments", tables=(examples(results),), pictures=shown)
    if results.failing:
        yield PageSection(
            f"{at}Single properties",
            tables=(failing(results),),
            folded=tuple(best_by_property(results)),
            folded_title="The best configuration for each property",
        )
    if results.notified:
        flagged = [table for runs in results.notified for table in notifications(runs)]
        shown = tuple(
            pictures[runs.thesis.figure] for runs in results.notified if runs.thesis.figure in pictures
        )
        yield PageSection(f"{at}Notifications", tables=tuple(flagged), pictures=shown)
    yield PageSection(f"{at}Runs", tables=(recorded(results),))


_FIGURES = {"training-set-size": ("5.1",), "smoothing": ("5.2",)}
_FIGURES_OF_EXAMPLES = tuple(example.figure for example in published.EXAMPLES)
