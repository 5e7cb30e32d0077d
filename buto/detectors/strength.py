"""How strong a detector is: the smallest lasting change of each quantity that a check would detect."""

from __future__ import annotations

from dataclasses import dataclass

from buto.properties import Property

TIMES_LEVEL = 10.0
"""Up to this many times a quantity's level a change is looked for."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What a check would detect of one quantity.

    Attributes:
        quantity: whose; its unit is that of the numbers below.
        level: of the training runs, mean of their means or, of what counts up, of their totals.
        more, less: the smallest change in each direction that is detected in nine tenths of checks;
            infinite where none within reason is, as below nothing for what cannot be negative.
        usual: whether everybody wants to know of this quantity.
    """

    quantity: Property
    level: float
    more: float
    less: float
    usual: bool = True

    @property
    def smallest(self) -> float:
        """In the direction in which less is enough."""
        return min(self.more, self.less)


@dataclass(frozen=True, slots=True)
class Strengths:
    """The strength of a detector.

    Attributes:
        found: one for each quantity, the usual ones alone where no more were asked for, or are too many.
        n_quantities: how many there are.
        too_many: whether only the usual ones are found because finding all would take too long.
    """

    found: tuple[Strength, ...] = ()
    n_quantities: int = 0
    too_many: bool = False
