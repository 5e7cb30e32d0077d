"""One scale and one projection for all groups, learned from all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from buto.detectors.history.engine.models.model import floats
from buto.runs import FloatArray

FARTHEST = 20.0
"""Deviations from the mean beyond which a value is equally far."""


@dataclass(frozen=True, eq=False, slots=True)
class Projection:
    """Scales columns and projects them on the directions in which rows differ most.

    Attributes:
        centre, scale: shape (n_columns,); a column that never varies has scale 1.
        directions: shape (n_dimensions, n_columns); None to keep all columns.
    """

    centre: FloatArray
    scale: FloatArray
    directions: FloatArray | None

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return rows of shape (n_rows, n_dimensions)."""
        scaled: FloatArray = np.clip((rows - self.centre) / self.scale, -FARTHEST, FARTHEST)
        return scaled if self.directions is None else scaled @ self.directions.T

    @property
    def n_dimensions(self) -> int:
        """Number of columns after the projection."""
        return len(self.centre) if self.directions is None else len(self.directions)

    def cut(self, dimension: int | None) -> Self:
        """Return the same projection with fewer directions; with all columns for None."""
        directions = None if dimension is None or self.directions is None else self.directions[:dimension]
        return type(self)(self.centre, self.scale, directions)

    def to_data(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        directions = None if self.directions is None else self.directions.tolist()
        return {"centre": self.centre.tolist(), "scale": self.scale.tolist(), "directions": directions}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
        centre, scale = floats(data, "centre"), floats(data, "scale")
        directions = None if data["directions"] is None else floats(data, "directions", 2)
        if len(scale) != len(centre) or not (scale > 0).all():
            raise ValueError("each column must have a centre and a positive scale")
        if directions is not None and directions.shape[1] != len(centre):
            raise ValueError("a direction must have a number for each column")
        return cls(centre, scale, directions)


def learn_projection(rows: FloatArray, dimension: int | None) -> Projection:
    """Return the projection on so many directions, fewer if rows or columns are fewer; None for no
    projection.
    """
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    # A column that never varies: its deviation is that of rounding.
    still = scale <= 1e-9 * np.maximum(np.abs(centre), 1e-300)
    plain = Projection(centre, np.where(still, 1.0, scale), None)
    if dimension is None or dimension >= rows.shape[1]:
        return plain
    from sklearn.decomposition import PCA

    scaled = plain(rows)
    learner = PCA(min(dimension, *scaled.shape), svd_solver="covariance_eigh").fit(scaled)
    return Projection(plain.centre, plain.scale, np.ascontiguousarray(learner.components_, dtype=float))
