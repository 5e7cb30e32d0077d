"""What does measuring an idle program cost the machine, with buto's agent and by polling?

A fresh program that sleeps is measured for some seconds, by each way in turn. Processor time is that of the
program and of all that measures it together, from one second after its start on. Polling is one
``getAttributes`` a bean: by buto's other collector, which polls from Java, and by a plain loop in Python; and
by ``jmxquery`` from PyPI, which starts a JVM for every snapshot and takes as many as it can.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from perf import ROOT
from perf.collecting.napping import compiled, java
from perf.collecting.polling import jmx_options
from perf.figures import BenchmarkFigure, at_least, at_most, benchmark, conclude, figure_of

TITLE = "An idle program: processor time of it and of what measures it"
PERCENT = {"100 ms": 0.6, "10 ms": 3.0}
TIMES_LESS = 25.0
SETTLE_S = 1.5
COLD = (
    "a fifth is the JVM's own and is there without an agent; the agent's thread wakes ten times a second "
    "with cold caches, and buto's process with it; a young JVM still compiles the agent's code"
)
SPARING = "this collector polls from Java, which takes least of all that polls"
JMXQUERY = ROOT / ".venv" / "jmxquery"
PATIENCE_S = 60.0


@dataclass(frozen=True)
class MeasuringWay:
    """One way to measure, as the command of the process that launches the program and does it."""

    name: str
    command: Callable[[Path, float], tuple[str, ...]]


def by_buto(collector: str, interval_s: float) -> Callable[[Path, float], tuple[str, ...]]:
    def command(classes: Path, seconds: float) -> tuple[str, ...]:
        program = java(classes, "Work", "idle", str(round(seconds * 1e3)))
        words = (collector, str(interval_s), *program)
        return (sys.executable, "-m", "perf.collecting.recorder", *words)

    return command


def by_polling(how: str) -> Callable[[Path, float], tuple[str, ...]]:
    def command(classes: Path, seconds: float) -> tuple[str, ...]:
        port, options = jmx_options()
        program = java(classes, "Work", "idle", str(round(seconds * 1e3)), options=options)
        return (sys.executable, "-m", "perf.collecting.polling", how, str(port), str(JMXQUERY), *program)

    return command


WAYS = (
    MeasuringWay(
        "unmeasured", lambda classes, seconds: java(classes, "Work", "idle", str(round(seconds * 1e3)))
    ),
    MeasuringWay("100 ms", by_buto("agent", 0.1)),
    MeasuringWay("10 ms", by_buto("agent", 0.01)),
    MeasuringWay("buto's JMX collector at 100 ms", by_buto("jmx", 0.1)),
    MeasuringWay("`getAttributes` from Python at 100 ms", by_polling("attributes")),
    MeasuringWay("`jmxquery`, one snapshot after the other", by_polling("jmxquery")),
)


def percent(way: MeasuringWay, classes: Path, seconds: float) -> float:
    """Return the processor time over a window in percent of a core."""
    return sum(percent_by_part(way, classes, seconds, lambda pid: {"": cpu_s(pid)}).values())


def percent_by_part(
    way: MeasuringWay, classes: Path, seconds: float, read: Callable[[int], Mapping[str, float]]
) -> dict[str, float]:
    """Return the processor time over a window in percent of a core, by the parts that ``read`` knows."""
    command = way.command(classes, SETTLE_S + seconds + 10)
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not any(is_the_program(pid) for pid in tree(process.pid)):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{way.name}: the program was not started")
            time.sleep(0.01)
        time.sleep(SETTLE_S)
        first, began = read(process.pid), time.monotonic()
        time.sleep(seconds)
        last, ended = read(process.pid), time.monotonic()
        if process.poll() is not None:
            raise SystemExit(f"{way.name}: what measures has ended")
        return {part: 100 * (last[part] - first.get(part, 0.0)) / (ended - began) for part in last}
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def is_the_program(pid: int) -> bool:
    """Return whether a process is the JVM, and not its launcher, which has the same words in its command."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return False
    return words[0].endswith("java") and bool({"Nap", "Work"} & set(words))


def tree(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    pids = [pid]
    for each in pids:
        try:
            for task in Path(f"/proc/{each}/task").iterdir():
                pids.extend(int(word) for word in (task / "children").read_text().split())
        except OSError:
            continue
    return pids


def cpu_s(pid: int) -> float:
    """Return the processor time of a tree, with the children that have ended."""
    return sum(own_s(each) + ended_children_s(each) for each in tree(pid))


def own_s(pid: int) -> float:
    """Return the processor time in nanoseconds if the kernel counts them, because ten milliseconds would be a
    tenth of all.
    """
    try:
        tasks = [task / "schedstat" for task in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int(task.read_text().split()[0]) for task in tasks) * 1e-9
    except OSError:
        return 0.0


SAMPLER, COMPILER = "the agent's thread", "the JVM's compiler"
BUTO, JVM = "buto's process", "the JVM's other threads"
PARTS = (SAMPLER, BUTO, COMPILER, JVM)


def by_part(pid: int) -> dict[str, float]:
    """Return the processor time of a tree in seconds, by whose work it is."""
    seconds = dict.fromkeys(PARTS, 0.0)
    for each in tree(pid):
        if not is_the_program(each):
            seconds[BUTO] += own_s(each)
            continue
        for task in Path(f"/proc/{each}/task").iterdir():
            with suppress(OSError):
                name = (task / "comm").read_text()
                part = SAMPLER if name.startswith("buto") else COMPILER if "Compiler" in name else JVM
                seconds[part] += int((task / "schedstat").read_text().split()[0]) * 1e-9
    return seconds


def ended_children_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def install_jmxquery() -> None:
    if not JMXQUERY.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(JMXQUERY), "jmxquery==0.6.0"], check=True)


def measure(rounds: int, seconds: float) -> Iterator[BenchmarkFigure]:
    install_jmxquery()
    with compiled() as classes:
        seen: dict[str, list[float]] = {way.name: [] for way in WAYS}
        for number in range(rounds):
            # The order changes from round to round, because the speed of machines drifts.
            for way in WAYS[number % len(WAYS) :] + WAYS[: number % len(WAYS)]:
                seen[way.name].append(percent(way, classes, seconds))
                print(f"   {way.name}: {seen[way.name][-1]:.2f} %", flush=True)
        parts = {
            way.name: _join([percent_by_part(way, classes, seconds, by_part) for _ in range(rounds)])
            for way in WAYS
            if way.name in PERCENT
        }
    unmeasured, *others = WAYS
    yield figure_of("unmeasured", seen[unmeasured.name], "% of a core", 2)
    for way in others:
        if way.name in PERCENT:
            values = seen[way.name]
            yield at_most(f"buto's agent at {way.name}", values, PERCENT[way.name], "% of a core", 2, COLD)
            for part, shares in parts[way.name].items():
                yield figure_of(f"buto's agent at {way.name}: {part}", shares, "% of a core", 2)
        else:
            yield figure_of(way.name, seen[way.name], "% of a core", 1)
            ratios = [theirs / ours for theirs, ours in zip(seen[way.name], seen["100 ms"], strict=True)]
            yield at_least(f"{way.name}: times the agent's", ratios, TIMES_LESS, "", 0, SPARING)


def _join(rounds: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    return {part: [shares[part] for shares in rounds] for part in PARTS}


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6.0)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.rounds, options.seconds)), options)


if __name__ == "__main__":
    sys.exit(main())
