"""A host of a cluster, as its worker describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from buto.collect.host.metadata import machine
from buto.collect.jvm.installations import find_installations
from buto.engine.placement import Placement
from buto.runs import MetadataValue
from buto.version import __version__

RESOURCE = "jvm"
"""Dask's resource of which every worker has one, and every task takes one: one measured JVM at a time."""

COMPUTING = f"buto {__version__}"
"""Another resource of every worker: only hosts with the same version of buto may compute for this one."""

DESCRIPTION = "buto"
"""Under this key, workers tell the scheduler about themselves."""

TOPIC = "buto"
"""The topic under which all workers report the progress of their launches."""

JAVA = "java"
"""Key of the facts: the version of the Java that a command ``java`` starts."""

_CLASS = (
    "host.arch",
    "host.cpu.model",
    "host.cores",
    "host.cores.quota",
    "host.memory.total",
    "host.memory.limit",
    JAVA,
)
"""The memory, because a JVM without -Xmx takes a share of it."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine with a worker.

    Attributes:
        address: of its worker; a worker that is started again has another one.
        name: as the worker was started with; usually the machine's name.
        tags: as the worker was started with.
        facts: metadata ``host.*`` of the machine, and JAVA.
        version: of buto on it.
    """

    address: str
    name: str
    tags: tuple[str, ...]
    facts: Mapping[str, MetadataValue]
    version: str

    @property
    def host_class(self) -> tuple[MetadataValue, ...]:
        """What hosts must have in common so that their runs can be compared."""
        return tuple(self.facts.get(key) for key in _CLASS)

    def fits(self, where: Placement) -> bool:
        """Return whether runs may be recorded here."""
        cpu = str(self.facts.get("host.cpu.model") or "")
        return where.labels.fit(self.name, cpu, self.tags) and all(
            self.facts.get(key) == value for key, value in where.required.items()
        )

    def likeness(self, where: Placement) -> int:
        """Return how many facts the host has in common with earlier runs."""
        vm = str(where.like.get("jvm.vm.version") or "")
        has_java = vm.startswith(str(self.facts.get(JAVA)))
        return has_java + sum(
            where.like[key] == value for key, value in self.facts.items() if key in where.like
        )

    def describe(self) -> str:
        """Return the host with what a test may ask for."""
        tags = f", tags {', '.join(self.tags)}" if self.tags else ""
        return f"{self.name} ({self.facts.get('host.cpu.model') or 'unknown processor'}{tags})"


def description(name: str, tags: Sequence[str]) -> dict[str, Any]:
    """Return what the worker of this machine tells the scheduler, as plain data."""
    usual = (one.version for one in find_installations() if one.found_by in ("PATH", "JAVA_HOME"))
    facts = {key: value for key, value in machine().items() if not key.startswith("host.load.")}
    facts[JAVA] = next(usual, None)
    return {"name": name, "tags": list(tags), "facts": facts, "version": __version__}


def hosts_of(workers: Mapping[str, Mapping[str, Any]]) -> dict[str, Host]:
    """Return the hosts by the addresses of their workers; workers that are not buto's are left out."""
    return {
        address: Host(address, one["name"], tuple(one["tags"]), one["facts"], one["version"])
        for address, worker in workers.items()
        if (one := worker.get(DESCRIPTION)) is not None
    }
