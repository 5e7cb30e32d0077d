"""One run of three minutes in which two faults are switched on for a while, one after the other.

It shows what measuring Keycloak costs, and that a fault is visible in the counters from its first second to
its last. The faults are switched by their MBeans. A driver writes marks at the same times.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import buto
from beds.keycloak.configuration import WARM_UP_S, test_of
from beds.keycloak.environments import ENVIRONMENTS, FAULTS, Injected
from beds.keycloak.plan import BLOCKS, Load, PlannedRun, Role
from beds.keycloak.prepare import Bed, prepare
from buto.run.model import Run
from buto.run.properties import Kind
from buto.run.window import cut_to_window

NAME = "switched"
RATE = 30
N_PHASES = 12
"""Of the usual length: three minutes."""

SEED = 20

_READING = "buto.source.cpu.time["


@dataclass(frozen=True, slots=True)
class Switched:
    """When a fault is on.

    Attributes:
        fault: one that is woven into the code.
        on_s, off_s: seconds from the start of the measured window.
    """

    fault: str
    on_s: float
    off_s: float

    @property
    def name(self) -> str:
        """Of its MBean."""
        [woven] = FAULTS[self.fault].woven
        return woven.name


PLAN = (Switched("busy-high", 30, 70), Switched("repeat-high", 110, 150))


@dataclass(frozen=True, slots=True)
class Cost:
    """What measuring cost, in processor time of one core.

    Attributes:
        reading: of the threads that read the sources, a share.
        whole: of buto's process, the load included, a share.
        memory: the most memory that buto's process had, in bytes.
    """

    reading: float
    whole: float
    memory: int


PHASE_S = 15


def configuration(bed: Bed, plan: Sequence[Switched] = PLAN, n_phases: int = N_PHASES) -> dict[str, Any]:
    base = ENVIRONMENTS["base"]
    woven = tuple(replace(FAULTS[fault.fault].woven[0], active=False) for fault in plan)
    planned = PlannedRun(
        NAME,
        BLOCKS[0],
        Role.STEADY,
        base,
        Injected(NAME, "", woven),
        Load((RATE,) * n_phases, SEED, phase_s=PHASE_S),
    )
    test = test_of(bed, planned)
    test["labels"] = base.labels
    test["workload"]["operations"] = [
        {"at": f"{WARM_UP_S + at_s:g}s", "mbean": f"buto.faults:name={fault.name}", "operation": operation}
        for fault in plan
        for at_s, operation in ((fault.on_s, "switchOn"), (fault.off_s, "switchOff"))
    ]
    test["workload"]["command"] = ["sh", "-c", _marks(plan)]
    return test


def record(store: Path) -> tuple[Run, Cost]:
    """Record the run, and return its measured window with what measuring it cost.

    Raises:
        BedError: the bed cannot be had on this machine.
        MeasureError: the run is not valid.
    """
    base = ENVIRONMENTS["base"]
    bed = prepare(base.keycloak, base.postgresql)
    store.mkdir(parents=True, exist_ok=True)
    path = store / "buto.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "tests": {NAME: configuration(bed)}}), encoding="utf-8")
    begun_s, used_s = time.monotonic(), time.process_time()
    [*_, recorded] = buto.record(NAME, config=path, store=store)
    whole = (time.process_time() - used_s) / (time.monotonic() - begun_s)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    run = cut_to_window(recorded)
    return run, Cost(reading_share(run), whole, memory)


def reading_share(run: Run) -> float:
    """Return the processor time that reading the sources took, as a share of the run's time."""
    used_s = sum(float(np.nanmax(run.series(name))) for name in run.column_of if name.startswith(_READING))
    return used_s / float(run.times_s[-1] - run.times_s[0])


def never_read(run: Run) -> tuple[str, ...]:
    """Return the numbers that could not be read at all."""
    return tuple(
        prop.name
        for prop in run.properties
        if prop.kind is not Kind.CONSTANT and np.isnan(run.series(prop.name)).all()
    )


def describe(run: Run, cost: Cost) -> str:
    """Return what was recorded, and what it cost, for people."""
    missing = never_read(run)
    failed = [source.name for source in run.sources if source.reason]
    return "\n".join(
        (
            f"{len(run.properties)} numbers in {run.n_samples} samples, {run.times_s[-1]:.0f} s",
            f"{len(run.sources)} sources beside the JVM and the load, failed: {', '.join(failed) or 'none'}",
            f"never read: {len(missing)}",
            *(f"  {name}: {run.nan_reasons.get(name, 'no reason')}" for name in missing),
            f"reading the sources: {cost.reading:.2%} of a core",
            f"buto with the load: {cost.whole:.2%} of a core, {cost.memory / 1e6:.0f} MB at most",
        )
    )


def _marks(plan: Sequence[Switched]) -> str:
    """Return a shell script that writes a mark when a fault is switched."""
    words, now_s = [], 0.0
    for fault in plan:
        for at_s, end in ((fault.on_s, "start"), (fault.off_s, "end")):
            words += [f"sleep {WARM_UP_S + at_s - now_s:g}", f"echo buto mark {fault.name}.{end}"]
            now_s = WARM_UP_S + at_s
    return "; ".join(words)
