"""What buto itself needs: time besides the program's own, memory, and the start of its commands."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import numpy as np

from buto.measure.opener import open_collector
from perf import ROOT
from perf.collecting.idle import is_the_program, tree
from perf.collecting.napping import compiled, java, measured, target, unmeasured
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "The harness"
ADDED_S = 0.085
MEMORY_MB = 100.0
HELP_S = 0.2
LAUNCH_S = 0.3
BEYOND_S = 0.5
NAP_MS = 500
BYTECODE = Path(gettempdir()) / "buto-perf-bytecode"
"""Not in the checkout; what has changed is compiled again by Python."""
CHECK = ("check", "nap", "--runs", "1", "-q")

ANNOUNCING = """\
import sys, time
def announce(event, arguments):
    if event == "subprocess.Popen" and str(arguments[0]).endswith("java"):
        print("launched", time.monotonic_ns(), file=sys.stderr, flush=True)
sys.addaudithook(announce)
from buto.cli.main import entry
entry()
"""
"""The command line, which also prints when it starts a JVM."""


def command_line(*words: str, announcing: bool = False) -> list[str]:
    return [sys.executable, *(["-c", ANNOUNCING] if announcing else ["-m", "buto"]), *words]


def environment() -> dict[str, str]:
    """Return an environment in which modules are compiled once, as those of an installed package are."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return own | {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(BYTECODE)}


def wall_s(command: list[str] | tuple[str, ...]) -> float:
    began = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment(), check=True)
    return time.monotonic() - began


@dataclass(frozen=True)
class AddedTime:
    """How much longer a recorded launch takes than one that is not recorded, in seconds, and where."""

    whole: float
    before_main: float
    at_the_exit: float

    @property
    def beside(self) -> float:
        """Before the process begins and after it has ended."""
        return self.whole - self.before_main - self.at_the_exit


def added(classes: Path, n_launches: int) -> Iterator[AddedTime]:
    """Yield what each of some recorded launches takes more than the one before it, which was not recorded."""
    command = java(classes, "Nap", str(NAP_MS), "0")
    with open_collector(target(command)) as collector:
        for _ in range(n_launches):
            plain = unmeasured(command)
            began_ns = time.monotonic_ns()
            ours = measured(collector)
            whole_ns = time.monotonic_ns() - began_ns - (plain.ended_ns - plain.started_ns)
            before_ns = ours.printed("begin") - ours.started_ns - (plain.printed("begin") - plain.started_ns)
            yield AddedTime(whole_ns * 1e-9, before_ns * 1e-9, (ours.exit_ms - plain.exit_ms) * 1e-3)


def figures_of(launches: Sequence[AddedTime]) -> Iterator[BenchmarkFigure]:
    """Yield the wall time that a launch takes more, and the parts of it."""
    parts = {
        "before `main`": [launch.before_main for launch in launches],
        "between the program's end and its process's": [launch.at_the_exit for launch in launches],
        "by buto, before and after the process": [launch.beside for launch in launches],
    }
    reason = "; ".join(f"{1000 * np.median(values):.0f} ms {where}" for where, values in parts.items())
    whole = [launch.whole for launch in launches]
    yield at_most("wall time added to a launch", whole, ADDED_S, "s", 3, reason)
    for where, values in parts.items():
        yield figure_of(f"wall time added {where}", values, "s", 3)


def trained(directory: Path, classes: Path) -> None:
    """Train an oracle for the program, as a user does before ``buto check``."""
    words = ("train", "nap", "--runs", "5", "-q", "--", *java(classes, "Nap", str(NAP_MS), "0"))
    subprocess.run(
        command_line(*words), cwd=directory, env=environment(), check=True, stdout=subprocess.DEVNULL
    )


def launch_s(directory: Path) -> float:
    """Return the seconds from the start of ``buto check`` to the start of its JVM."""
    began = time.monotonic_ns()
    done = subprocess.run(
        command_line(*CHECK, announcing=True),
        cwd=directory,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    (launched,) = [int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("launched")]
    return (launched - began) * 1e-9


def beyond_s(directory: Path, classes: Path) -> float:
    """Return the seconds that ``buto check`` takes more than the program alone."""
    plain = wall_s(java(classes, "Nap", str(NAP_MS), "0"))
    began = time.monotonic()
    subprocess.run(
        command_line(*CHECK), cwd=directory, env=environment(), stdout=subprocess.DEVNULL, check=False
    )
    return time.monotonic() - began - plain


def largest_mb(directory: Path) -> float:
    """Return the memory of ``buto check`` while its JVM lives."""
    command = command_line(*CHECK)
    largest = 0.0
    with subprocess.Popen(command, cwd=directory, env=environment(), stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            if any(is_the_program(pid) for pid in tree(process.pid)):
                largest = max(largest, memory_mb(process.pid))
            time.sleep(0.02)
    return largest


def memory_mb(pid: int) -> float:
    """Return the resident memory now: that of measuring, not of judging later."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024e-6
    return 0.0


def measure(n_launches: int, n_starts: int) -> Iterator[BenchmarkFigure]:
    with compiled() as classes, TemporaryDirectory(prefix="buto-perf-") as directory:
        yield from figures_of(list(added(classes, n_launches)))
        helps, bare, starts, beyond = [], [], [], []
        trained(Path(directory), classes)
        for _ in range(n_starts):
            helps.append(wall_s(command_line("--help")))
            bare.append(wall_s([sys.executable, "-c", "pass"]))
            starts.append(launch_s(Path(directory)))
            beyond.append(beyond_s(Path(directory), classes))
        memory = [largest_mb(Path(directory)) for _ in range(3)]
        yield at_most("memory of `buto check` while it measures", memory, MEMORY_MB, "MB")
        yield at_most("`buto --help`", helps, HELP_S, "s", 3)
        yield figure_of("a Python that does nothing", bare, "s", 3)
        yield at_most("`buto check` from its start to the JVM's launch", starts, LAUNCH_S, "s", 3)
        yield at_most("a check's time beyond the program's", beyond, BEYOND_S, "s", 3)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--launches", type=int, default=20)
    parser.add_argument("--starts", type=int, default=10)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.launches, options.starts)), options)


if __name__ == "__main__":
    sys.exit(main())
