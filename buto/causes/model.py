"""What the comparison of profiles says: causes of each kind in two tiers, frozen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from buto.causes.flame import Flame
from buto.profiles import Kind


class Tier(Enum):
    """How much is known of a cause."""

    CAUSE = "cause"
    """Named with a stated rate of wrong names."""
    LIKELY = "most likely"
    """Among the three that rose most; not proven."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Cause:
    """A method that uses more in the new program.

    Attributes:
        method: class and method.
        file, line: where it is; the file as the class's name suggests, line 0 if not known.
        type: the class that it allocates, throws or waits for; may be empty.
        old, new: means over the launches, in the unit of the kind.
        share: of all that rose in this kind, 0 to 1.
        deviations: difference by its standard error.
        held_by: the field that keeps the memory; may be empty.
        path: fields from the object to the root; may be empty.
    """

    tier: Tier
    kind: Kind
    method: str
    file: str
    line: int
    type: str
    old: float
    new: float
    share: float
    deviations: float
    held_by: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Growth:
    """A class of which the heap holds more after the last counted collection.

    Attributes:
        old, new: bytes, means over the launches.
    """

    type: str
    old: float
    new: float


@dataclass(frozen=True, slots=True)
class Causes:
    """What rose in one kind.

    Attributes:
        old, new: means over the launches of all that was recorded, in the unit of the kind.
        found: those that rose, the likeliest first.
        without_code: share of the new program's sum without a method of the user's, 0 to 1.
        flame: all stacks of this kind, merged.
        remarks: what the events of this kind could not tell, a sentence each.
    """

    kind: Kind
    old: float
    new: float
    found: tuple[Cause, ...]
    without_code: float
    flame: Flame
    remarks: tuple[str, ...] = ()

    def of_tier(self, tier: Tier) -> tuple[Cause, ...]:
        """Return the causes of a tier."""
        return tuple(one for one in self.found if one.tier is tier)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the new program uses more than the old one. It is no verdict and changes none.

    Attributes:
        test: what it is about.
        old, new: names of the two programs.
        launches: how many of the old and of the new program were compared.
        kinds: what was recorded, in the order of the findings.
        growth: classes of which the heap holds more; empty if none were counted.
        remarks: what the reader should know of all kinds, a sentence each.
    """

    test: str
    old: str
    new: str
    launches: tuple[int, int]
    kinds: tuple[Causes, ...]
    growth: tuple[Growth, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Return all that rose: named causes of each kind first, then those that are most likely."""
        order = list(Tier)
        return tuple(
            sorted((one for kind in self.kinds for one in kind.found), key=lambda one: order.index(one.tier))
        )
