"""Small runs as the bed records them, of known values."""

import numpy as np

from buto.run.model import Mark, Notification, Outcome, Run, SourceState
from buto.run.properties import Kind, Property, Role
from buto.run.store import RunStore
from buto.run.window import Moment, Window, with_window

N_SAMPLES, IN_WINDOW, INTERVAL_S = 12, 8, 0.5
CALLS = 2.0**30
"""How many calls a counter has counted before; too many for 32 bits."""


def bed_run(number, *, block=1, environment="base", role="good", fault="none", more=1.0, **changes):
    """A run with a warm-up of two seconds, and a window of four.

    Args:
        more: by how much the fault raises processor time and memory.
    """
    times_s = np.arange(N_SAMPLES) * INTERVAL_S + 0.001 * number
    random = np.random.default_rng([number, block])
    answers = 20.0 + np.round(random.uniform(0, 5, N_SAMPLES))
    cpu_s = np.cumsum(0.1 * answers * more * INTERVAL_S * random.uniform(0.99, 1.01, N_SAMPLES))
    latency_s = random.uniform(0.01, 0.02, N_SAMPLES) * more
    latency_s[6] = np.nan
    node = f"node=vm-{1000 + number}"
    columns = {
        Property("jvm.cpu.time", "s", Kind.COUNTER): cpu_s,
        Property("jvm.memory.allocated", "By", Kind.COUNTER): np.cumsum(np.round(3e8 * answers * more)),
        Property("jvm.memory.heap.used_after_last_gc", "By"): np.full(N_SAMPLES, 4096.0 * 1000 * more),
        Property("load.throughput[search]", "{answer}/s"): answers,
        Property("load.latency.p50[search]", "s"): latency_s,
        Property("jvm.class.count", "{class}"): np.full(N_SAMPLES, 25_000.0 + 1_400 * (fault != "none")),
        Property("jvm.memory.used[Metaspace]", "By"): np.full(N_SAMPLES, 2.0**27),
        Property("host.cores", "1", Kind.CONSTANT): np.full(N_SAMPLES, 2.0),
        Property("process.cpu.cycles", "{cycle}", Kind.COUNTER): np.full(N_SAMPLES, np.nan),
        Property(f"metrics.calls_total[cache=users,{node}]", "1", Kind.COUNTER): CALLS + np.arange(N_SAMPLES),
        Property("buto.snapshot.time", "s", role=Role.COST): random.uniform(0, 1, N_SAMPLES),
    }
    labels = {"role": role, "fault": fault, "load": "20-40", "block": str(block)}
    fields = {
        "id": f"2026112{1 + block}T1000{number:02d}.000Z-0000",
        "test": f"b{block}-{environment}-{role}-{number}",
        "properties": tuple(columns),
        "times_s": times_s,
        "values": np.column_stack(list(columns.values())),
        "outcome": Outcome(0, duration_s=6.0),
        "notifications": (Notification(3.0, "gc", "java.lang:type=GarbageCollector", number, "young"),),
        "nan_reasons": {
            "process.cpu.cycles": "this processor has no counter",
            "load.latency.p50[search]": "no answer in the interval",
            "jvm.cpu.time": "before the window alone",
        },
        "metadata": {
            "host.name": "vm",
            "host.cores": 2,
            "jvm.uptime": 300 + number,
            "jvm.input.arguments": "-Xmx64m -javaagent:/opt/cache/faults-agent.jar=busy=burn:3@A#b:on "
            "-Dhome=/opt/keycloak-26/conf -Durl=http://127.0.0.1/realms",
            "environment.name": environment,
            "environment.label.java": "17",
            **{f"environment.label.bed.{key}": value for key, value in labels.items()},
        },
        "marks": (Mark(0.5, "load.start"), Mark(3.0, "phase-2"), Mark(5.7, "load.end", "90 requests")),
        "sources": (SourceState("metrics", "prometheus"),),
        "stdout": b"ready",
        "outputs": {"database": b"ready"},
    }
    window = Window(Moment("load.start", 1.5), Moment("load.end"))
    return with_window(Run(**(fields | changes)), window)


def bed_store(root, *runs):
    """Return a store with runs of the bed."""
    store = RunStore(root)
    for run in runs:
        store.add(run)
    return store
