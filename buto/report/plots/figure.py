"""Figures as files and in notebooks.

Importing this module imports matplotlib; nothing here touches its global state or a display.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

from matplotlib.figure import Figure

PNG, SVG = "png", "svg"


class Picture(Figure):
    """A matplotlib figure that notebooks show by themselves; pyplot does not know it."""

    def __init__(self, width: float, height: float, dpi: int) -> None:
        super().__init__(figsize=(width, height), dpi=dpi, layout="constrained")

    def _repr_png_(self) -> bytes:
        return drawing(self, PNG)


def drawing(figure: Figure, picture: str) -> bytes:
    """Return a figure as the content of a file, :data:`PNG` or :data:`SVG`."""
    metadata: dict[str, Any] | None = {"Date": None} if picture == SVG else None
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # Scripts that the font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(buffer, format=picture, metadata=metadata)
    return buffer.getvalue()
