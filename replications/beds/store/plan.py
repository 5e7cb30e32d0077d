"""The store's versions and loads, and what is measured of them in which order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from beds.store.configuration import name_of
from beds.store.prepare import FORKS, REPORTS

WARM_UP_S = 8
WARM_UP_RATE = 240
"""Requests a second before those that count: methods are compiled after some hundreds of calls, and at the
rates of the loads the rarest endpoint would still become faster for half a minute."""

MEASURED_S = 12
_WORDS = ("stone", "river", "cloud", "paper", "glas", "coper", "linen", "ambr", "birch", "corl")
_ORDER = "customer=${customer}&products=${p1},${p2},${p3},${p4},${p5}"


@dataclass(frozen=True, slots=True)
class Load:
    """Requests at random times.

    Attributes:
        rate: requests a second.
        home, search, order: shares of the three endpoints.
        vouchers: share of orders that have a voucher.
    """

    name: str
    rate: float
    home: float
    search: float
    order: float
    vouchers: float = 0.1

    @property
    def rates(self) -> dict[str, float]:
        """Requests a second of each endpoint."""
        shares = {"web/GET /home": self.home, "web/GET /search": self.search, "web/POST /order": self.order}
        return {name: self.rate * share for name, share in shares.items()}

    def settings(self, url: str, seed: int, warm_up_s: float, measured_s: float) -> dict[str, Any]:
        """Return the key ``load`` of a workload."""
        weights = {
            "home": self.home,
            "search": self.search,
            "order": self.order * (1 - self.vouchers),
            "voucher": self.order * self.vouchers,
        }
        contents: dict[str, dict[str, Any]] = {
            "home": {"path": "/home?customer=${customer}"},
            "search": {"path": "/search?customer=${customer}&word=${word}"},
            "order": {"path": "/order", "body": _ORDER},
            "voucher": {"path": "/order", "body": _ORDER + "&voucher=v${n}"},
        }
        product = {"from": 1, "to": 1000}
        return {
            "url": url,
            "seed": seed,
            "variables": {
                "customer": {"from": 1, "to": 500},
                "word": {"one-of": list(_WORDS)},
                **{f"p{number}": product for number in range(1, 6)},
            },
            "requests": {kind: {**content, "weight": weights[kind]} for kind, content in contents.items()},
            "phases": [
                {"name": "warm-up", "rate": WARM_UP_RATE, "duration": f"{warm_up_s:g}s"},
                {"name": "measured", "rate": self.rate, "duration": f"{measured_s:g}s"},
            ],
        }


FIXED = Load("fixed", 80, 0.5, 0.3, 0.2)
VARIED = (
    Load("more", 110, 0.5, 0.3, 0.2),
    Load("other-mix", 80, 0.3, 0.3, 0.4),
    Load("both", 110, 0.3, 0.3, 0.4),
)
LOADS = {load.name: load for load in (FIXED, *VARIED)}


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the store.

    Attributes:
        component: class and method of the component that is slower; empty for none.
        slower: by how much of its own processor time it takes longer.
        matters: whether the change was made to be noticed: false for those that must never give an alarm.
    """

    name: str
    component: str = ""
    slower: float = 0.0
    matters: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """Options of every JVM of this version."""
        return (f"-Dstore.slow={self.component}:{self.slower:g}",) if self.component else ()


OLD = Version("old")

_PLACES = {
    "hot": ("Recommender.rank", (0.5, 1.0, 1.5)),
    "heavy-if-high": ("Pricing.total", (0.5, 1.0, 60.0)),
    "rare": ("Vouchers.discount", (0.5, 1.0, 1.5)),
}
"""Hot and heavy; heavy only at the high intensity; under 1 ms, in one of ten orders."""

CHANGED = tuple(
    Version(f"{place}-{intensity}", component, slower, matters=True)
    for place, (component, intensities) in _PLACES.items()
    for intensity, slower in zip(("low", "medium", "high"), intensities, strict=True)
)

_TOO_SMALL = (
    ("Sessions.customer", 1.0),
    ("Page.render", 0.25),
    ("Vouchers.discount", 0.25),
    ("Recommender.rank", 0.01),
    ("Search.find", 0.02),
    ("Pricing.total", 0.25),
    ("Sessions.customer", 3.0),
    ("Page.render", 0.5),
    ("Search.find", 0.01),
    ("Recommender.rank", 0.02),
)

UNCHANGED = (
    *(Version(f"same-{number}") for number in range(1, 11)),
    *(
        Version(f"tiny-{number}", component, slower)
        for number, (component, slower) in enumerate(_TOO_SMALL, 1)
    ),
)

VERSIONS = {version.name: version for version in (OLD, *CHANGED, *UNCHANGED)}


RUNS = 3
OLD_RUNS = 6
"""Of the old version under each load: all others are compared with it."""

_AROUND_A_RUN_S = 3.0
_FORK_S = 1.6
_BENCHMARKS = 6
_REPORT_S = 4.0


class Kind(Enum):
    """How something is measured."""

    RUN = "run"
    JMH = "jmh"
    JUNIT = "junit"


@dataclass(frozen=True, slots=True)
class Item:
    """One measurement.

    Attributes:
        load: the name of a load; empty for component tests.
        number: of the repetition, from 1.
    """

    kind: Kind
    version: str
    load: str = ""
    number: int = 1

    @property
    def test(self) -> str:
        """The test of ``buto.yaml``."""
        return name_of(VERSIONS[self.version], LOADS[self.load])

    def result(self, directory: Path) -> Path:
        """Return the file that is there once this has been measured."""
        match self.kind:
            case Kind.RUN:
                return directory / "runs" / f"{self.test}-{self.number}.json"
            case Kind.JMH:
                return directory / "jmh" / f"{self.version}.json"
            case Kind.JUNIT:
                return directory / "junit" / f"{self.version}-{REPORTS}.xml"

    @property
    def forks(self) -> int:
        """How many forks a benchmark has; more of the old version, with which all others are compared."""
        return FORKS * OLD_RUNS // RUNS if self.version == OLD.name else FORKS

    @property
    def planned_s(self) -> float:
        """How long it takes on a free machine of two cores."""
        match self.kind:
            case Kind.RUN:
                return WARM_UP_S + MEASURED_S + _AROUND_A_RUN_S
            case Kind.JMH:
                return _BENCHMARKS * self.forks * _FORK_S
            case Kind.JUNIT:
                return REPORTS * _REPORT_S


def plan(seed: int, runs: int = RUNS) -> list[Item]:
    """Return all measurements in random order.

    Old and new versions, loads and component tests are mixed: a machine that changes affects all alike.

    Args:
        runs: of each changed version under each load; the old one is run twice as often.
    """
    items = [
        Item(Kind.RUN, version.name, load.name, number)
        for load in (FIXED, *VARIED)
        for version, times in ((OLD, runs * OLD_RUNS // RUNS), *((one, runs) for one in CHANGED))
        for number in range(1, times + 1)
    ]
    items += [Item(Kind.RUN, version.name, FIXED.name) for version in UNCHANGED]
    items += [Item(Kind.JMH, version.name) for version in VERSIONS.values()]
    items += [Item(Kind.JUNIT, version.name) for version in (OLD, *CHANGED)]
    random.Random(seed).shuffle(items)
    return items


def missing(items: Sequence[Item], directory: Path) -> list[Item]:
    """Return what has no result yet, in the same order."""
    return [item for item in items if not item.result(directory).exists()]


def planned_minutes(items: Sequence[Item]) -> float:
    """Return how long these measurements take on a free machine."""
    return sum(item.planned_s for item in items) / 60
