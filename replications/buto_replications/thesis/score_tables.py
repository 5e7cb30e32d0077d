"""Tables of scores and their errors, best first, each beside the numbers of the thesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np
import numpy.typing as npt

from buto.run.model import FloatArray
from buto_replications.design import PROGRAMS
from buto_replications.scores import MCC, SCORES, Score
from buto_replications.thesis import published
from buto_replications.thesis.evaluation import Counts, Evaluation
from buto_replications.thesis.grids import Grid, GridConfiguration, Method, configuration, runs_of
from buto_replications.thesis.published import Scope

TOGETHER = ""
"""Stands for all properties together, in place of a property's name."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One configuration in one scope.

    Attributes:
        property: its name, or :data:`TOGETHER`.
        n_training: number of training runs of a variant.
        counts: true positives, false negatives, true negatives, false positives, over all splits.
        scores: accuracy, precision and MCC; NaN if undefined.
        errors: their standard errors, clustered by run; NaN if not known.
        thesis: the line of this configuration in the thesis, if it is printed.
    """

    configuration: str
    program: str | None
    property: str
    n_training: int
    n_splits: int
    counts: tuple[int, int, int, int]
    scores: tuple[float, float, float]
    errors: tuple[float, float, float]
    thesis: published.PublishedRow | None = None


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A table of the thesis, repeated.

    Attributes:
        number: of the thesis, as ``5.14``; empty if the thesis does not have this table.
        lines: of the thesis's configurations, the best MCC first, undefined ones last.
        more: of configurations that the thesis does not have.
        only_printed: lines of the thesis that we have no counterpart of.
    """

    number: str
    grid: str
    title: str
    lines: tuple[ScoreLine, ...]
    more: tuple[ScoreLine, ...] = ()
    only_printed: tuple[published.PublishedRow, ...] = ()

    def line(self, configuration: str) -> ScoreLine | None:
        return next(
            (
                score_line
                for score_line in (*self.lines, *self.more)
                if score_line.configuration == configuration
            ),
            None,
        )


def by_run(
    evaluation: Evaluation, method: Method, scope: Scope
) -> tuple[npt.NDArray[np.int64], list[str]] | None:
    """Return a method's counts by run, shape (n_runs, 4), and the variant of each run.

    None if nothing was evaluated in the scope: no such program, or no such property.
    """
    names = list(evaluation.runs)
    counts = np.zeros((len(names), evaluation.n_runs, 4), np.int64)
    is_evaluated = False
    for experiment in evaluation.experiments:
        if scope.program not in (None, experiment.program) or (method, experiment) not in evaluation.judged:
            continue
        column = _column(evaluation, experiment.program, scope)
        if column is None:
            continue
        is_evaluated = True
        judged = evaluation.judged[method, experiment]
        # Of a positive run (rejected, accepted) are (FN, TP), of a negative one (TN, FP).
        counts[names.index(experiment.training), :, :2] += judged.positive[:, column, ::-1]
        counts[names.index(experiment.negative), :, 2:] += judged.negative[:, column]
    variants = [name for name in names for _ in range(evaluation.n_runs)]
    return (counts.reshape(-1, 4), variants) if is_evaluated else None


def example_by_run(evaluation: Evaluation, example: published.Example) -> tuple[Counts, Counts] | None:
    """Return how often each positive and each negative run of an example was rejected and accepted.

    Both have the shape (n_runs, 2). None if the experiment was not evaluated.
    """
    method = configuration("5.14", example.configuration).method
    for experiment in evaluation.experiments:
        judged = evaluation.judged.get((method, experiment))
        if judged is not None and (experiment.training, experiment.negative) == (
            example.training,
            example.negative,
        ):
            column = _column(evaluation, experiment.program, Scope(experiment.program, example.properties))
            return None if column is None else (judged.positive[:, column], judged.negative[:, column])
    return None


def line(
    evaluation: Evaluation,
    configuration: GridConfiguration,
    scope: Scope,
    thesis: published.PublishedRow | None = None,
) -> ScoreLine | None:
    """Return one configuration in one scope; None if it was not evaluated."""
    run_counts = by_run(evaluation, configuration.method, scope)
    if run_counts is None:
        return None
    counts, variants = run_counts
    lines = _lines(
        evaluation,
        configuration,
        scope.program,
        (_name_here(evaluation, scope),),
        counts[:, np.newaxis],
        variants,
    )
    return replace(next(lines), thesis=thesis)


def table(evaluation: Evaluation, grid: Grid, number: str, scope: Scope, title: str) -> ScoreTable:
    """Return a grid's configurations in one scope, beside table ``number`` of the thesis, if not empty."""
    printed = {row.configuration: row for row in (published.rows(number) if number else ())}
    lines = [
        line(evaluation, grid_configuration, scope, printed.get(grid_configuration.label))
        for grid_configuration in grid.configurations
    ]
    more = [line(evaluation, grid_configuration, scope) for grid_configuration in grid.more]
    ours = {score_line.configuration for score_line in lines if score_line is not None}
    return ScoreTable(
        number,
        grid.name,
        title,
        tuple(_rank(score_line for score_line in lines if score_line is not None)),
        tuple(score_line for score_line in more if score_line is not None),
        tuple(row for label, row in printed.items() if label not in ours),
    )


def tables_of(evaluation: Evaluation, grid: Grid) -> Iterator[ScoreTable]:
    """Yield the tables of the thesis for one of its experiments."""
    if grid.name != "overall":
        yield table(evaluation, grid, grid.table, Scope(), f"{grid.name}: {grid.varies}")
        return
    for number, scope in published.SCOPES.items():
        of_scope = table(evaluation, grid, number, scope, _title(evaluation, scope))
        if of_scope.lines:
            yield of_scope


def everything(evaluation: Evaluation, grid: Grid) -> Iterator[ScoreLine]:
    """Yield every configuration of a grid, for all programs and each, for all properties and each."""
    for grid_configuration in grid.all:
        if grid_configuration.method in evaluation.not_applicable:
            continue
        for program in (None, *PROGRAMS):
            columns = _all_columns(evaluation, grid_configuration.method, program)
            if columns is not None:
                for line in _lines(evaluation, grid_configuration, program, *columns):
                    yield replace(line, thesis=_print(grid, line))


def _print(grid: Grid, line: ScoreLine) -> published.PublishedRow | None:
    for number, scope in published.SCOPES.items() if grid.name == "overall" else [(grid.table, Scope())]:
        here = line.property in scope.properties if scope.properties else line.property == TOGETHER
        if here and line.program == scope.program:
            return next(
                (row for row in published.rows(number) if row.configuration == line.configuration), None
            )
    return None


def errors(score: Score, counts: npt.NDArray[np.int64], strata: Sequence[str]) -> FloatArray:
    """Compute :func:`buto_replications.scores.standard_error` of several columns at once.

    Args:
        counts: shape (n_runs, n_columns, 4).
        strata: shape (n_runs,), the variant of each run; equal ones must be adjacent.

    Returns:
        shape (n_columns,).
    """
    gradients = np.array([score.gradient(column_counts) for column_counts in counts.sum(axis=0)])
    influence = np.einsum("rck,ck->rc", counts, gradients)
    judged = counts.sum(axis=2) > 0
    variance = np.where(judged.any(axis=0), 0.0, np.nan)
    labels = np.asarray(strata)
    for start, end in _spans(labels):
        n = judged[start:end].sum(axis=0)
        ours = np.where(judged[start:end], influence[start:end], 0.0)
        away = np.where(judged[start:end], ours - ours.sum(axis=0) / np.maximum(n, 1), 0.0)
        share = n / np.maximum(n - 1, 1) * np.square(away).sum(axis=0)
        variance += np.where(n == 0, 0.0, np.where(n == 1, np.nan, share))
    return np.sqrt(variance)


def _spans(labels: npt.NDArray[np.str_]) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(labels[1:] != labels[:-1]) + 1
    yield from zip([0, *edges.tolist()], [*edges.tolist(), len(labels)], strict=True)


def _all_columns(
    evaluation: Evaluation, method: Method, program: str | None
) -> tuple[tuple[str, ...], npt.NDArray[np.int64], list[str]] | None:
    """Return properties, counts (n_runs, n_columns, 4) and variants, of one program or of all."""
    experiments = [
        experiment for experiment in evaluation.experiments if program in (None, experiment.program)
    ]
    if not experiments:
        return None
    names = list(evaluation.runs)
    programs = dict.fromkeys(experiment.program for experiment in experiments)
    columns = {
        name: place
        for place, name in enumerate(
            [
                *sorted(
                    {
                        prop.name
                        for stored_program in programs
                        for prop in evaluation.properties[stored_program]
                    }
                ),
                TOGETHER,
            ]
        )
    }
    counts = np.zeros((len(names), evaluation.n_runs, len(columns), 4), np.int64)
    for experiment in experiments:
        places = [
            columns[name] for name in (*(p.name for p in evaluation.properties[experiment.program]), TOGETHER)
        ]
        judged = evaluation.judged[method, experiment]
        counts[names.index(experiment.training)][:, places, :2] += judged.positive[:, :, ::-1]
        counts[names.index(experiment.negative)][:, places, 2:] += judged.negative
    variants = [name for name in names for _ in range(evaluation.n_runs)]
    return tuple(columns), counts.reshape(-1, len(columns), 4), variants


def _lines(
    evaluation: Evaluation,
    configuration: GridConfiguration,
    program: str | None,
    properties: Sequence[str],
    counts: npt.NDArray[np.int64],
    variants: list[str],
) -> Iterator[ScoreLine]:
    total = counts.sum(axis=0)
    values = np.column_stack([score.value(total) for score in SCORES])
    uncertain = np.column_stack([errors(score, counts, variants) for score in SCORES])
    method = configuration.method
    for place, name in enumerate(properties):
        tp, fn, tn, fp = (int(number) for number in total[place])
        yield ScoreLine(
            configuration.label,
            program,
            name,
            runs_of(method.training, evaluation.n_runs),
            method.splits,
            (tp, fn, tn, fp),
            _three(values[place]),
            _three(uncertain[place]),
        )


def _three(values: FloatArray) -> tuple[float, float, float]:
    first, second, third = (float(value) for value in values)
    return first, second, third


def _column(evaluation: Evaluation, program: str, scope: Scope) -> int | None:
    names = [prop.name for prop in evaluation.properties[program]]
    if not scope.properties:
        return len(names)
    return next((names.index(name) for name in scope.properties if name in names), None)


def _rank(lines: Iterable[ScoreLine]) -> list[ScoreLine]:
    place = SCORES.index(MCC)
    return sorted(lines, key=lambda text: (isnan(text.scores[place]), -text.scores[place]))


def _title(evaluation: Evaluation, scope: Scope) -> str:
    where = scope.program or "all programs"
    return f"{where}, {_name_here(evaluation, scope) or 'all properties together'}"


def _name_here(evaluation: Evaluation, scope: Scope) -> str:
    """Return the name of a property on this host; names of memory pools differ between collectors."""
    known = {prop.name for properties in evaluation.properties.values() for prop in properties}
    return next((name for name in scope.properties if name in known), TOGETHER)
