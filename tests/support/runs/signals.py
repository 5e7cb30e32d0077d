"""Runs of known truth, in the shapes that JVMs show: saw-teeth, stairs, curves, constants, counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from buto.run.model import Notification, Outcome, Problem, Quality, Run, RunSet, run_set
from buto.run.properties import Property, property_for

INTERVAL_S = 0.1
ENVIRONMENT = {"jvm.vm.version": "25+36", "host.cores": 2, "jvm.class.path": "app.jar"}


@dataclass(frozen=True)
class Program:
    """What the synthetic program does; the defaults are its unchanged version.

    Attributes:
        leak: bytes of heap lost in a second.
        threads: more threads than usual.
        heap: factor of the heap's saw-tooth.
        work: factor of the processor time.
        duration_s: how long it runs.
        classes: more classes than usual, which no machine moves.
    """

    leak: float = 0.0
    threads: int = 0
    heap: float = 1.0
    work: float = 1.0
    duration_s: float = 4.0
    classes: int = 0


def program_run(seed: int, number: int, program: Program = Program()) -> Run:
    """One run: everything that differs between equal runs of a JVM differs here, from the seed."""
    random = np.random.default_rng((seed, number))
    duration = program.duration_s * (1 + random.normal(0, 0.01))
    times = np.append(np.arange(-0.002, duration - 0.001, INTERVAL_S), duration)
    started = times.clip(0)
    period = 0.6 * (1 + random.normal(0, 0.02))
    phase = random.uniform(0, period)
    collections = np.floor((started + phase) / period)
    classes = 800 + sum(np.where(times > moment, 3, 0) for moment in random.normal(0.1, 0.05, 20))
    classes = classes + (random.random() < 0.1) * (times > 1)
    columns = {
        "jvm.class.count": classes + program.classes,
        "jvm.thread.count": 11.0 + 4.0 * (times > random.exponential(0.03)) + program.threads,
        "jvm.memory.heap.used": 5e6
        + program.heap * 6e7 * ((started + phase) % period) / period
        + program.leak * started,
        "jvm.memory.heap.committed": np.full(len(times), 134217728.0),
        "jvm.gc.count[G1 Young Generation]": collections,
        "jvm.gc.time[G1 Young Generation]": np.round(collections * random.normal(0.004, 0.0005), 3),
        "jvm.cpu.time": program.work * (0.3 + 0.5 * started * (1 + random.normal(0, 0.05))),
        "jvm.buffer.count[direct]": np.zeros(len(times)),
    }
    return make_run(number, times, columns)


def program_runs(seed: int, count: int, program: Program = Program()) -> RunSet:
    """Several runs of it."""
    return run_set([program_run(seed, number, program) for number in range(count)])


def make_run(
    number: int,
    times: Sequence[float] | np.ndarray,
    columns: dict[str, np.ndarray],
    *,
    properties: dict[str, Property] | None = None,
    duration_s: float | None = None,
    notifications: Sequence[Notification] = (),
    metadata: dict[str, object] | None = None,
    problems: tuple[Problem, ...] = (),
) -> Run:
    """A run of given columns by the names of their properties."""
    chosen = tuple((properties or {}).get(name, property_for(name)) for name in columns)
    moments = np.array(times, dtype=float)
    values = np.array(list(columns.values()), dtype=float).reshape(len(columns), len(moments)).T.copy()
    return Run(
        id=f"20260101T000000.000Z-{number:04x}",
        test="synthetic",
        properties=chosen,
        times_s=moments,
        values=values,
        outcome=Outcome(
            0, duration_s=float(moments[-1]) if duration_s is None and len(moments) else duration_s or 0.0
        ),
        quality=Quality(problems=problems),
        notifications=tuple(notifications),
        metadata=dict(ENVIRONMENT if metadata is None else metadata),
    )


def made(count: int, column: Callable[[int], np.ndarray], name: str = "jvm.class.count") -> RunSet:
    """Runs of one property, each as ``column(number)`` says, sampled at every interval."""
    runs = []
    for number in range(count):
        values = np.asarray(column(number), dtype=float)
        runs.append(make_run(number, np.arange(len(values)) * INTERVAL_S, {name: values}))
    return run_set(runs)
