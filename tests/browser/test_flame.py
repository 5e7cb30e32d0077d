"""The flame graph of an explanation in a browser: drawn, searched, moved in by keys, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from buto.causes.explain import explain
from buto.causes.profiles import ProfileKind
from buto.causes.report import explanation_page
from tests.support.profiles import launches

OLD = {
    "java.util.Arrays.copyOf < shop.Cart.add < shop.Main.main": 1e6,
    "shop.Page.show < shop.Main.main": 3e6,
}
NEW = {**OLD, "java.util.Arrays.copyOf < shop.Cart.add < shop.Main.main": 6e6}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    old, new = launches(OLD, 3, 1), launches(NEW, 3, 2)
    explanation = explain(
        old, new, [ProfileKind.ALLOCATION, ProfileKind.CPU], test="shop", names=("old", "new")
    )
    path = tmp_path_factory.mktemp("pages") / "why.html"
    path.write_text(explanation_page(explanation), encoding="utf-8")
    return path


def opened(browser: Browser, written: Path, scheme: Literal["light", "dark"] = "light") -> Page:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1000, "height": 800})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(written.as_uri())
    page.wait_for_selector("html[data-drawn=yes]")
    assert said == []
    return page


def part(page: Page, name: str) -> str:
    return page.locator(".flame button", has_text=name).first.evaluate("one => one.style.width")


def test_widths_follow_the_program_that_is_chosen(browser: Browser, written: Path) -> None:
    page = opened(browser, written)
    assert float(part(page, "Cart.add").rstrip("%")) > 60
    page.get_by_label("width of the parts").select_option("old")
    assert float(part(page, "Cart.add").rstrip("%")) < 30
    page.get_by_label("width of the parts").select_option("rise")
    assert float(part(page, "Cart.add").rstrip("%")) > 90
    page.close()


def test_keys_move_zoom_and_search(browser: Browser, written: Path) -> None:
    page = opened(browser, written)
    page.locator(".flame button[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator(".told b")).to_have_text("shop.Cart.add")
    page.keyboard.press("Enter")
    assert part(page, "Cart.add") == "100%"
    expect(page.get_by_role("button", name="zoom out")).to_be_visible()
    page.keyboard.press("Escape")
    assert part(page, "Cart.add") != "100%"
    page.keyboard.press("/")
    page.keyboard.type("page")
    expect(page.locator(".flame .hit")).to_have_count(1)
    expect(page.locator(".found")).to_contain_text("1 of")
    page.close()


def test_it_is_dark_where_the_reader_wants_that(browser: Browser, written: Path) -> None:
    colours = {
        scheme: opened(browser, written, scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert colours["light"] == "rgb(255, 255, 255)"
    assert sum(map(int, colours["dark"][4:-1].split(", "))) < 100


def test_long_names_make_the_page_no_wider_than_a_phone(browser: Browser, tmp_path: Path) -> None:
    method = f"org.example.{'authorization.entities.' * 4}CachedResourceServer.computeAllPermissions"
    old, new = launches({method: 1e6}, 3, 1), launches({method: 6e6}, 3, 2)
    path = tmp_path / "why.html"
    explanation = explain(old, new, [ProfileKind.ALLOCATION], test="shop", names=("old", "new"))
    path.write_text(explanation_page(explanation), encoding="utf-8")
    page = opened(browser, path)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.get_by_text(method).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
