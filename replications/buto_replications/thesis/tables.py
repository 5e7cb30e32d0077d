"""Results as tables, for the page and the terminal."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from buto.run.model import Problem
from buto.run.units import format_count, format_percent
from buto_replications.report.content import Columns
from buto_replications.thesis import published
from buto_replications.thesis.claims import Outcome
from buto_replications.thesis.grids import Grid
from buto_replications.thesis.notifications import NotifiedRuns
from buto_replications.thesis.published import Row
from buto_replications.thesis.repetition import Results
from buto_replications.thesis.score_tables import Line, Table

SHORT = 15
"""Number of lines that the thesis prints of its longest table."""

UNDEFINED = "–"
TONES = (
    (Outcome.REPLICATES.value, "good"),
    (Outcome.DIFFERS.value, "bad"),
    (Outcome.UNDECIDED.value, "open"),
)
_OURS = ("TP", "FN", "TN", "FP", "accuracy", "precision", "MCC", "±")
_THEIRS = ("TP", "FN", "TN", "FP", "acc.", "prec.", "MCC")


def facts(results: Results) -> str:
    evaluation = results.evaluation
    left_out = sum(len(one.left_out) for one in results.recorded)
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
    Outcome.REPLICATES: "claims replicate",
    Outcome.DIFFERS: "do not",
    Outcome.UNDECIDED: "are undecided",
}


def scores(table: Table, *, short: bool = False, leading: bool = False) -> Columns:
    """Return our scores beside those of the thesis.

    Args:
        short: for terminals: only the best lines, and only the MCC of the thesis.
        leading: only the best lines and those that the thesis prints.
    """
    number = f"Table {table.number}. " if table.number else ""
    if short or leading:
        lines = [one for place, one in enumerate(table.lines) if place < SHORT or (leading and one.thesis)]
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
        rows = [(*row, *_printed(line.thesis)[-len(theirs) :]) for row, line in zip(rows, lines, strict=True)]
        rows += [
            (row.configuration, *[""] * (1 + len(_OURS)), *_printed(row)[-len(theirs) :])
            for row in only_printed
        ]
    faint = frozenset(range(len(table.lines), len(lines)))
    left = len(table.lines) + len(table.more) - len(lines)
    return Columns(
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


def claims(results: Results) -> Columns:
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
    return Columns("Every claim of chapter 5", heads, tuple(rows), left=len(heads), tones=TONES, notes=notes)


_MARKS = string.ascii_lowercase


def recorded(results: Results) -> Columns:
    """Return how many runs each variant has, and how many were left out and why."""
    rows = [
        (
            one.variant,
            str(one.usable),
            str(results.evaluation.n_runs),
            str(len(one.left_out)),
            UNDEFINED if isnan(one.foreign_load) else format_percent(one.foreign_load),
            ", ".join(f"{number} {kind}" for kind, number in _kinds(one.left_out).items()),
        )
        for one in results.recorded
    ]
    heads = ("variant", "usable", "taken", "left out", "used by others", "why left out")
    note = "Used by others: mean share of the cores that other processes used during usable runs."
    return Columns("Recorded runs", heads, tuple(rows), notes=(note,))


def _kinds(left_out: Sequence[Problem]) -> Mapping[str, int]:
    return Counter(problem.kind.value for problem in left_out)


def not_applicable(results: Results, grid: Grid) -> tuple[str, ...]:
    """Return sentences on the configurations that could not be applied, with the reason."""
    found: dict[str, list[str]] = {}
    for one in grid.all:
        if one.method in results.evaluation.not_applicable:
            found.setdefault(results.evaluation.not_applicable[one.method], []).append(one.label)
    return tuple(f"Not applied: {', '.join(labels)} ({why})." for why, labels in found.items())


def slips() -> Columns:
    return Columns("Where the thesis contradicts itself", ("table", "slip"), published.slips(), left=2)


def notifications(one: NotifiedRuns) -> tuple[Columns, ...]:
    """Return the numbers of flagged notifications by run, their mean and deviation, beside the thesis's."""
    first, second, third = one.thesis.tables
    rows = []
    for name, flagged, thesis in (
        ("positive", one.positive, one.thesis.of_positive),
        ("negative", one.negative, one.thesis.of_negative),
    ):
        mean, deviation = flagged.mean_and_deviation()
        over_splits, error = flagged.mean_and_error()
        cells = (mean, deviation, over_splits, error, *thesis)
        rows.append((name, *(_decimal(value) for value in cells)))
    pair = f"{one.thesis.training} trains, {one.thesis.negative} is negative"
    return (
        Columns(
            f"Tables {first} and {second}. Flagged notifications of each run of the first split: {pair}",
            ("runs", "", "flagged"),
            tuple(
                (name, whose, " ".join(map(str, numbers)))
                for name, flagged, table in (
                    ("positive", one.positive, first),
                    ("negative", one.negative, second),
                )
                for whose, numbers in (("here", flagged.first.tolist()), ("thesis", published.flagged(table)))
            ),
            left=3,
        ),
        Columns(
            f"Table {third}. Flagged notifications of a run",
            ("runs", "mean", "deviation", "mean over splits", "±", "mean", "deviation"),
            tuple(rows),
            (("", 1), ("here", 4), ("thesis", 2)),
        ),
    )


def examples(results: Results) -> Columns:
    """Return the single experiments that the thesis shows, each with one property and configuration."""
    rows = [
        (
            one.table,
            f"{one.training} against {one.negative}",
            one.properties[0],
            one.configuration,
            *map(str, (*counts, *one.counts)),
        )
        for one, counts in results.examples
    ]
    heads = ("table", "experiment", "property", "configuration", *_OURS[:4], *_THEIRS[:4])
    groups = (("", 4), ("here", 4), ("thesis", 4))
    title = "Runs that one property accepts with one configuration"
    return Columns(title, heads, tuple(rows), groups, left=4)


def failing(results: Results) -> Columns:
    rows = []
    for line in results.failing:
        tp, fn, _, _ = line.counts
        rows.append((line.property or "all properties together", f"{fn}", f"{100 * fn / (tp + fn):.1f} %"))
    return Columns(
        "False negatives with S-20, by property",
        ("property", "failed", "of good runs"),
        tuple(rows),
        notes=(
            "A run can fail at several properties; one with samples outside the model's times fails at all.",
        ),
    )


def best_by_property(results: Results) -> Iterator[Columns]:
    """Yield for each program, by property, the configuration of ``overall`` with the best MCC."""
    for program in dict.fromkeys(line.program for _, line in results.lines):
        best: dict[str, Line] = {}
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
            yield Columns(f"{program or 'All programs'}: the best of each property", heads, rows, left=2)


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.configuration,
        str(line.n_training),
        *map(str, line.counts),
        *map(_decimal, line.scores),
        _decimal(line.errors[-1]),
    )


def _printed(row: Row | None) -> tuple[str, ...]:
    if row is None:
        return ("",) * len(_THEIRS)
    return (*map(str, row.counts), *map(_decimal, row.scores))


def _slips(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        slips = line.thesis.slips() if line.thesis else {}
        if slips:
            found = ", ".join(f"{name} {value:.2f}" for name, value in slips.items())
            yield f"{line.configuration}: the thesis's own counts give {found}."


def _decimal(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{value:.2f}"
