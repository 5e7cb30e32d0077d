"""The versions and the loads of the store: an old version, two series of others, and four loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

NEAR = tuple(
    Version(f"{place}-near-{number}", _PLACES[place][0], slower, matters=True)
    for place, intensities in (("hot", (0.15, 0.3)), ("heavy-if-high", (8.0, 20.0)), ("rare", (30.0, 60.0)))
    for number, slower in enumerate(intensities, 1)
)
"""Near the boundary between a regression and none: predicted deltas from 0.05 to 0.3."""


@dataclass(frozen=True, slots=True)
class Series:
    """Versions that are compared with the old one in one recording.

    Attributes:
        changed: measured under each load.
        unchanged: measured under the fixed load, once.
        runs: of each changed version under each load.
    """

    changed: tuple[Version, ...]
    unchanged: tuple[Version, ...]
    runs: int


SERIES = {"main": Series(CHANGED, UNCHANGED, runs=3), "near": Series(NEAR, (), runs=6)}
VERSIONS = {version.name: version for version in (OLD, *CHANGED, *UNCHANGED, *NEAR)}
