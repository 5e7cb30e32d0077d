"""What a cluster costs and keeps: ``python -m perf.scale.cluster launches``, or ``killed``.

``launches`` records programs that sleep for a second, on one host and on four, and prints the speed-up and
what each launch costs beside a launch without a cluster. ``killed`` records runs while hosts are killed and
stopped at random, and fails unless each run is stored once and no host launched two JVMs at the same time:
each program holds a lock of its host, and those that were given up count, too.

All hosts are workers on this machine, so run it while nothing else does.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

from distributed import Client, LocalCluster

from buto import jars
from buto.actions.collecting import LaunchPlan, collect
from buto.actions.events import Event, LaunchRepeated, RunStored
from buto.engine.launching import EngineFor, LocalEngine
from buto.measure.target import Target
from buto.run.model import WORKER, Run
from buto.run.store import RunStore
from buto_cluster.connection import Cluster, loopback_scheduler
from buto_cluster.engine import ClusterEngine
from perf.scale.namespaces import Namespaces, namespaces

LAUNCHES = 100
HOSTS = 4
NAMES = [f"host{number}" for number in range(HOSTS)]
KILLED_RUNS = 200
TESTS = 20
DISTURBANCE_S = (2.0, 6.0)
"""Between two disturbances, at least and at most."""

STOPPED_S = 8.0
SILENT_S = 4.0

HOST = "BUTO_PERF_HOST"
"""A variable of every worker, and so of the programs that it starts: its name."""

JOIN_S = 120.0


class LocalWorkers:
    """The workers of this machine, by name.

    Args:
        spaces: the network namespaces in which they are; None for loopback.
    """

    def __init__(self, address: str, directory: Path, spaces: Namespaces | None = None) -> None:
        self.address = address
        self.directory = directory
        self.spaces = spaces
        self.processes: dict[str, subprocess.Popen[str]] = {}

    def add(self, name: str) -> None:
        """Start a worker, and return when it has joined."""
        words = [
            "--scheduler",
            self.address,
            "--name",
            name,
            "--no-doctor",
            "--directory",
            str(self.directory),
        ]
        inside = [] if self.spaces is None else self.spaces.inside(name)
        process = subprocess.Popen(
            [*inside, sys.executable, "-m", "buto", "worker", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, HOST: name},
        )
        self.processes[name] = process
        assert process.stdout is not None
        if "has joined" not in process.stdout.readline():
            raise RuntimeError(f"the worker {name} did not join")

    def close(self) -> None:
        """End all workers."""
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.processes.values():
            process.wait(JOIN_S)


@contextmanager
def cluster_of(
    names: Sequence[str], silent_s: float, spaces: Namespaces | None = None
) -> Iterator[tuple[LocalWorkers, EngineFor]]:
    """Yield the workers of a new cluster, and what creates its engine."""
    with (
        tempfile.TemporaryDirectory() as directory,
        scheduler_in(spaces) as scheduler,
        Client(scheduler, set_as_default=False) as client,
    ):
        workers = LocalWorkers(str(scheduler.scheduler_address), Path(directory), spaces)
        try:
            for name in names:
                workers.add(name)
            yield workers, partial(ClusterEngine, cluster=Cluster(client, workers.address, silent_s))
        finally:
            workers.close()


def scheduler_in(spaces: Namespaces | None) -> LocalCluster:
    """Start a scheduler that hosts in namespaces can reach, or on loopback."""
    if spaces is None:
        return loopback_scheduler()
    return LocalCluster(n_workers=0, host=spaces.here, dashboard_address="127.0.0.1:0", silence_logs=50)


def sleeping(seconds: float) -> Target:
    """Return a program that sleeps, most of the time."""
    words = ("buto.testprograms.leaker.Leaker", "--duration", f"{seconds:g}s")
    return Target(("java", "-XX:TieredStopAtLevel=1", "-cp", str(jars.path(jars.TESTPROGRAMS)), *words))


def alone(program: Target, directory: Path) -> Target:
    """Return the program so that it ends at once if another one of its host has not ended yet."""
    line = f'exec flock --nonblock --no-fork "$0/${HOST}.lock" {shlex.join(program.command)}'
    return Target(("sh", "-c", line, str(directory)))


def recorded(
    engine_for: EngineFor,
    store: RunStore,
    counts: dict[str, int],
    program: Target,
    on_event: Callable[[Event], None] = lambda event: None,
) -> float:
    """Record runs and return how long that took, seconds."""
    plans = [LaunchPlan(test, program, runs) for test, runs in counts.items()]
    began_s = time.monotonic()
    results = collect(plans, store, on_event, seed=1, purpose="record", engine_for=engine_for)
    took_s = time.monotonic() - began_s
    failures = [str(result.failure) for result in results.values() if result.failure is not None]
    if failures:
        raise SystemExit("\n".join(failures))
    return took_s


def launches(number: int) -> dict[str, float]:
    """Return times of the same launches without a cluster, on one host, and on several."""
    counts = dict.fromkeys((f"test{test:02}" for test in range(TESTS)), number // TESTS)
    times: dict[str, float] = {"launches": number}

    def measure(name: str, engine_for: EngineFor, n_hosts: int = 1) -> None:
        with tempfile.TemporaryDirectory() as directory:
            store = RunStore(Path(directory))
            # The first launch of a host loads what the others find.
            first = {f"first{host}": 1 for host in range(n_hosts)}
            recorded(engine_for, store, first, sleeping(1.0))
            times[name] = round(recorded(engine_for, store, counts, sleeping(1.0)), 2)

    measure("without_cluster_s", LocalEngine)
    for n_hosts in (1, HOSTS):
        with cluster_of([f"host{number}" for number in range(n_hosts)], 30.0) as (_, engine_for):
            measure(f"hosts_{n_hosts}_s", engine_for, n_hosts)
    one_s, all_s = times["hosts_1_s"], times[f"hosts_{HOSTS}_s"]
    times["speed_up"] = round(one_s / all_s, 2)
    times["overhead_ms_per_launch"] = round((one_s - times["without_cluster_s"]) / number * 1e3, 1)
    return times


def killed(number: int, seed: int, spaces: Namespaces | None = None) -> dict[str, object]:
    """Record runs while hosts are killed, stopped and, in namespaces, cut off; return what happened.

    A second JVM on a host fails its test, and then all.
    """
    kinds = ["killed", "stopped", *([] if spaces is None else ["cut off"])]
    source, over = random.Random(seed), threading.Event()
    events: list[Event] = []
    disturbed: Counter[str] = Counter()

    with (
        tempfile.TemporaryDirectory() as directory,
        cluster_of(NAMES, SILENT_S, spaces) as (workers, engine_for),
    ):

        def disturb() -> None:
            while not over.wait(source.uniform(*DISTURBANCE_S)):
                name, kind = source.choice(NAMES), source.choice(kinds)
                disturbed[kind] += 1
                process = workers.processes[name]
                if kind == "killed":
                    process.kill()
                    process.wait()
                    workers.add(name)
                    continue
                if kind == "cut off" and spaces is not None:
                    spaces.cut(name)
                    over.wait(STOPPED_S)
                    spaces.join(name)
                else:
                    process.send_signal(signal.SIGSTOP)
                    over.wait(STOPPED_S)
                    process.send_signal(signal.SIGCONT)
                time.sleep(1.0)
                if process.poll() is not None:
                    workers.add(name)

        failures: list[BaseException] = []

        def watch() -> None:
            try:
                disturb()
            except BaseException as failure:
                failures.append(failure)
                raise

        program = alone(sleeping(1.0), workers.directory)
        thread = threading.Thread(target=watch)
        thread.start()
        store = RunStore(Path(directory))
        counts = dict.fromkeys((f"test{test:02}" for test in range(TESTS)), number // TESTS)
        try:
            took_s = recorded(engine_for, store, counts, program, events.append)
        finally:
            over.set()
            thread.join()
        if failures:
            raise failures[0]
        runs = [run for test in store.tests() for run in store.load_set(test)]
        entries = list((Path(directory) / "runs").glob("*/*"))
    stored = [event.run.id for event in events if isinstance(event, RunStored)]
    valid = [run for run in runs if run.quality.valid]
    checks = {
        "each run is stored once": sorted(stored) == sorted(run.id for run in runs) == sorted({*stored}),
        "as many runs are usable as were wanted": len(valid) == number,
        "nothing else is in the store": len(entries) == len(runs),
        "no host launched two JVMs at once": not overlapping(runs),
    }
    given_back = sum(isinstance(event, LaunchRepeated) for event in events)
    result: dict[str, object] = {
        "seed": seed,
        "took_s": round(took_s, 1),
        "runs": len(runs),
        "usable": len(valid),
        **disturbed,
    }
    return result | {"given_back": given_back, **checks}


def overlapping(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Return pairs of runs of one host that went on at the same time."""
    spans: dict[object, list[tuple[float, float, str]]] = defaultdict(list)
    for run in runs:
        start_s = float(str(run.metadata["jvm.start.time"])) / 1000
        spans[run.metadata[WORKER]].append((start_s, start_s + run.outcome.duration_s, run.id))
    return [
        (first[2], second[2])
        for of_host in spans.values()
        for first, second in itertools.pairwise(sorted(of_host))
        if second[0] < first[1]
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["launches", "killed"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--namespaces", action="store_true", help="each host in a network namespace, also cut off; for root"
    )
    parser.add_argument(
        "--number",
        type=int,
        help=f"launches, a multiple of {TESTS} (default: {LAUNCHES}, or {KILLED_RUNS} for killed)",
    )
    args = parser.parse_args()
    number = args.number or (LAUNCHES if args.what == "launches" else KILLED_RUNS)
    if number < TESTS or number % TESTS:
        parser.error(f"--number must be a multiple of {TESTS}")
    with namespaces(NAMES) if args.namespaces else nullcontext() as spaces:
        figures = launches(number) if args.what == "launches" else killed(number, args.seed, spaces)
    print(json.dumps(figures, indent=2))
    return 1 if any(value is False for value in figures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
