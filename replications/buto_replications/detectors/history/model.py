"""What a classifier is: it gives each row a score, and can be stored as plain data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from buto.run.model import FloatArray

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MOST_NODES = 1 << 20
"""Numbers in one array of a stored classifier."""


class Model(ABC):
    """A classifier that has learned."""

    __slots__ = ()

    @abstractmethod
    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the log odds of each row to be abnormal, shape (n_rows,); abnormal is more likely above 0.

        Args:
            rows: shape (n_rows, n_columns), finite.
        """

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return plain numbers and lists."""


def log_odds(share: FloatArray) -> FloatArray:
    """Return the log odds of shares between 0 and 1, both excluded."""
    odds: FloatArray = np.log(share) - np.log1p(-share)
    return odds


def floats(data: Mapping[str, Any], key: str, dimensions: int = 1) -> FloatArray:
    """Return stored numbers as an array; KeyError, TypeError or ValueError for other data."""
    array = np.array(data[key], dtype=float)
    if array.ndim != dimensions or array.size > MOST_NODES or not np.isfinite(array).all():
        raise ValueError(f"{key} must be finite numbers in {dimensions} dimensions")
    return array


def wholes(data: Mapping[str, Any], key: str, low: int, high: int) -> IntArray:
    """Return stored whole numbers within both limits; KeyError, TypeError or ValueError for other data."""
    listed: Sequence[Any] = data[key]
    if not isinstance(listed, list) or not all(type(one) is int and low <= one <= high for one in listed):
        raise ValueError(f"{key} must be whole numbers from {low} to {high}")
    return np.array(listed, dtype=np.int64)
