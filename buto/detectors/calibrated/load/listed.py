"""What is judged under a load that varies, and how finely."""

from __future__ import annotations

STRETCHES = 12
"""Into how many stretches of time a run is divided."""

REACH = 1.0
"""How many times the variance of a run a prediction may have, and by how many widths of the range of training
a mean rate may be outside of it; beyond, the load is extrapolated."""

GATE = 0.12
"""Largest p-value of a first run that two more runs follow."""

ALL_OF_PROCESS = ("jvm.*", "process.*")
"""Recorded properties that are judged beside the usual ones: under unlike load, any of them may tell."""

OF_A_LIFETIME = (
    "host.*",
    "load.late",
    "metrics.*_max",
    "metrics.*_max[[]*",
    "metrics.*_max_*",
    "metrics.*average*",
    "metrics.*ratio*",
    "metrics.*_cpu_usage*",
    "metrics.*_load_*",
    "metrics.*time_since*",
    "metrics.*_start_time_*",
    "metrics.system_*",
)
"""Largest values, averages, ratios and times since the start do not depend on the present load; the others
are of the machine."""

PAID_FOR = (
    "*cpu.time",
    "*memory.allocated",
    "*jvm.memory.heap.used_after_last_gc",
    "*.io.bytes*",
    "*.io.calls*",
    "*.disk.io[[]write]",
    "load.latency.p50*",
)
"""What requests cost. There are few of these, so one of them can decide alone. What is read from a disk is
not among them, because it depends on what the kernel has in its cache."""

MAY_LEAK = ("*jvm.memory.heap.used_after_last_gc", "*jvm.thread.count", "process.unix.file_descriptor.count")
"""What requests may leave behind. Processes of a database come and go, so theirs is not among them."""

WITHOUT_ANSWERS = "load.latency*"
"""A kind of request that is rare under this load has no latency in most samples, and nothing is wrong."""
