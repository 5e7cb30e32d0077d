"""What does monitoring load into a program, and what does a snapshot take inside it?

Classes and threads are those of an idle program with the agent less those of the same without. Beside
the agent stand an agent that does nothing, loaded by ``-javaagent``, and polling over JMX.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from buto.measure.opener import open_collector
from buto.run.model import FloatArray, Run
from perf.collecting.jdks import javas
from perf.collecting.napping import compiled, java, measured, target, unmeasured
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "What monitoring brings into the program"
CLASSES = 300
THREADS = 1
SNAPSHOT_US = 50.0
ALLOCATED_BYTES = 1023
WARM_INTERVAL_S = 0.01
"""At which the JVM has compiled what takes a snapshot within seconds; at 100 ms it interprets it for long."""

SETTLED_S = 0.5
"""After ``main``, when the program has loaded its own classes."""

COLD = "most of it is time of the JVM's own beans and of the kernel, with caches that others have used"
REASON = "the JDK needs most of them to call any agent and to link the lambdas of its own management beans"
YOUNG = (
    "code that runs ten times a second is not compiled for a while; the goal is for a warm program, and this "
    "is a thousandth of a core"
)
THREADS_READ = "106 bytes for each thread, whose contended locks the JDK gives in no other way"


@dataclass(frozen=True)
class Loaded:
    classes: int
    threads: int


def loaded(log: Path, threads: int) -> Loaded:
    classes = sum(" source: " in line for line in log.read_text().splitlines())
    log.unlink()
    return Loaded(classes, threads)


def options(log: Path) -> list[str]:
    return [f"-Xlog:class+load:file={log}"]


def alone(executable: str, classes: Path, log: Path, idle_ms: int, more: Sequence[str] = ()) -> Loaded:
    command = java(classes, "Work", "idle", str(idle_ms), options=[*options(log), *more])
    process = unmeasured((executable, *command[1:]))
    return loaded(log, process.printed("threads"))


def recorded(
    executable: str, classes: Path, log: Path, idle_ms: int, collector: str, interval_s: float = 0.1
) -> tuple[Loaded, Run]:
    command = java(classes, "Work", "idle", str(idle_ms), options=options(log))
    with open_collector(target((executable, *command[1:]), interval_s, collector)) as opened:
        launch = measured(opened)
    return loaded(log, launch.printed("threads")), launch.run


def settled(run: Run, name: str) -> FloatArray:
    """Return a series from half a second after ``main`` to the last sample before the exit hook's."""
    series: FloatArray = run.series(name)[run.times_s >= SETTLED_S][:-1]
    return series


def empty_agent(directory: Path) -> Path:
    (directory / "manifest").write_text("Premain-Class: Empty\n")
    jar = ["jar", "cfm", "empty.jar", "manifest", "-C", "classes", "Empty.class"]
    source = directory / "Empty.java"
    source.write_text("public final class Empty { public static void premain(String nothing) {} }\n")
    subprocess.run(
        ["javac", "--release", "8", "-Xlint:-options", "-d", directory / "classes", source], check=True
    )
    subprocess.run(jar, check=True, cwd=directory)
    return directory / "empty.jar"


def measure(idle_ms: int, repeats: int) -> Iterator[BenchmarkFigure]:
    with compiled() as classes:
        log = classes / "classes.log"
        empty = empty_agent(classes)
        for version, executable in javas().items():
            jdk = f"JDK {version}:"
            plain = alone(executable, classes, log, 100)
            nothing = alone(executable, classes, log, 100, [f"-javaagent:{empty}=x"])
            runs = [recorded(executable, classes, log, idle_ms, "agent") for _ in range(repeats)]
            ours = runs[0][0]
            n_nothing = nothing.classes - plain.classes
            n_classes = [each.classes - plain.classes for each, _ in runs]
            yield at_most(f"{jdk} classes that the agent loads", n_classes, CLASSES, "", 0, REASON)
            yield figure_of(f"{jdk} classes that an empty agent loads by `-javaagent`", [n_nothing], "", 0)
            yield at_most(f"{jdk} threads of the agent", [ours.threads - plain.threads], THREADS, "", 0)
            later = [float(np.ptp(settled(run, "jvm.class.loaded"))) for _, run in runs]
            yield at_most(f"{jdk} classes loaded while the program runs", later, 0, "", 0)
            _, warm = recorded(executable, classes, log, 2 * idle_ms, "agent", WARM_INTERVAL_S)
            snapshots = settled(warm, "buto.snapshot.time")
            half = len(snapshots) // 2
            yield at_most(f"{jdk} snapshot, warm", list(snapshots[half:] * 1e6), SNAPSHOT_US, "us", 1, COLD)
            fresh = np.concatenate([settled(run, "buto.snapshot.time") for _, run in runs])
            young = figure_of(f"{jdk} snapshot in the first seconds at 100 ms", list(fresh * 1e6), "us")
            yield replace(young, reason=YOUNG)
            allocated = [
                float(more) for _, run in runs for more in np.diff(settled(run, "buto.snapshot.allocated"))
            ]
            yield at_most(
                f"{jdk} allocated for a snapshot", allocated, ALLOCATED_BYTES, "bytes", 0, THREADS_READ
            )
            polled, _ = recorded(executable, classes, log, max(idle_ms, 12000), "jmx")
            yield figure_of(f"{jdk} classes by polling over JMX", [polled.classes - plain.classes], "", 0)
            yield figure_of(f"{jdk} threads by polling over JMX", [polled.threads - plain.threads], "", 0)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--idle", type=int, default=4000, help="milliseconds that each program lasts")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    return conclude(TITLE, tuple(measure(given.idle, given.repeats)), given)


if __name__ == "__main__":
    sys.exit(main())
