"""Experiments repeated: tables, claims, and the thesis's figures drawn again from our runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from statistics import fmean

from buto.judging.features import Series, sampling_interval
from buto.judging.thesis.bounds import Bounds, clip
from buto.judging.thesis.pipeline import PipelineSettings
from buto.judging.thesis.time_points import GENERATORS
from buto.judging.views import Band
from buto.report.panels import Curve
from buto.run.model import IntArray, Problem, Run, RunSet
from buto.run.properties import Property
from buto_replications.design import PROGRAMS
from buto_replications.report.content import PicturePanel, ThesisFigure
from buto_replications.thesis import published
from buto_replications.thesis.batch_judging import RunStack, Shares, bounds_of, prepared, smoothing_of
from buto_replications.thesis.chapter5 import claims_of
from buto_replications.thesis.claims import Claim, ClaimDecision, HostEvidence
from buto_replications.thesis.evaluation import SEED, Evaluation, divided, evaluate
from buto_replications.thesis.grids import (
    BEST,
    GRIDS,
    HALF,
    SIMPLE,
    VALIDATION_SHARE,
    Grid,
    configuration,
    runs_of,
)
from buto_replications.thesis.notifications import NotifiedRuns, notified_runs
from buto_replications.thesis.published import EXAMPLES, HEAP_USED, Example, Scope
from buto_replications.thesis.score_tables import (
    ScoreLine,
    ScoreTable,
    everything,
    example_by_run,
    table,
    tables_of,
)
from buto_replications.workers import ALONE, Watch, Workers

EDEN_COMMITTED = ("jvm.memory.committed[PS Eden Space]", "jvm.memory.committed[G1 Eden Space]")
SIZES = (0.1, 0.2, 0.4, 0.8)
WINDOWS = (1, 3, 5, 9, 17)


@dataclass(frozen=True, eq=False, slots=True)
class RunsToDraw:
    """The runs to draw by variant, the same number of each, and the seed of the splits."""

    runs: Mapping[str, Sequence[Run]]
    n_runs: int
    seed: int


def recorded(runs: Mapping[str, RunSet], n_runs: int, seed: int) -> RunsToDraw:
    return RunsToDraw({name: ours.valid().runs[:n_runs] for name, ours in runs.items()}, n_runs, seed)


def figures(data: RunsToDraw, grid: str) -> Iterator[ThesisFigure]:
    """Yield the figures of one experiment of Appendix A for which there are runs."""
    if grid == "training-set-size":
        yield from _by_training_size(data)
    if grid == "smoothing":
        yield from _by_smoothing(data)
    if grid == "overall":
        for example in published.EXAMPLES:
            method = configuration("5.14", example.configuration).method.pipeline
            yield from _compare(data, example, method, raw=example.figure == "5.3")
        for notified in published.NOTIFIED:
            shown = published.Example(
                notified.tables[0],
                notified.figure,
                notified.training,
                notified.negative,
                published.JOBS,
                "S-4",
                (0, 0, 0, 0),
            )
            yield from _compare(data, shown, SIMPLE, raw=False)


def _by_training_size(data: RunsToDraw) -> Iterator[ThesisFigure]:
    variant = "references-strong"
    prop = _property(data, variant, EDEN_COMMITTED)
    if prop is None:
        return
    panels = []
    for share in SIZES:
        if runs_of(share, data.n_runs) + runs_of(VALIDATION_SHARE, data.n_runs) > data.n_runs:
            continue
        training = _divide(data, (variant,), (share, VALIDATION_SHARE))[0][variant]
        model = _Model.of(data, variant, prop, training, SIMPLE)
        panels.append(model.panel(f"{len(training)} training runs", variant, training, "training"))
    yield ThesisFigure(
        "5.1", f"{variant}, {prop.name}: bounds by number of training runs (S-4)", tuple(panels)
    )


def _by_smoothing(data: RunsToDraw) -> Iterator[ThesisFigure]:
    variant = "consumerproducer-v0"
    prop = _property(data, variant, HEAP_USED)
    if prop is None:
        return
    training = _divide(data, (variant,), (HALF, None))[0][variant]
    panels = []
    for window in WINDOWS:
        settings = replace(SIMPLE, smoothing="none" if window == 1 else "mean", window=window)
        model = _Model.of(data, variant, prop, training, settings)
        title = "not smoothed" if window == 1 else f"mean over {window} samples"
        panels.append(model.panel(title, variant, training, "training"))
    yield ThesisFigure("5.2", f"{variant}, {prop.name}: bounds by smoothing (S-4)", tuple(panels))


def _compare(
    data: RunsToDraw, example: published.Example, settings: PipelineSettings, *, raw: bool
) -> Iterator[ThesisFigure]:
    prop = _property(data, example.training, example.properties)
    if prop is None or example.negative not in data.runs:
        return
    names = (example.training, example.negative)
    learned, test = _divide(data, names, (HALF, None))
    training = learned[example.training]
    model = _Model.of(data, example.training, prop, training, settings)
    panels = [
        model.panel("positive runs, model", example.training, test[example.training], "positive"),
        model.panel("negative runs, model", example.negative, test[example.negative], "negative"),
    ]
    if raw:
        unsmoothed = _Model.of(data, example.training, prop, training, replace(settings, smoothing="none"))
        panels = [
            replace(unsmoothed.panel("training runs", example.training, training, "training"), band=None),
            model.panel("training runs, model", example.training, training, "training"),
            *panels,
        ]
    pair = f"{example.training} trains, {example.negative} is negative"
    caption = f"{prop.name}: {pair} ({example.configuration})"
    yield ThesisFigure(example.figure, caption, tuple(panels))


@dataclass(frozen=True, eq=False, slots=True)
class _Model:
    data: RunsToDraw
    prop: Property
    settings: PipelineSettings
    bounds: Bounds

    @staticmethod
    def of(
        data: RunsToDraw, variant: str, prop: Property, training: IntArray, settings: PipelineSettings
    ) -> _Model:
        runs = [data.runs[variant][number] for number in training]
        way = smoothing_of(settings)
        ours = prepared(runs, [prop], [way])
        interval_s = sampling_interval(_each(ours.raw))
        points = GENERATORS[settings.time_points](_each(ours.smoothed[way]), interval_s)
        bounds = bounds_of(points, replace(settings, seed=data.seed), [settings.deviations])[0]
        return _Model(data, prop, settings, clip(bounds, [prop]))

    def panel(self, title: str, variant: str, numbers: IntArray, colour: str) -> PicturePanel:
        way = smoothing_of(self.settings)
        runs = [self.data.runs[variant][number] for number in numbers]
        smoothed = prepared(runs, [self.prop], [way]).smoothed[way]
        curves = tuple(Curve(run_series.times_s, run_series.values[:, 0]) for run_series in _each(smoothed))
        bounds = self.bounds
        band = Band(bounds.times_s, bounds.lower[:, 0], bounds.expected[:, 0], bounds.upper[:, 0])
        return PicturePanel(title, self.prop.unit, curves, band, colour)


def _each(stack: RunStack) -> list[Series]:
    return [stack.run(number) for number in range(len(stack))]


def _divide(
    data: RunsToDraw, names: Sequence[str], shares: Shares
) -> tuple[Mapping[str, IntArray], Mapping[str, IntArray]]:
    split = divided(list(names), data.n_runs, shares, 1, data.seed)[0]
    return split.training, split.test


def _property(data: RunsToDraw, variant: str, names: Sequence[str]) -> Property | None:
    known = {prop.name: prop for run in data.runs.get(variant, ()) for prop in run.properties}
    return next((known[name] for name in names if name in known), None)


MOST_FAILING = 12


@dataclass(frozen=True, slots=True)
class RecordedVariant:
    """The recorded runs of a variant.

    Attributes:
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
    tables: tuple[ScoreTable, ...]
    by_program: tuple[ScoreTable, ...]
    failing: tuple[ScoreLine, ...]
    notified: tuple[NotifiedRuns, ...]
    claims: tuple[tuple[Claim, ClaimDecision], ...]
    pictures: tuple[ThesisFigure, ...]
    examples: tuple[tuple[Example, tuple[int, int, int, int]], ...]
    lines: tuple[tuple[str, ScoreLine], ...]


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
    methods = [grid_configuration.method for grid in grids for grid_configuration in grid.all]
    evaluation = evaluate(runs, methods, seed=seed, workers=workers, watch=watch)
    with_notifications = any(grid.name == "overall" for grid in grids)
    notified = notified_runs(runs, seed) if with_notifications else ()
    evidence = HostEvidence(evaluation, {figure_runs.thesis.figure: figure_runs for figure_runs in notified})
    data = recorded({name: runs[name] for name in evaluation.runs}, evaluation.n_runs, seed)
    lines = tuple((grid.name, line) for grid in grids for line in everything(evaluation, grid))
    return Results(
        host,
        grids,
        evaluation,
        tuple(_record(name, runs[name]) for name in evaluation.runs),
        tuple(score_table for grid in grids for score_table in tables_of(evaluation, grid)),
        tuple(
            table(evaluation, grid, "", Scope(program), f"{grid.varies}: {program}")
            for grid in grids
            for program in PROGRAMS
            if grid.name != "overall"
            and any(experiment.program == program for experiment in evaluation.experiments)
        ),
        _failing(lines),
        notified,
        tuple((claim, claim.decide(evidence)) for claim in claims_of({grid.table for grid in grids})),
        tuple(figure for grid in grids for figure in figures(data, grid.name)),
        tuple(_examples(evaluation)),
        lines,
    )


def _examples(evaluation: Evaluation) -> Iterator[tuple[Example, tuple[int, int, int, int]]]:
    for example in EXAMPLES:
        by_run = example_by_run(evaluation, example)
        if by_run is not None:
            (fn, tp), (tn, fp) = (counts.sum(axis=0).tolist() for counts in by_run)
            yield example, (tp, fn, tn, fp)


def _record(variant: str, runs: RunSet) -> RecordedVariant:
    known = [run.quality.foreign_load for run in runs.valid() if not isnan(run.quality.foreign_load)]
    return RecordedVariant(
        variant,
        len(runs.valid()),
        tuple(run.quality.problems[0] for run in runs if run.quality.problems),
        fmean(known) if known else nan,
    )


def _failing(lines: Sequence[tuple[str, ScoreLine]]) -> tuple[ScoreLine, ...]:
    best = next(
        grid_configuration.label
        for grid_configuration in GRIDS["overall"].configurations
        if grid_configuration.method == BEST
    )
    ours = [
        line
        for grid, line in lines
        if grid == "overall" and line.configuration == best and line.program is None and line.counts[1]
    ]
    return tuple(sorted(ours, key=lambda line: (-line.counts[1], line.property))[:MOST_FAILING])
