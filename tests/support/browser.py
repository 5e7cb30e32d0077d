"""How a reader looks at a page, and a page that is open in the browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page


@dataclass(frozen=True)
class Looks:
    """How a reader looks at the page."""

    width: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


LOOKS = (Looks(1280, "light"), Looks(390, "dark"))


@dataclass
class Opened:
    """A page with its messages and requests while it was open."""

    page: Page
    pictures: Path | None
    name: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def picture(self, what: str, *, whole: bool = False) -> None:
        """Keep a picture if somebody wants pictures."""
        if self.pictures is not None:
            self.page.screenshot(path=self.pictures / f"{self.name}-{what}.png", full_page=whole)


Opener = Callable[..., Opened]


def place(plot: Locator, across: float, down: float) -> tuple[float, float]:
    """A point of a plot, as shares of its width and height."""
    box = plot.bounding_box()
    assert box is not None
    return box["x"] + across * box["width"], box["y"] + down * box["height"]
