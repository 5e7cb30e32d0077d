"""What a page of experiments is made of."""

from __future__ import annotations

from dataclasses import dataclass

from buto.detectors.views import Band
from buto.report.panels import Curve


@dataclass(frozen=True, slots=True)
class Columns:
    """A table whose cells are words already.

    Attributes:
        heads: one for each column.
        groups: names that stand above several columns each, with the number of columns; may be empty.
        rows: as many cells as there are columns.
        left: how many columns, from the left, are words; the others are numbers.
        faint: rows that are to be read beside the others, as the thesis does not have them.
        tones: by the word in a cell, how it is coloured: ``good``, ``bad`` or ``open``.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    left: int = 1
    faint: frozenset[int] = frozenset()
    tones: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class PicturePanel:
    """Runs of one property, and the bounds of a model where they are put beside one."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    band: Band | None = None
    colour: str = "training"
    """``training``, ``positive`` or ``negative``."""


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """A figure of the thesis, drawn anew.

    Attributes:
        number: as ``5.3``.
    """

    number: str
    caption: str
    panels: tuple[PicturePanel, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Section:
    """A heading with what stands below it.

    Attributes:
        folded: tables that a reader has to open.
        folded_title: what they are.
    """

    title: str
    texts: tuple[str, ...] = ()
    tables: tuple[Columns, ...] = ()
    pictures: tuple[Picture, ...] = ()
    folded: tuple[Columns, ...] = ()
    folded_title: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Page:
    title: str
    texts: tuple[str, ...]
    sections: tuple[Section, ...]
