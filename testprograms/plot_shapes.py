"""Draw what the test programs use over time, from stored runs: a row for each program, a line for each run.

buto record --config configs/parallel.yaml --store DIR
python testprograms/plot_shapes.py --store DIR --out replications/docs/images/testprograms.png
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from PIL import Image

from buto.run.model import FloatArray, Run
from buto.run.store import RunStore

MIB = float(1 << 20)
COLOURS = plt.get_cmap("tab10").colors  # type: ignore[attr-defined]


class Panel(NamedTuple):
    """What one small picture shows: the sum of all properties whose names match, in some unit."""

    title: str
    pattern: str
    divisor: float = 1.0
    logarithmic: bool = False
    since_start: bool = False

    def values(self, run: Run) -> FloatArray:
        """Shape (n_samples,); NaN where no property matches."""
        columns = [run.series(name) for name in run.column_of if fnmatchcase(name, self.pattern)]
        if not columns:
            return np.full(len(run.times_s), np.nan)
        total: FloatArray = np.sum(columns, axis=0) / self.divisor
        return total - total[0] if self.since_start else total


HEAP = Panel("heap used, MiB", "jvm.memory.heap.used", MIB)
COMMITTED = Panel("heap committed, MiB", "jvm.memory.heap.committed", MIB)
EDEN = Panel("eden used, MiB", "jvm.memory.used[[]*Eden*", MIB)
OLD = Panel("old generation used, MiB", "jvm.memory.used[[]*Old*", MIB)
# PS Scavenge and PS MarkSweep, or G1 Young Generation and G1 Old Generation.
YOUNG_GCS = Panel("young collections", "jvm.gc.count[[][PG][S1] [SY]*")
FULL_GCS = Panel("full collections", "jvm.gc.count[[][PG][S1] [MO]*")
THREADS = Panel("threads", "jvm.thread.count")
METASPACE = Panel("metaspace used, MiB", "jvm.memory.used[[]Metaspace]", MIB)
CLASSES = Panel("classes since the start", "jvm.class.count", logarithmic=True, since_start=True)
COMPILATION = Panel("time compiling, s", "jvm.compilation.time")
QUEUE = Panel("queue size", "mbean*/State.queueSize", logarithmic=True)
JOBS = Panel("processed jobs", "mbean*/State.processedJobs", logarithmic=True)

ROWS = {
    "references": (HEAP, COMMITTED, EDEN, OLD, YOUNG_GCS, FULL_GCS),
    "leaker": (HEAP, COMMITTED, OLD, YOUNG_GCS, FULL_GCS, THREADS),
    "classloading": (HEAP, OLD, METASPACE, CLASSES, COMPILATION, FULL_GCS),
    "consumerproducer": (HEAP, OLD, YOUNG_GCS._replace(logarithmic=True), THREADS, QUEUE, JOBS),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the runs of every test in a store, draw, write a PNG."""
    parser = argparse.ArgumentParser(description="Draw the shapes of the test programs.")
    parser.add_argument("--store", type=Path, required=True, help="where the runs are")
    parser.add_argument("--out", type=Path, required=True, help="the picture to write")
    options = parser.parse_args(arguments)
    store = RunStore(options.store)
    tests = {test: store.load_set(test).runs for test in sorted(store.tests())}
    figure, grid = plt.subplots(len(ROWS), 6, figsize=(16, 8.6), layout="constrained")
    for axes, (program, panels) in zip(grid, ROWS.items(), strict=True):
        variants = {test: runs for test, runs in tests.items() if test.startswith(program + "-")}
        for place, panel in zip(axes, panels, strict=True):
            draw(place, panel, variants)
        axes[0].set_ylabel(program, fontsize=10)
        names = [test.removeprefix(program + "-") for test in variants]
        handles = axes[-1].get_legend_handles_labels()[0]
        axes[-1].legend(
            handles, names, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1
        )
    figure.supxlabel("seconds from main", fontsize=9)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=80)
    # Lines on white need no more than a palette, which is a third of the size.
    palette = (
        Image.open(drawn).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    )
    palette.save(options.out, optimize=True)


def draw(place: Axes, panel: Panel, variants: dict[str, tuple[Run, ...]]) -> None:
    """All runs of one program's variants in one small picture."""
    for colour, runs in zip(COLOURS, variants.values(), strict=False):
        for number, run in enumerate(runs):
            label = None if number else run.test
            place.plot(run.times_s, panel.values(run), color=colour, linewidth=0.9, label=label)
    place.set_title(panel.title, fontsize=9)
    if panel.logarithmic:
        place.set_yscale("symlog", linthresh=10)
    place.set_ylim(bottom=0)
    place.tick_params(labelsize=7)


if __name__ == "__main__":
    main()
