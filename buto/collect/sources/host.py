"""The source ``host``: what the whole machine uses, this test's programs and all others together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import psutil

from buto.collect.sources.protocol import Reader, Settings, SourceError, Surroundings
from buto.properties import Kind, Property


def _counter(name: str, unit: str) -> Property:
    return Property(name, unit, Kind.COUNTER, lower=0.0)


def _gauge(name: str, unit: str) -> Property:
    return Property(name, unit, Kind.GAUGE, lower=0.0)


PROPERTIES = {
    prop.name: prop
    for prop in (
        _counter("cpu.user", "s"),
        _counter("cpu.system", "s"),
        _counter("cpu.idle", "s"),
        _counter("cpu.iowait", "s"),
        _counter("cpu.steal", "s"),
        _gauge("load.1min", "1"),
        _gauge("memory.available", "By"),
        _gauge("memory.cached", "By"),
        _gauge("swap.used", "By"),
        _counter("switches", "{switch}"),
        _counter("interrupts", "{interrupt}"),
        _counter("disk.read", "By"),
        _counter("disk.written", "By"),
        _counter("network.received", "By"),
        _counter("network.sent", "By"),
    )
}
"""Processor times are sums over all processors; disks and networks are summed, too."""


class HostSource:
    """The machine that buto runs on."""

    kind: ClassVar[str] = "host"
    required: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def __init__(self, settings: Settings) -> None:
        self.settle_s = 0.0

    def open(self, surroundings: Surroundings, interval_s: float, timeout_s: float) -> Reader:
        """See :class:`Source`."""
        return _HostReader()


class _HostReader(Reader):
    def read(self) -> Mapping[str, float]:
        """See :class:`Reader`."""
        try:
            cpu, memory = psutil.cpu_times(), psutil.virtual_memory()
            stats, disks, network = psutil.cpu_stats(), psutil.disk_io_counters(), psutil.net_io_counters()
            values = {
                "cpu.user": cpu.user + cpu.nice,
                "cpu.system": cpu.system + cpu.irq + cpu.softirq,
                "cpu.idle": cpu.idle,
                "cpu.iowait": cpu.iowait,
                "cpu.steal": cpu.steal,
                "load.1min": os.getloadavg()[0],
                "memory.available": memory.available,
                "memory.cached": memory.cached,
                "swap.used": psutil.swap_memory().used,
                "switches": stats.ctx_switches,
                "interrupts": stats.interrupts,
            }
        except (psutil.Error, AttributeError) as error:
            raise SourceError(f"this system does not say what the machine uses: {error}") from error
        # A container may have neither.
        if disks is not None:
            values |= {"disk.read": disks.read_bytes, "disk.written": disks.write_bytes}
        if network is not None:
            values |= {"network.received": network.bytes_recv, "network.sent": network.bytes_sent}
        return {name: float(value) for name, value in values.items()}

    def property(self, name: str) -> Property:
        """See :class:`Reader`."""
        return PROPERTIES[name]

    def names(self) -> tuple[str, ...]:
        """See :class:`Reader`."""
        return tuple(PROPERTIES)

    def why_missing(self) -> str:
        """See :class:`Reader`."""
        return "this machine has none"
