"""What the machine uses, read of the real one."""

from __future__ import annotations

import time

from buto.measure.sources.processes import HOST_PROPERTIES, HostSource
from buto.run.properties import Kind
from tests.support.sources.surroundings import NoProgram


def test_counters_grow_and_processor_times_add_up_to_the_processors() -> None:
    with HostSource({}).open(NoProgram(), 1.0, 1.0) as reader:
        first, begun = reader.read(), time.monotonic()
        while time.monotonic() - begun < 0.3:
            sum(range(1000))
        second, elapsed = reader.read(), time.monotonic() - begun
    assert second.keys() <= set(reader.names()) == HOST_PROPERTIES.keys()
    counters = [name for name in second if reader.property(name).kind is Kind.COUNTER]
    # Time that an idle processor waits for a device may be counted anew as idle time, see proc(5).
    idle = {"cpu.idle", "cpu.iowait"}
    assert all(second[name] >= first[name] for name in counters if name not in idle)
    assert sum(second[name] - first[name] for name in idle) > -0.05
    times = [name for name in counters if name.startswith("cpu.")]
    n_processors = sum(second[name] - first[name] for name in times) / elapsed
    assert n_processors > 0.5
    assert second["cpu.user"] > first["cpu.user"]
