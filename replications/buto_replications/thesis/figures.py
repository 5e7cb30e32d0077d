"""The figures 5.1 to 5.12 of the thesis, drawn from the runs of the first split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from buto.judging.features import Series, sampling_interval
from buto.judging.thesis.bounds import Bounds, clip
from buto.judging.thesis.pipeline import PipelineSettings
from buto.judging.thesis.time_points import GENERATORS
from buto.judging.views import Band
from buto.report.panels import Curve
from buto.run.model import IntArray, Run, RunSet
from buto.run.properties import Property
from buto_replications.report.content import Picture, PicturePanel
from buto_replications.thesis import published
from buto_replications.thesis.batch_judging import Shares, Stack, bounds_of, prepared, smoothing_of
from buto_replications.thesis.evaluation import divided
from buto_replications.thesis.grids import HALF, SIMPLE, VALIDATION_SHARE, configuration, runs_of
from buto_replications.thesis.published import HEAP_USED

EDEN_COMMITTED = ("jvm.memory.committed[PS Eden Space]", "jvm.memory.committed[G1 Eden Space]")
SIZES = (0.1, 0.2, 0.4, 0.8)
WINDOWS = (1, 3, 5, 9, 17)


@dataclass(frozen=True, eq=False, slots=True)
class Recorded:
    """The runs to draw by variant, the same number of each, and the seed of the splits."""

    runs: Mapping[str, Sequence[Run]]
    n_runs: int
    seed: int


def recorded(runs: Mapping[str, RunSet], n_runs: int, seed: int) -> Recorded:
    return Recorded({name: ours.valid().runs[:n_runs] for name, ours in runs.items()}, n_runs, seed)


def figures(data: Recorded, grid: str) -> Iterator[Picture]:
    """Yield the figures of one experiment of Appendix A for which there are runs."""
    if grid == "training-set-size":
        yield from _by_training_size(data)
    if grid == "smoothing":
        yield from _by_smoothing(data)
    if grid == "overall":
        for example in published.EXAMPLES:
            method = configuration("5.14", example.configuration).method.pipeline
            yield from _compared(data, example, method, raw=example.figure == "5.3")
        for one in published.NOTIFIED:
            shown = published.Example(
                one.tables[0], one.figure, one.training, one.negative, published.JOBS, "S-4", (0, 0, 0, 0)
            )
            yield from _compared(data, shown, SIMPLE, raw=False)


def _by_training_size(data: Recorded) -> Iterator[Picture]:
    variant = "references-strong"
    prop = _property(data, variant, EDEN_COMMITTED)
    if prop is None:
        return
    panels = []
    for share in SIZES:
        if runs_of(share, data.n_runs) + runs_of(VALIDATION_SHARE, data.n_runs) > data.n_runs:
            continue
        training = _divided(data, (variant,), (share, VALIDATION_SHARE))[0][variant]
        model = _Model.of(data, variant, prop, training, SIMPLE)
        panels.append(model.panel(f"{len(training)} training runs", variant, training, "training"))
    yield Picture("5.1", f"{variant}, {prop.name}: bounds by number of training runs (S-4)", tuple(panels))


def _by_smoothing(data: Recorded) -> Iterator[Picture]:
    variant = "consumerproducer-v0"
    prop = _property(data, variant, HEAP_USED)
    if prop is None:
        return
    training = _divided(data, (variant,), (HALF, None))[0][variant]
    panels = []
    for window in WINDOWS:
        settings = replace(SIMPLE, smoothing="none" if window == 1 else "mean", window=window)
        model = _Model.of(data, variant, prop, training, settings)
        title = "not smoothed" if window == 1 else f"mean over {window} samples"
        panels.append(model.panel(title, variant, training, "training"))
    yield Picture("5.2", f"{variant}, {prop.name}: bounds by smoothing (S-4)", tuple(panels))


def _compared(
    data: Recorded, example: published.Example, settings: PipelineSettings, *, raw: bool
) -> Iterator[Picture]:
    prop = _property(data, example.training, example.properties)
    if prop is None or example.negative not in data.runs:
        return
    names = (example.training, example.negative)
    learned, test = _divided(data, names, (HALF, None))
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
    yield Picture(example.figure, caption, tuple(panels))


@dataclass(frozen=True, eq=False, slots=True)
class _Model:
    data: Recorded
    prop: Property
    settings: PipelineSettings
    bounds: Bounds

    @staticmethod
    def of(
        data: Recorded, variant: str, prop: Property, training: IntArray, settings: PipelineSettings
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
        curves = tuple(Curve(one.times_s, one.values[:, 0]) for one in _each(smoothed))
        bounds = self.bounds
        band = Band(bounds.times_s, bounds.lower[:, 0], bounds.expected[:, 0], bounds.upper[:, 0])
        return PicturePanel(title, self.prop.unit, curves, band, colour)


def _each(stack: Stack) -> list[Series]:
    return [stack.run(number) for number in range(len(stack))]


def _divided(
    data: Recorded, names: Sequence[str], shares: Shares
) -> tuple[Mapping[str, IntArray], Mapping[str, IntArray]]:
    split = divided(list(names), data.n_runs, shares, 1, data.seed)[0]
    return split.training, split.test


def _property(data: Recorded, variant: str, names: Sequence[str]) -> Property | None:
    known = {prop.name: prop for run in data.runs.get(variant, ()) for prop in run.properties}
    return next((known[name] for name in names if name in known), None)
