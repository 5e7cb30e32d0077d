"""Which numbers of a run may accuse a program: those of its work, and none of the moment.

``accusing.csv`` is the one table: for each nature of a property and each of its features whether it follows
the phase of a collection, the speed of the machine, or how many collections there were, whether it may
accuse, and why. A feature that follows one of them says when something was read, not what the program does.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from msgspec import Struct

from buto.judging.class_changes import class_of, family_of
from buto.judging.features import SLOPE, Feature
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.properties import LIVE_CLASSES, Nature, Property, nature_of

ALIVE = "jvm.memory.heap.live"
"""The whole of the live objects of each class."""


class AccusingRule(Struct, frozen=True):
    """What holds for some features of all properties of one nature.

    Attributes:
        features: names of :mod:`buto.judging.features`.
        phase: whether they depend on when in the run something happens, or is read.
        speed: whether they depend on how fast the machine is, beyond being times themselves.
        collections: whether one collection more or less moves them.
        accuses: whether they may accuse.
        needs_whole: whether they accuse only with another number of the same property.
        is_level: whether they say how much there is of the property.
    """

    nature: Nature
    features: tuple[str, ...]
    phase: bool
    speed: bool
    collections: bool
    accuses: bool
    needs_whole: bool
    is_level: bool
    why: str


def _rows() -> tuple[AccusingRule, ...]:
    text = files(__package__).joinpath("accusing.csv").read_text(encoding="utf-8")
    return tuple(
        AccusingRule(
            Nature(row["nature"]),
            tuple(row["feature"].split()),
            row["phase"] == "yes",
            row["speed"] == "yes",
            row["collections"] == "yes",
            row["accuses"] != "no",
            row["accuses"] == "with",
            row["level"] == "yes",
            row["why"],
        )
        for row in csv.DictReader(text.splitlines())
    )


TABLE = _rows()
"""The rows of ``accusing.csv``; of one nature, what says most comes first."""


@cache
def _accusing() -> dict[Nature, tuple[str, ...]]:
    return {
        nature: tuple(name for row in TABLE if row.nature is nature and row.accuses for name in row.features)
        for nature in Nature
    }


@cache
def _levels() -> dict[Nature, frozenset[str]]:
    return {
        nature: frozenset(
            name for row in TABLE if row.nature is nature and row.is_level for name in row.features
        )
        for nature in Nature
    }


def accusing_features(prop: Property) -> tuple[str, ...]:
    """Return the names of the features of a property that may accuse, the one that says most first."""
    return _accusing()[nature_of(prop)]


def is_level(prop: Property, feature: str) -> bool:
    """Return whether a feature says how much there is of a property, by its name."""
    return prop == LIVE_CLASSES or feature in _levels()[nature_of(prop)]


def may_accuse(prop: Property, feature: str) -> bool:
    """Return whether a feature of a property may accuse, by its name."""
    return prop == LIVE_CLASSES or feature in _accusing()[nature_of(prop)]


class Wholes(Struct, frozen=True, eq=False):
    """Features that accuse only with a whole of theirs.

    Growth counts where the mean, the largest or the last value differs as much as matters for growth. Live
    objects of a class count where those of its family, and all live objects together, have become more or
    less as it has, and by as much as matters for the class: else objects have only changed their class.

    Attributes:
        growths: places of growths.
        of_growths: for each of them the places of its wholes.
        classes: places of the live objects of classes.
        families: shape (n_classes, n_families), 1 for each class of a family.
        alive: the place of all live objects; None to add up the classes.
    """

    growths: IntArray
    of_growths: tuple[IntArray, ...]
    classes: IntArray
    families: FloatArray
    alive: int | None

    @classmethod
    def among(cls, features: Sequence[Feature], quantities: Sequence[Property], copies: int = 1) -> Wholes:
        """Return the wholes among features.

        Args:
            copies: how often the features are there, one copy behind the other; without live objects of
                classes if there are several.
        """
        columns = np.array([feature.column for feature in features], dtype=np.int64)
        names = np.array([feature.name for feature in features])
        growths = np.flatnonzero(names == SLOPE)
        of = [np.flatnonzero((columns == columns[place]) & (names != SLOPE)) for place in growths]
        classes = [
            place for place, feature in enumerate(features) if quantities[feature.column] == LIVE_CLASSES
        ]
        alive = (place for place, feature in enumerate(features) if quantities[feature.column].name == ALIVE)
        family = [family_of(class_of(features[place].name)) for place in classes]
        known = sorted(set(family))
        moved = np.arange(copies) * len(features)
        return cls(
            (moved[:, None] + growths).ravel(),
            tuple(wholes + first for first in moved for wholes in of),
            np.array(classes if copies == 1 else [], dtype=np.int64),
            np.array([[feature == name for name in known] for feature in family], dtype=float),
            next(alive, None),
        )

    def only(self, kept: BoolArray) -> Wholes:
        """Return the wholes of some features; kept: shape (n_features,), with each part its wholes."""
        place = np.cumsum(kept) - 1
        growths = kept[self.growths]
        return Wholes(
            place[self.growths[growths]],
            tuple(place[of[kept[of]]] for of, left in zip(self.of_growths, growths, strict=True) if left),
            place[self.classes] if kept[self.classes].all() else np.empty(0, np.int64),
            self.families,
            None if self.alive is None or not kept[self.alive] else int(place[self.alive]),
        )

    def with_wholes(self, kept: BoolArray) -> BoolArray:
        """Return which features are kept if each keeps its wholes, too, shape (n_features,)."""
        features = kept.copy()
        for place, of in zip(self.growths, self.of_growths, strict=True):
            features[of] |= kept[place]
        if self.alive is not None and kept[self.classes].any():
            features[self.alive] = True
        return features

    def together(self, large: BoolArray, difference: FloatArray, least: FloatArray) -> BoolArray:
        """Return which differences count, of those that are large enough by themselves.

        Args:
            large, difference: shape (n_choices, n_features); NaN for what was not read.
            least: shape (n_features,), the smallest differences that matter.
        """
        if not len(self.growths) and not len(self.classes):
            return large
        counting, known = large.copy(), np.nan_to_num(difference)
        for place, of in zip(self.growths, self.of_growths, strict=True):
            farthest = np.abs(known[:, of]).max(axis=1, initial=0.0)
            counting[:, place] &= farthest >= least[place]
        if len(self.classes):
            own = known[:, self.classes]
            sign = np.sign(own)
            of_family = own @ self.families @ self.families.T
            every = own.sum(axis=1) if self.alive is None else known[:, self.alive]
            enough = np.minimum(sign * of_family, sign * every[:, None])
            counting[:, self.classes] &= enough >= least[self.classes]
        return counting
