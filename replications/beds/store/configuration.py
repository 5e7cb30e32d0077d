"""The store as tests of a ``buto.yaml``: one for each version and load."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from beds.postgresql import HOST, service
from beds.store.prepare import DATABASE_PORT, USER, Store
from beds.store.versions import MEASURED_S, WARM_UP_S, Load, Version

JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m")
"""Of all JVMs of the store and of its component tests. Without the second compiler, short runs are steady."""

SERVICES = {"catalogue": "buto.store.catalogue.Catalogue", "order": "buto.store.order.Order"}
_DURABILITY = {"synchronous_commit": "off", "autovacuum": "off"}
"""Of short runs, waiting for the disk would be most of the noise."""

_SEED = 4
_STOPPING_S = 60


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the four servers listen, on the loopback address."""

    web: int = 8281
    catalogue: int = 8282
    order: int = 8283
    database: int = DATABASE_PORT

    def url(self, name: str) -> str:
        return f"http://{HOST}:{getattr(self, name)}"


DEFAULT_PORTS = Ports()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store runs and writes.

    Attributes:
        traces: the directory that the three processes write their spans to.
        warm_up_s, measured_s: durations of the load's phases.
    """

    store: Store
    traces: Path
    ports: Ports = DEFAULT_PORTS
    warm_up_s: float = WARM_UP_S
    measured_s: float = MEASURED_S


def name_of(version: Version, load: Load) -> str:
    return f"{version.name}-{load.name}"


def configuration(place: Place, pairs: Iterable[tuple[Version, Load]]) -> str:
    tests = {name_of(*pair): test_of(place, *pair) for pair in pairs}
    # In this order, which for services is the order in which they start.
    return yaml.safe_dump({"version": 1, "tests": tests}, sort_keys=False)


def test_of(place: Place, version: Version, load: Load) -> dict[str, Any]:
    """Return one test: the program is web, all others are its services."""
    ports = place.ports
    to_catalogue, to_order = f"catalogue={ports.url('catalogue')}", f"order={ports.url('order')}"
    return {
        "command": _java(place, version, "buto.store.web.Web", ports.web, to_catalogue, to_order),
        "interval": "500ms",
        "timeout": f"{place.warm_up_s + place.measured_s + _STOPPING_S:g}s",
        "services": {
            "database": service(place.store.programs, place.store.template, ports.database, _DURABILITY),
            "catalogue": _service(place, version, "catalogue"),
            "order": _service(place, version, "order", to_catalogue),
        },
        "sources": {
            "catalogue": {"kind": "process", "match": f"*{SERVICES['catalogue']} port={ports.catalogue} *"},
            "order": {"kind": "process", "match": f"*{SERVICES['order']} port={ports.order} *"},
            "postgresql": {"kind": "process", "match": f"*postgres -D *port={ports.database} *"},
            "host": {"kind": "host"},
        },
        "workload": {
            "port": ports.web,
            "ready": {"http": f"{ports.url('web')}/ready", "within": "30s"},
            "load": load.settings(ports.url("web"), _SEED, place.warm_up_s, place.measured_s),
            "stop": True,
        },
        "window": {"from": f"load.start + {place.warm_up_s:g}s", "to": "load.end"},
    }


def _service(place: Place, version: Version, name: str, *arguments: str) -> dict[str, Any]:
    ports = place.ports
    database = f"database=jdbc:postgresql://{HOST}:{ports.database}/postgres?user={USER}"
    return {
        "command": _java(place, version, SERVICES[name], getattr(ports, name), database, *arguments),
        "ready": {"http": f"{ports.url(name)}/ready", "within": "30s"},
    }


def _java(place: Place, version: Version, main: str, port: int, *arguments: str) -> list[str]:
    options = [*JVM, *version.options, "-cp", str(place.store.jars / "store.jar")]
    return ["java", *options, main, f"port={port}", f"traces={place.traces}", *arguments]
