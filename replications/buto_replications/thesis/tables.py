"""Results as tables, for the page and the terminal."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from buto.run.model import Problem
from buto.run.units import format_count, format_percent
from buto_replications.report.content import TextTable
from buto_replications.thesis import published
from buto_replications.thesis.claims import ClaimOutcome
from buto_replications.thesis.grids import Grid
from buto_replications.thesis.notifications import NotifiedRuns
from buto_replications.thesis.published import PublishedRow
from buto_replications.thesis.repetition import Results
from buto_replications.thesis.score_tables import ScoreLine, ScoreTable

SHORT = 15
"""Number of lines that the thesis prints of its longest table."""

UNDEFINED = "–"
TONES = (
    (ClaimOutcome.REPLICATES.value, "good"),
    (ClaimOutcome.DIFFERS.value, "bad"),
    (ClaimOutcome.UNDECIDED.value, "open"),
)
_OURS = ("TP", "FN", "TN", "FP", "accuracy", "precision", "MCC", "±")
_THEIRS = ("TP", "FN", "TN", "FP", "acc.", "prec.", "MCC")


def facts(results: Results) -> str:
    evaluation = results.evaluation
    left_out = sum(len(variant.left_out) for variant in results.recorded)
    return (
        f"{format_count(evaluation.n_runs, 'run')} of each of {len(evaluation.runs)} variants, "
        f"{format_count(len(evaluation.experiments), 'pair')} of variants, seed {evaluation.seed}; "
        f"{format_count(left_out, 'more run')} left out"
    )


def summary(results: Results) -> str:
    """Return how many claims replicate, do not, and are undecided."""
    outcomes = Counter(decision.outcome for _, decision in results.claims)
    return ", ".join(f"{outcomes[outcome]} {name}" for outcome, name in _WORDS.items())


_WORDS = {
    ClaimOutcome.REPLICATES: "claims replicate",
    ClaimOutcome.DIFFERS: "do not",
    ClaimOutcome.UNDECIDED: "are undecided",
}


def scores(table: ScoreTable, *, short: bool = False, leading: bool = False) -> TextTable:
    """Return our scores beside those of the thesis.

    Args:
        short: for terminals: only the best lines, and only the MCC of the thesis.
        leading: only the best lines and those that the thesis prints.
    """
    number = f"Table {table.number}. " if table.number else ""
    if short or leading:
        lines = [line for place, line in enumerate(table.lines) if place < SHORT or (leading and line.thesis)]
    else:
        lines = [*table.lines, *table.more]
    only_printed = () if short else table.only_printed
    with_thesis = any(line.thesis for line in lines) or bool(only_printed)
    heads: tuple[str, ...] = ("configuration", "training", *_OURS)
    rows = [_cells(line) for line in lines]
    groups = [("", 2), ("here", len(_OURS))]
    if with_thesis:
        theirs = _THEIRS[-1:] if short else _THEIRS
        heads += theirs
        groups.append(("thesis", len(theirs)))
        rows = [(*row, *_print(line.thesis)[-len(theirs) :]) for row, line in zip(rows, lines, strict=True)]
        rows += [
            (row.configuration, *[""] * (1 + len(_OURS)), *_print(row)[-len(theirs) :])
            for row in only_printed
        ]
    faint = frozenset(range(len(table.lines), len(lines)))
    left = len(table.lines) + len(table.more) - len(lines)
    return TextTable(
        f"{number}{table.title[:1].upper()}{table.title[1:]}",
        heads,
        tuple(rows),
        tuple(groups) if with_thesis else (),
        faint=faint,
        notes=(
            *_slips(lines),
            *([f"{left} more lines {'on the page' if short else 'below'}."] if left else []),
        ),
    )


def claims(results: Results) -> TextTable:
    """Return a line for each claim; a note on several of them is shown below once."""
    marks = dict(
        zip(dict.fromkeys(claim.why for claim, _ in results.claims if claim.why), _MARKS, strict=False)
    )
    rows = [
        (
            decision.outcome.value,
            claim.text,
            decision.thesis,
            decision.ours,
            claim.section,
            claim.table,
            marks.get(claim.why, ""),
        )
        for claim, decision in results.claims
    ]
    heads = ("here", "claim", "thesis", "ours", "section", "table", "note")
    notes = tuple(f"{mark}: {why}" for why, mark in marks.items())
    return TextTable(
        "Every claim of chapter 5", heads, tuple(rows), left=len(heads), tones=TONES, notes=notes
    )


_MARKS = string.ascii_lowercase


def recorded(results: Results) -> TextTable:
    """Return how many runs each variant has, and how many were left out and why."""
    rows = [
        (
            variant.variant,
            str(variant.usable),
            str(results.evaluation.n_runs),
            str(len(variant.left_out)),
            UNDEFINED if isnan(variant.foreign_load) else format_percent(variant.foreign_load),
            ", ".join(f"{number} {kind}" for kind, number in _kinds(variant.left_out).items()),
        )
        for variant in results.recorded
    ]
    heads = ("variant", "usable", "taken", "left out", "used by others", "why left out")
    note = "Used by others: mean share of the cores that other processes used during usable runs."
    return TextTable("Recorded runs", heads, tuple(rows), notes=(note,))


def _kinds(left_out: Sequence[Problem]) -> Mapping[str, int]:
    return Counter(problem.kind.value for problem in left_out)


def not_applicable(results: Results, grid: Grid) -> tuple[str, ...]:
    """Return sentences on the configurations that could not be applied, with the reason."""
    by_reason: dict[str, list[str]] = {}
    for configuration in grid.all:
        if configuration.method in results.evaluation.not_applicable:
            by_reason.setdefault(results.evaluation.not_applicable[configuration.method], []).append(
                configuration.label
            )
    return tuple(f"Not applied: {', '.join(labels)} ({why})." for why, labels in by_reason.items())


def slips() -> TextTable:
    return TextTable("Where the thesis contradicts itself", ("table", "slip"), published.slips(), left=2)


def notifications(runs: NotifiedRuns) -> tuple[TextTable, ...]:
    """Return the numbers of flagged notifications by run, their mean and deviation, beside the thesis's."""
    first, second, third = runs.thesis.tables
    rows = []
    for name, flagged, thesis in (
        ("positive", runs.positive, runs.thesis.of_positive),
        ("negative", runs.negative, runs.thesis.of_negative),
    ):
        mean, deviation = flagged.mean_and_deviation()
        over_splits, error = flagged.mean_and_error()
        cells = (mean, deviation, over_splits, error, *thesis)
        rows.append((name, *(_decimal(value) for value in cells)))
    pair = f"{runs.thesis.training} trains, {runs.thesis.negative} is negative"
    return (
        TextTable(
            f"Tables {first} and {second}. Flagged notifications of each run of the first split: {pair}",
            ("runs", "", "flagged"),
            tuple(
                (name, whose, " ".join(map(str, numbers)))
                for name, flagged, table in (
                    ("positive", runs.positive, first),
                    ("negative", runs.negative, second),
                )
                for whose, numbers in (("here", flagged.first.tolist()), ("thesis", published.flagged(table)))
            ),
            left=3,
        ),
        TextTable(
            f"Table {third}. Flagged notifications of a run",
            ("runs", "mean", "deviation", "mean over splits", "±", "mean", "deviation"),
            tuple(rows),
            (("", 1), ("here", 4), ("thesis", 2)),
        ),
    )


def examples(results: Results) -> TextTable:
    """Return the single experiments that the thesis shows, each with one property and configuration."""
    rows = [
        (
            example.table,
            f"{example.training} against {example.negative}",
            example.properties[0],
            example.configuration,
            *map(str, (*counts, *example.counts)),
        )
        for example, counts in results.examples
    ]
    heads = ("table", "experiment", "property", "configuration", *_OURS[:4], *_THEIRS[:4])
    groups = (("", 4), ("here", 4), ("thesis", 4))
    title = "Runs that one property accepts with one configuration"
    return TextTable(title, heads, tuple(rows), groups, left=4)


def failing(results: Results) -> TextTable:
    rows = []
    for line in results.failing:
        tp, fn, _, _ = line.counts
        rows.append((line.property or "all properties together", f"{fn}", f"{100 * fn / (tp + fn):.1f} %"))
    return TextTable(
        "False negatives with S-20, by property",
        ("property", "failed", "of good runs"),
        tuple(rows),
        notes=(
            "A run can fail at several properties; one with samples outside the model's times fails at all.",
        ),
    )


def best_by_property(results: Results) -> Iterator[TextTable]:
    """Yield for each program, by property, the configuration of ``overall`` with the best MCC."""
    for program in dict.fromkeys(line.program for _, line in results.lines):
        best: dict[str, ScoreLine] = {}
        for grid, line in results.lines:
            if grid != "overall" or line.program != program or isnan(line.scores[-1]):
                continue
            known = best.get(line.property)
            if known is None or line.scores[-1] > known.scores[-1]:
                best[line.property] = line
        if best:
            ranked = sorted(best.items(), key=lambda item: (-item[1].scores[-1], item[0]))
            rows = tuple((name or "all together", *_cells(line)) for name, line in ranked)
            heads = ("property", "configuration", "training", *_OURS)
            yield TextTable(f"{program or 'All programs'}: the best of each property", heads, rows, left=2)


def _cells(line: ScoreLine) -> tuple[str, ...]:
    return (
        line.configuration,
        str(line.n_training),
        *map(str, line.counts),
        *map(_decimal, line.scores),
        _decimal(line.errors[-1]),
    )


def _print(row: PublishedRow | None) -> tuple[str, ...]:
    if row is None:
        return ("",) * len(_THEIRS)
    return (*map(str, row.counts), *map(_decimal, row.scores))


def _slips(lines: Sequence[ScoreLine]) -> Iterator[str]:
    for line in lines:
        slips = line.thesis.slips() if line.thesis else {}
        if slips:
            values = ", ".join(f"{name} {value:.2f}" for name, value in slips.items())
            yield f"{line.configuration}: the thesis's own counts give {values}."


def _decimal(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{value:.2f}"
