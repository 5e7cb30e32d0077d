"""Runs of a made-up server: the load differs from run to run, the truth is known."""

from dataclasses import dataclass

import numpy as np

from buto.run.model import run_set
from buto.run.properties import Kind, Property
from tests.support.runs.signals import make_run

READS, WRITES = "load.throughput[read]", "load.throughput[write]"
CPU, SENT, ROWS, HEAP = "jvm.cpu.time", "app.sent", "app.rows", "jvm.memory.heap.used_after_last_gc"
OWN = {
    READS: Property(READS, "{answer}/s"),
    WRITES: Property(WRITES, "{answer}/s"),
    SENT: Property(SENT, "By", Kind.COUNTER),
    ROWS: Property(ROWS, "{row}", Kind.COUNTER),
}
LOAD = [READS, WRITES]


@dataclass(frozen=True)
class Server:
    """What the made-up server does; the defaults are its unchanged version.

    Attributes:
        rate: requests a second.
        writes: share of the requests that write.
        cost: factor of the processor time of a request.
        kept: factor of the bytes that each request keeps for ever.
        reversed: whether a request sends less, the more there are.
        follows: by how much what is sent follows the reads; its mean is the same.
        begins: share of the run after which the cost holds.
        own: deviation of the factors by which a run differs from others.
        n_samples: one a second.
        collected: seconds between collections, which alone show what is kept.
    """

    rate: float = 50.0
    writes: float = 0.2
    cost: float = 1.0
    kept: float = 1.0
    reversed: bool = False
    follows: float = 1.0
    begins: float = 0.0
    own: float = 0.02
    n_samples: int = 121
    collected: int = 1


def served(number, server=Server(), *, known=True):
    random = np.random.default_rng(number)
    n = server.n_samples
    times = np.arange(n) * 1.0
    phases = np.repeat(random.uniform(0.4, 1.6, n // 30 + 1), 30)[:n]
    reads, writes = (
        random.poisson(server.rate * share * phases).astype(float)
        for share in (1 - server.writes, server.writes)
    )
    own = 1 + random.normal(0, server.own, 6)  # this run is a little slower, or its cache a little colder
    cost = np.where(times >= server.begins * times[-1], server.cost, 1.0)
    busy = own[0] * cost * (0.004 * reads + 0.01 * writes) * random.normal(1, 0.05, n)
    bytes_each = 2e4 * (1 - 0.6 * (phases - 1)) if server.reversed else np.full(n, 2e4)
    asked = reads if server.follows == 1 else reads.mean() + server.follows * (reads - reads.mean())
    sent = own[1] * bytes_each * asked * random.normal(1, 0.03, n)
    columns = {
        READS: reads,
        WRITES: writes,
        CPU: busy.cumsum(),
        SENT: sent.cumsum(),
        ROWS: (own[2] * (reads + 3 * writes)).cumsum().round(),
        "app.commits": (own[3] * writes).cumsum().round(),
        "app.parsed": (own[4] * 700 * (reads + writes) * random.normal(1, 0.02, n)).cumsum(),
        HEAP: 3e7 + server.kept * 2048 * (reads + writes).cumsum() + 1e5 * random.normal(size=n),
        "jvm.thread.count": np.full(n, 12.0),
    }
    last = np.arange(n) - (np.arange(n) + number) % server.collected
    columns[HEAP] = columns[HEAP][last.clip(0)]
    own_kinds = OWN | {name: Property(name, "1", Kind.COUNTER) for name in ("app.commits", "app.parsed")}
    chosen = {name: column for name, column in columns.items() if known or name not in LOAD}
    return make_run(number, times, chosen, properties=own_kinds)


def several(numbers, server=Server(), **how):
    return run_set([served(number, server, **how) for number in numbers])
