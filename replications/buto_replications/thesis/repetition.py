"""Repeat the experiments of Appendix A on the runs of one host, and collect all results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean

from buto.run.model import Problem, RunSet
from buto_replications.design import PROGRAMS
from buto_replications.report.content import Picture
from buto_replications.thesis.chapter5 import claims_of
from buto_replications.thesis.claims import Claim, Decision, Evidence
from buto_replications.thesis.evaluation import SEED, Evaluation, evaluate
from buto_replications.thesis.figures import figures, recorded
from buto_replications.thesis.grids import BEST, GRIDS, Grid
from buto_replications.thesis.notifications import NotifiedRuns, notified_runs
from buto_replications.thesis.published import EXAMPLES, Example, Scope
from buto_replications.thesis.score_tables import Line, Table, everything, example_by_run, table, tables_of
from buto_replications.workers import ALONE, Watch, Workers

MOST_FAILING = 12


@dataclass(frozen=True, slots=True)
class RecordedVariant:
    """The recorded runs of a variant.

    Attributes:
        usable: number of usable runs.
        left_out: the first problem of each invalid run; no method uses these runs.
        foreign_load: mean share of the cores that other processes used during usable runs; NaN if unknown.
    """

    variant: str
    usable: int
    left_out: tuple[Problem, ...]
    foreign_load: float


@dataclass(frozen=True, eq=False, slots=True)
class Results:
    """All results of one host.

    Attributes:
        grids: which experiments were repeated.
        recorded: the runs of each variant that takes part.
        by_program: tables of each grid by program, which the thesis does not have.
        failing: the properties at which most good runs failed with the best method; empty without
        ``overall``.
        examples: the single experiments that the thesis shows, each with its counts by one property over all
            splits: true positives, false negatives, true negatives, false positives.
        lines: every configuration in every scope, with the name of its grid.
    """

    host: str
    grids: tuple[Grid, ...]
    evaluation: Evaluation
    recorded: tuple[RecordedVariant, ...]
    tables: tuple[Table, ...]
    by_program: tuple[Table, ...]
    failing: tuple[Line, ...]
    notified: tuple[NotifiedRuns, ...]
    claims: tuple[tuple[Claim, Decision], ...]
    pictures: tuple[Picture, ...]
    examples: tuple[tuple[Example, tuple[int, int, int, int]], ...]
    lines: tuple[tuple[str, Line], ...]


def repeat(
    host: str,
    runs: Mapping[str, RunSet],
    names: Sequence[str],
    *,
    seed: int = SEED,
    workers: Workers = ALONE,
    watch: Watch = lambda done, parts: None,
) -> Results:
    """Repeat some experiments of Appendix A.

    Args:
        runs: by variant, see :func:`buto_replications.dataset.archive.load`.
        names: of :data:`buto_replications.thesis.grids.GRIDS`.

    Raises:
        JudgeError, UsageError: see :func:`buto_replications.thesis.evaluation.evaluate`.
    """
    grids = tuple(GRIDS[name] for name in names)
    methods = [one.method for grid in grids for one in grid.all]
    evaluation = evaluate(runs, methods, seed=seed, workers=workers, watch=watch)
    with_notifications = any(grid.name == "overall" for grid in grids)
    notified = notified_runs(runs, seed) if with_notifications else ()
    evidence = Evidence(evaluation, {one.thesis.figure: one for one in notified})
    data = recorded({name: runs[name] for name in evaluation.runs}, evaluation.n_runs, seed)
    lines = tuple((grid.name, one) for grid in grids for one in everything(evaluation, grid))
    return Results(
        host,
        grids,
        evaluation,
        tuple(_recorded(name, runs[name]) for name in evaluation.runs),
        tuple(one for grid in grids for one in tables_of(evaluation, grid)),
        tuple(
            table(evaluation, grid, "", Scope(program), f"{grid.varies}: {program}")
            for grid in grids
            for program in PROGRAMS
            if grid.name != "overall" and any(one.program == program for one in evaluation.experiments)
        ),
        _failing(lines),
        notified,
        tuple((claim, claim.decide(evidence)) for claim in claims_of({grid.table for grid in grids})),
        tuple(one for grid in grids for one in figures(data, grid.name)),
        tuple(_examples(evaluation)),
        lines,
    )


def _examples(evaluation: Evaluation) -> Iterator[tuple[Example, tuple[int, int, int, int]]]:
    for example in EXAMPLES:
        found = example_by_run(evaluation, example)
        if found is not None:
            (fn, tp), (tn, fp) = (counts.sum(axis=0).tolist() for counts in found)
            yield example, (tp, fn, tn, fp)


def _recorded(variant: str, runs: RunSet) -> RecordedVariant:
    known = [run.quality.foreign_load for run in runs.valid() if not isnan(run.quality.foreign_load)]
    return RecordedVariant(
        variant,
        len(runs.valid()),
        tuple(run.quality.problems[0] for run in runs if run.quality.problems),
        fmean(known) if known else nan,
    )


def _failing(lines: Sequence[tuple[str, Line]]) -> tuple[Line, ...]:
    best = next(one.label for one in GRIDS["overall"].configurations if one.method == BEST)
    ours = [
        line
        for grid, line in lines
        if grid == "overall" and line.configuration == best and line.program is None and line.counts[1]
    ]
    return tuple(sorted(ours, key=lambda line: (-line.counts[1], line.property))[:MOST_FAILING])
