"""Do a thousand launches by one process leave threads, descriptors or memory growing?

Prints a table of what the measuring process (and, for ``jmx``, its worker) holds along the way, and draws it.
The reference is what was held after a tenth of the launches, when everything was loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from buto.errors import MeasureError
from buto.measure.opener import open_collector
from buto.measure.target import Target
from perf.collecting.napping import compiled
from perf.figures import BenchmarkFigure, benchmark, conclude


@dataclass(frozen=True)
class Held:
    """The resources that a process holds."""

    threads: int
    descriptors: int
    memory_mib: float

    def __str__(self) -> str:
        return f"{self.threads:4d} threads {self.descriptors:4d} descriptors {self.memory_mib:8.1f} MiB"


def held(pid: int) -> Held:
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
    )
    descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    return Held(int(status["Threads"]), descriptors, int(status["VmRSS"].split()[0]) / 1024)


def children() -> list[int]:
    words = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(word) for word in words]


GROWN = 2
"""Threads and descriptors: what a JVM holds differs by one or two from moment to moment."""

GROWN_MIB = 5.0
"""Of memory from a tenth of the launches to the last of them: what is taken for level."""


def measure(
    collector_name: str, n_launches: int, nap_ms: int, plot: Path | None
) -> Iterator[BenchmarkFigure]:
    buto: list[Held] = []
    worker: list[Held] = []
    missed: list[str] = []
    with compiled() as classes:
        command = ("java", "-cp", str(classes), "Nap", str(nap_ms), "0")
        with open_collector(Target(command, timeout_s=60.0, collector=collector_name)) as collector:
            for number in range(1, n_launches + 1):
                try:
                    collector.record("nap")
                except MeasureError as unmeasured:
                    missed.append(str(unmeasured).splitlines()[0])
                buto.append(held(os.getpid()))
                worker.extend(held(pid) for pid in children()[:1])
                if number == 1 or number % max(1, n_launches // 10) == 0:
                    print(f"{number:5d} launches   {buto[-1]}   {worker[-1] if worker else ''}", flush=True)
    yield from growth(f"{n_launches} by {collector_name}: buto", buto)
    if worker:
        yield from growth(f"{n_launches} by {collector_name}: its worker", worker)
    if plot is not None:
        draw(
            plot,
            f"{n_launches:,} launches by one process, {collector_name}",
            {"buto": buto, "its worker": worker},
        )
    reasons = f" ({'; '.join(sorted(set(missed)))})" if missed else ""
    yield BenchmarkFigure("launches without a run", f"{len(missed)}{reasons}")
    left = len(children())
    yield BenchmarkFigure("processes left behind", str(left), goal="0", met=left == 0)
    if plot is not None:
        yield BenchmarkFigure("all launches, drawn", f"[images/{plot.name}](../images/{plot.name})")


def growth(whose: str, along: Sequence[Held]) -> Iterator[BenchmarkFigure]:
    """Yield what was held early, when all was loaded, and at the end."""
    early, late = along[len(along) // 10], along[-1]
    level = late.threads - early.threads <= GROWN and late.descriptors - early.descriptors <= GROWN
    held_then = f"{early.threads}, then {late.threads}; {early.descriptors}, then {late.descriptors}"
    yield BenchmarkFigure(
        f"{whose}: threads; descriptors", held_then, goal=f"at most {GROWN} more", met=level
    )
    grown = late.memory_mib - early.memory_mib
    yield BenchmarkFigure(
        f"{whose}: memory",
        f"{early.memory_mib:.1f}, then {late.memory_mib:.1f} MiB",
        goal=f"at most {GROWN_MIB:g} MiB more",
        met=grown <= GROWN_MIB,
    )


def draw(place: Path, title: str, along: Mapping[str, Sequence[Held]]) -> None:
    """Draw memory, threads and descriptors over the launches, as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(3, 1, sharex=True, figsize=(8, 6), layout="constrained")
    for axis, name in zip(axes, ("memory_mib", "threads", "descriptors"), strict=True):
        courses = {whose: [getattr(lease, name) for lease in held_then] for whose, held_then in along.items()}
        for whose, values in courses.items():
            if values:
                axis.plot(range(1, len(values) + 1), values, label=whose, linewidth=1)
        axis.set_ylabel("memory, MiB" if name == "memory_mib" else name)
        axis.set_ylim(0, 1.2 * max(max(values, default=1) for values in courses.values()))
    axes[0].set_title(title)
    axes[0].legend(loc="lower right")
    axes[-1].set_xlabel("launch")
    figure.savefig(place, dpi=100, metadata={"Software": None})
    pyplot.close(figure)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--launches", type=int, default=1000)
    parser.add_argument("--collector", choices=("agent", "jmx"), default="agent")
    parser.add_argument("--nap", type=int, default=0, help="milliseconds that each program lasts")
    parser.add_argument("--plot", type=Path, help="draw it into this PNG file")
    options = parser.parse_args()
    title = f"Many launches by one process, collector {options.collector}"
    measured = measure(options.collector, options.launches, options.nap, options.plot)
    return conclude(title, tuple(measured), options)


if __name__ == "__main__":
    sys.exit(main())
