"""The picture of a report that docs/reports.md shows is what a browser makes of a page today.

With the environment variable BUTO_WRITE_GOLDEN the test writes the picture again; look at it. Fonts differ
from machine to machine, so it is not compared dot by dot: it carries the words that it shows, and those are.
"""

from __future__ import annotations

import os
from pathlib import Path

from PIL import Image, PngImagePlugin
from playwright.sync_api import expect

from tests.support.browser import Looks, Opener, place
from tests.support.report.golden import WRITE

SHOWN = Path(__file__).parents[2] / "docs" / "images" / "report.png"
WORDS = "Description"
LOOKS = Looks(1180, "light")
HEIGHT = 980
AT = 0.7505
"""Where the pointer is, as a share of the plot's width: at 22 s, where a notification came."""


def test_the_picture_in_the_documentation_shows_the_page_of_today(opened: Opener, tmp_path: Path) -> None:
    page = opened("calibrated", LOOKS).page
    page.set_viewport_size({"width": LOOKS.width, "height": HEIGHT})
    finding = page.locator(".finding").first
    words = "\n".join(part.inner_text() for part in (page.locator("header").first, finding))
    plot = finding.locator(".plot")
    page.mouse.move(*place(plot, AT, 0.4))
    expect(plot.locator(".tip")).to_be_visible()
    if os.environ.get(WRITE):
        page.screenshot(path=tmp_path / "picture.png")
        carried = PngImagePlugin.PngInfo()
        carried.add_itxt(WORDS, words)
        with Image.open(tmp_path / "picture.png") as picture:
            picture.save(SHOWN, pnginfo=carried, optimize=True)
    with Image.open(SHOWN) as there:
        assert there.size == (LOOKS.width, HEIGHT)
        assert words == there.info.get(WORDS), (
            f"see the difference after: {WRITE}=1 pytest tests/browser -k picture"
        )
