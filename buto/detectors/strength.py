"""The strength of a detector: the smallest lasting change of each quantity that a check would detect."""

from __future__ import annotations

from dataclasses import dataclass

from buto.properties import Property

TIMES_LEVEL = 10.0
"""Changes are searched up to this many times a quantity's level."""


@dataclass(frozen=True, slots=True)
class Strength:
    """The smallest change of one quantity that a check would detect.

    Attributes:
        quantity: the property; its unit is that of the numbers below.
        level: of the training runs: the mean of their means, or of a counter's totals.
        more, less: the smallest change in each direction that is detected in nine tenths of checks;
            infinite if no reasonable change is, such as one below zero.
        usual: whether everybody wants to know of this quantity.
    """

    quantity: Property
    level: float
    more: float
    less: float
    usual: bool = True

    @property
    def smallest(self) -> float:
        """The smaller of both."""
        return min(self.more, self.less)


@dataclass(frozen=True, slots=True)
class Strengths:
    """The strength of a detector.

    Attributes:
        found: one for each quantity; only for the usual ones unless all were requested and are not too many.
        n_quantities: number of all quantities.
        too_many: whether only the usual ones are found because finding all would take too long.
    """

    found: tuple[Strength, ...] = ()
    n_quantities: int = 0
    too_many: bool = False
