"""The page of a history in a real browser: what is drawn, where it leads, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from buto.report.builds import Release, past_of
from buto.report.history import HistoryEntry
from buto.report.html.history import render_history
from buto.report.result import Commit

MONDAY = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
COMMITS = [Commit(f"{n:040x}", "Ann <a@example.org>", "2026-01-05", f"Change {n}") for n in range(60)]
RELEASES = [Release("v1.0", COMMITS[10].name), Release("v1.1", COMMITS[50].name)]
DRAWN_MS = 60_000
TIME = "run.duration"


def entries(more_from: int) -> list[HistoryEntry]:
    def entry(number: int) -> HistoryEntry:
        threads = 10.0 + (number >= more_from)
        levels = {"jvm.memory.allocated": 1e8 + 1e4 * (number % 7), "jvm.thread.count": threads}
        status = "regression" if number == more_from else "pass"
        at = MONDAY + timedelta(hours=number)
        return HistoryEntry(at, status, COMMITS[number].name, levels, (), (str(number),))

    trained = replace(entry(0), status="trained", run_ids=("training",))
    return [trained, *map(entry, range(60))]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    moved = past_of("moved <b>", entries(30), COMMITS, RELEASES)
    still = past_of("still", entries(99), COMMITS, RELEASES)
    took = zip(entries(99)[:3], (1.0, 1.0, 2.0), strict=True)
    slow = past_of("slow", [replace(entry, levels={TIME: time_s}) for entry, time_s in took], COMMITS, [])
    made = {"one": [moved], "many": [still, moved], "slow": [slow]}
    for name, pasts in made.items():
        (place / f"{name}.html").write_text(render_history(pasts, MONDAY), encoding="utf-8")
    return {name: place / f"{name}.html" for name in made}


@pytest.fixture(params=[420, 1400])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda page_request: (
            complaints.append(page_request.url) if page_request.url.startswith("http") else None
        ),
    )
    yield page
    assert complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= request.param
    context.close()


def show(page: Page, path: Path) -> None:
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn]", state="attached", timeout=DRAWN_MS)


def test_a_step_is_named_with_its_commit_and_author(page: Page, written: dict[str, Path]) -> None:
    show(page, written["one"])
    page.get_by_label("compare with").select_option("v1.0")
    row = page.locator("tr", has_text="threads").first
    expect(row).to_contain_text("+1 thread")
    expect(row).to_contain_text(f"{COMMITS[30].name[:9]} 2026-01-05 Ann: Change 30")
    page.get_by_label("compare with").select_option("v1.1")
    expect(page.locator("tr", has_text="threads").first).to_contain_text("±0")


def test_a_time_of_one_slow_build_accuses_nobody(page: Page, written: dict[str, Path]) -> None:
    """One of two builds since the training took twice as long, which is no step."""
    show(page, written["slow"])
    row = page.locator("table.changes tr", has_text="duration")
    expect(row).to_contain_text("+50 %")
    expect(row).to_have_class("still")
    expect(page.locator("tr.moved")).to_have_count(0)


def test_every_quantity_has_a_chart_with_its_builds(page: Page, written: dict[str, Path]) -> None:
    show(page, written["one"])
    expect(page.locator(".curve svg")).to_have_count(2)
    threads = page.locator(".curve", has_text="threads")
    assert (threads.locator(".dot.regression").get_attribute("d") or "").count("h0") == 1
    assert (threads.locator(".dot.pass").get_attribute("d") or "").count("h0") == 59
    expect(threads.locator(".step")).to_have_count(1)
    expect(threads.locator(".release")).to_have_count(2)


def test_keys_walk_from_build_to_build_in_all_charts(page: Page, written: dict[str, Path]) -> None:
    show(page, written["one"])
    plot = page.locator(".curve .plot").first
    plot.focus()
    plot.press("Home")
    expect(page.locator(".caption").last).to_contain_text("oracle trained")
    plot.press("ArrowRight")
    expect(page.locator(".caption").last).to_contain_text("Change 0")


def test_the_test_that_moved_most_is_first_and_its_card_leads_to_it(
    page: Page, written: dict[str, Path]
) -> None:
    show(page, written["many"])
    expect(page.locator(".card b")).to_have_text(["moved <b>", "still"])
    page.locator(".card").first.click()
    expect(page.locator("h1")).to_have_text("moved <b>")
    page.go_back()
    expect(page.locator("h1")).to_have_text("2 tests, what moved most first")
    page.get_by_label("filter tests by name").fill("sti")
    expect(page.locator(".card:visible")).to_have_count(1)
