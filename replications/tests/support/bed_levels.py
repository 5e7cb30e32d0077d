"""Runs as the bed records them, with a level for each counter that is known."""

import numpy as np

from buto.run.model import Outcome, Run
from buto.run.properties import Kind, Property
from buto_replications.bed.labels import BedRun, Labels

COUNTERS = {
    "database.statements.calls": 400.0,
    "database.activity.tup_fetched": 900.0,
    "postgres.cpu.time": 0.9,
    "jvm.cpu.time": 1.4,
    "jvm.memory.allocated": 3e7,
    "process.memory.usage": 5e8,
}
GAUGES = ("process.memory.usage",)


def bed_run(number, environment, role, fault, *, slower=1.0, load="20-40-30-50"):
    """Return a minute of samples; ``slower`` multiplies what a fault in the database changes."""
    noise = np.random.default_rng(number)
    times_s = np.arange(0.0, 60.5, 0.5)
    properties = tuple(
        Property(name, _unit(name), Kind.GAUGE if name in GAUGES else Kind.COUNTER) for name in COUNTERS
    )
    columns = []
    for name, level in COUNTERS.items():
        each = level * (1 + 0.02 * noise.standard_normal(len(times_s)))
        if name.startswith(("database", "postgres")):
            each = each * slower
        columns.append(each if name in GAUGES else np.cumsum(each) - each[0])
    metadata = {"environment.label.name": environment, "jvm.spec.version": "17"}
    run = Run(
        id=f"20260101T0000{number:02}.000Z-{number:04x}",
        test=f"{environment}-{number}",
        properties=properties,
        times_s=times_s,
        values=np.array(columns).T.copy(),
        outcome=Outcome(duration_s=60.0, exit_code=0),
        metadata=metadata,
    )
    return BedRun(run, Labels(environment, role, fault, load))


def _unit(name):
    return "s" if name.endswith("time") else "By" if "memory" in name else "1"
