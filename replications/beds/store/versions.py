"""The versions of the store: the old one, nine with a slower component, twenty as good as the old one."""

from __future__ import annotations

from dataclasses import dataclass


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
