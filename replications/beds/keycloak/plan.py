"""Which runs of the bed are recorded, and in which order.

A *block* is one set of runs. Block 1 is for choosing and tuning methods.
Block 2 has the same runs under other seeds, and some more faults. It is recorded on another day, and is set
apart: only final figures are measured on it. Block 3 has long runs for rules, which need many intervals.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

from beds.keycloak.environments import COMBINED, ENVIRONMENTS, FAULTS, NO_FAULT, Environment, Injected

BLOCKS = (1, 2, 3)
SHORT_BLOCKS = (1, 2)
STEADY_RATES = (20, 40, 30, 50)
MORE_FAULTS = {1: (), 2: ("caches-low", "caches-high", "connections-low", "connections-high")}
"""By block, further faults under the steady load: they were written when block 1 was recorded in part."""
_RATES = range(15, 61, 5)
_GOOD = 8
_STEADY = 4

LONG_PHASE_S = 90
"""Four of these are 720 intervals of half a second, as many as the paper's tests have of five seconds."""

LONG_RUNS = {
    "base": "busy-low",
    "half-quota": "memory-low",
    "one-core": "caches-low",
    "slow-disk": "repeat-low",
    "postgresql-14": "column-index-low",
    "postgresql-18": "repeat-high",
    "half-quota-slow-disk": "log-low",
    "one-core-slow-disk": "small-buffers",
    "half-quota-postgresql-18": "text-index-low",
    "one-core-postgresql-14": "connections-low",
}
"""By environment, the fault of its second run; the first one has none. The environments differ in processors,
disk and the database's release, not in options of the JVM, and each has components that others have, too."""


class Role(StrEnum):
    """What a run is for."""

    GOOD = "good"
    FAULT = "fault"
    OTHER_LOAD = "other-load"
    STEADY = "steady"
    STEADY_FAULT = "steady-fault"
    ENVIRONMENT = "environment"
    ENVIRONMENT_FAULT = "environment-fault"


CHANGING = (Role.GOOD, Role.FAULT, Role.OTHER_LOAD)
"""Roles of runs under a changing load."""


@dataclass(frozen=True, slots=True)
class Load:
    """How many requests arrive, and which.

    Attributes:
        rates: requests a second, one phase each.
        seed: of the arrivals.
        writes: how many times larger than usual the weights of searching, creating and changing users are.
        phase_s: how long each phase lasts.
    """

    rates: tuple[int, ...]
    seed: int
    writes: int = 1
    phase_s: int = 15


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run of the plan; its name is that of its test."""

    name: str
    block: int
    role: Role
    environment: Environment
    fault: Injected
    load: Load

    @property
    def labels(self) -> dict[str, str]:
        """What was planned, for the recorded run; the loader of the data set takes it out of the metadata."""
        rates = "-".join(map(str, self.load.rates))
        return {
            "bed.role": self.role.value,
            "bed.fault": self.fault.name,
            "bed.load": rates if self.load.writes == 1 else f"{rates} writes x{self.load.writes}",
            "bed.block": str(self.block),
        }


def planned_runs(block: int) -> tuple[PlannedRun, ...]:
    """Return the runs of a block in the order in which they are recorded.

    Those under a changing load come first, then those under the steady load in all environments. Each of
    these two groups is in a random order of its own. Those of block 3 are all under the steady load; the two
    runs of an environment are neighbours, so that the block can be cut at any number of environments.
    """
    return _short_runs(block) if block in SHORT_BLOCKS else _long_runs(block)


def _long_runs(block: int) -> tuple[PlannedRun, ...]:
    """Return an unchanged run of each environment, and one with a fault."""
    source = random.Random(block)
    known = ENVIRONMENTS | COMBINED
    runs = []
    for name, fault in source.sample(sorted(LONG_RUNS.items()), len(LONG_RUNS)):
        steady, faulty = Role.STEADY, Role.STEADY_FAULT
        if name != "base":
            steady, faulty = Role.ENVIRONMENT, Role.ENVIRONMENT_FAULT
        for role, injected in source.sample([(steady, NO_FAULT), (faulty, FAULTS[fault])], 2):
            load = Load(STEADY_RATES, source.randrange(1_000_000), phase_s=LONG_PHASE_S)
            full = f"b{block}-in-{name}-{injected.name}"
            runs.append(PlannedRun(full, block, role, known[name], injected, load))
    return tuple(runs)


def _short_runs(block: int) -> tuple[PlannedRun, ...]:
    source = random.Random(block)
    runs: list[PlannedRun] = []

    def add(name: str, role: Role, load: Load, environment: str = "base", fault: Injected = NO_FAULT) -> None:
        runs.append(PlannedRun(f"b{block}-{name}", block, role, ENVIRONMENTS[environment], fault, load))

    def changing(scale: float = 1.0, writes: int = 1) -> Load:
        rates = tuple(round(rate * scale) for rate in source.sample(_RATES, len(STEADY_RATES)))
        return Load(rates, source.randrange(1_000_000), writes)

    def steady() -> Load:
        return Load(STEADY_RATES, source.randrange(1_000_000))

    for number in range(1, _GOOD + 1):
        add(f"good-{number}", Role.GOOD, changing())
    for kind in ("memory", "busy", "column-index", "text-index", "log"):
        for intensity in ("low", "high"):
            add(f"{kind}-{intensity}", Role.FAULT, changing(), fault=FAULTS[f"{kind}-{intensity}"])
    for number in (1, 2):
        add(f"half-load-{number}", Role.OTHER_LOAD, changing(0.5))
        add(f"more-load-{number}", Role.OTHER_LOAD, changing(1.5))
        add(f"other-mix-{number}", Role.OTHER_LOAD, changing(writes=4))
    for number in range(1, _STEADY + 1):
        add(f"steady-{number}", Role.STEADY, steady())
    for name in ("repeat-low", "repeat-high"):
        add(f"steady-{name}", Role.STEADY_FAULT, steady(), fault=FAULTS[name])
    environments = [name for name in ENVIRONMENTS if name != "base"]
    kinds = ("repeat-high", "busy-high", "memory-high", "log-high", "column-index-high", "small-buffers")
    for number, name in enumerate(environments):
        fault = FAULTS[kinds[(number + block) % len(kinds)]]
        label = name.replace(".", "-")
        add(f"in-{label}", Role.ENVIRONMENT, steady(), name)
        add(f"in-{label}-{fault.name}", Role.ENVIRONMENT_FAULT, steady(), name, fault)
    for name in MORE_FAULTS[block]:
        add(f"steady-{name}", Role.STEADY_FAULT, steady(), fault=FAULTS[name])
    source.shuffle(runs)
    return tuple(sorted(runs, key=lambda run: run.role not in CHANGING))
