"""The report of a check as readers meet it: in a browser, at a desk and on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser import LOOKS, Looks, Opened, Opener, place
from tests.support.rarely import mark_all_but

both = pytest.mark.parametrize("looks", mark_all_but((str(LOOKS[0]),), LOOKS))


def first_plot(page: Page) -> Locator:
    plot = page.locator(".finding .plot").first
    plot.scroll_into_view_if_needed()
    return plot


def drag(page: Page, plot: Locator, start: float, end: float) -> None:
    page.mouse.move(*place(plot, start, 0.4))
    page.mouse.down()
    page.mouse.move(*place(plot, end, 0.45), steps=3)
    page.mouse.up()


def on_axis(plot: Locator, axis: int = 0) -> list[str]:
    written: list[str] = plot.evaluate("(plot, axis) => plot.u.axes[axis]._values", axis)
    return written


def drawn_points(plot: Locator, key: str) -> list[int]:
    """How many points each curve of one kind has; nothing of those that are hidden."""
    counts: list[int] = plot.evaluate(
        """(plot, key) => plot.u.data.filter((_, i) => {
             const one = plot.u.series[i];
             return one.key === key && one.show && !one.beyond;
           }).map((column) => column.filter((value) => value != null).length)""",
        key,
    )
    return counts


def dots_of(plot: Locator, colour: str) -> int:
    """How many dots of the drawing have this colour, written as six digits."""
    count: int = plot.evaluate(
        """(plot, colour) => {
             const { width, height } = plot.u.ctx.canvas;
             const dots = new DataView(plot.u.ctx.getImageData(0, 0, width, height).data.buffer);
             let count = 0;
             const wanted = parseInt(colour + "ff", 16);
             for (let at = 0; at < dots.byteLength; at += 4) count += dots.getUint32(at) === wanted;
             return count;
           }""",
        colour,
    )
    return count


PAGES = [
    *(("leaking", looks) for looks in LOOKS),
    ("calibrated", LOOKS[1]),
    ("hostile", LOOKS[1]),
    ("three", LOOKS[0]),
    ("passing", LOOKS[1]),
    ("elsewhere", LOOKS[1]),
    pytest.param("large", LOOKS[0], marks=pytest.mark.all),
    *(("compared", looks) for looks in LOOKS),
]


@pytest.mark.parametrize(("name", "looks"), PAGES, ids=lambda value: str(value))
def test_every_page_is_quiet_complete_and_fits_its_width(opened: Opener, name: str, looks: Looks) -> None:
    made = opened(name, looks)
    page = made.page
    made.picture("whole", whole=True)
    assert made.complaints == []
    assert made.requests == [page.url]
    assert page.evaluate("document.documentElement.scrollWidth") <= looks.width
    for chart in page.locator("[data-panel]").all():
        plot = chart.locator(".plot")
        assert len(drawn_points(plot, "band")) == 3
        assert min(*drawn_points(plot, "run0"), *drawn_points(plot, "training")) > 50
        assert min(drawn_points(plot, "band")) >= 25
        assert dots_of(plot, "14202b" if looks.scheme == "light" else "f6f8fa") > 100
    small = [
        count for chart in page.locator(".card .miniature").all() for count in drawn_points(chart, "run0")
    ]
    assert len(small) >= 5 and min(small) > 50
    assert page.evaluate("window.pwned") is None


@both
def test_the_answer_the_worst_and_its_chart_are_seen_without_scrolling_far(
    opened: Opener, looks: Looks
) -> None:
    page = opened("leaking", looks).page
    expect(page.locator(".badge")).to_have_text(re.compile("regression", re.IGNORECASE))
    for part, screens in ((".badge", 1), (".worst", 1), (".finding .big", 1), (".finding .plot canvas", 1.5)):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] < screens * 850


@both
def test_hovering_names_the_moment_the_value_and_what_was_expected(opened: Opener, looks: Looks) -> None:
    made = opened("leaking", looks)
    plot = first_plot(made.page)
    tip = plot.locator(".tip")
    expect(tip).to_be_hidden()
    made.page.mouse.move(*place(plot, 0.9, 0.5))
    expect(tip).to_be_visible()
    made.picture("hover")
    text = tip.inner_text()
    assert re.search(r"at\s+2\d(\.\d+)? s", text)
    assert re.search(r"this run\s+[\d.]+ MiB, outside", text)
    assert re.search(r"expected\s+[\d.]+ MiB to [\d.]+ MiB", text)
    assert re.search(r"training\s+[\d.]+ MiB to [\d.]+ MiB", text)
    box, whole = tip.bounding_box(), plot.bounding_box()
    assert box is not None and whole is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= looks.width
    assert box["y"] >= whole["y"] - 1 and box["y"] + box["height"] <= whole["y"] + whole["height"] + 1


def test_a_comparison_calls_its_sides_by_their_names_in_charts_too(opened: Opener) -> None:
    made = opened("compared")
    page, plot = made.page, first_plot(made.page)
    expect(page.locator("#findings .key").first).to_contain_text("runs of old")
    expect(plot).to_have_attribute("aria-label", re.compile(r": 6 runs of new, 6 runs of old, 0 s to "))
    made.page.mouse.move(*place(plot, 0.9, 0.5))
    assert re.search(r"old\s+[\d.]+ MiB to [\d.]+ MiB", plot.locator(".tip").inner_text())
    made.picture("hover")
    for folded in page.locator("details").all():
        folded.evaluate("one => one.open = true")
    assert "training" not in page.locator("body").inner_text()


@both
def test_dragging_zooms_in_and_a_double_click_shows_the_whole_run_again(opened: Opener, looks: Looks) -> None:
    made = opened("leaking", looks)
    page, plot = made.page, first_plot(made.page)
    before = on_axis(plot)
    assert before[0] == "0 s"
    drag(page, plot, 0.5, 0.8)
    made.picture("zoom")
    zoomed = on_axis(plot)
    assert zoomed != before and "0 s" not in zoomed
    whole = page.locator(".finding .tools").first.get_by_text("whole run")
    expect(whole).to_be_enabled()
    page.mouse.dblclick(*place(plot, 0.6, 0.4))
    assert on_axis(plot) == before
    expect(whole).to_be_disabled()


def test_a_finger_asks_by_touching_and_zooms_by_dragging(opened: Opener) -> None:
    page = opened("leaking", LOOKS[1]).page
    plot = first_plot(page)
    before = on_axis(plot)
    session = page.context.new_cdp_session(page)
    for kind, across in (("touchStart", 0.4), ("touchMove", 0.5), ("touchMove", 0.7), ("touchEnd", None)):
        points = [] if across is None else [dict(zip("xy", place(plot, across, 0.5), strict=True))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        expect(plot.locator(".tip")).to_contain_text("this run")
    zoomed = on_axis(plot)
    assert zoomed != before and "0 s" not in zoomed


@both
def test_the_keyboard_reaches_everything_that_can_be_used(opened: Opener, looks: Looks) -> None:
    page = opened("leaking", looks).page
    page.evaluate(
        """() => {
          const usable = "a[href], button:not([disabled]), input, summary, [tabindex='0']";
          window.wanted = [...document.querySelectorAll(usable)].filter((one) => one.checkVisibility());
          window.reached = new Set();
          document.addEventListener("focusin", (event) => window.reached.add(event.target));
        }"""
    )
    wanted = page.evaluate("window.wanted.length")
    assert wanted > 20
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
    missed = page.evaluate(
        "window.wanted.filter((one) => !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 80))"
    )
    assert missed == []


def test_keys_move_zoom_and_change_the_axis_and_say_so_aloud(opened: Opener) -> None:
    page = opened("leaking").page
    plot = first_plot(page)
    aloud = page.locator(".finding .spoken").first
    plot.focus()
    page.keyboard.press("End")
    expect(aloud).to_have_text(re.compile(r"this run [\d.]+ MiB, outside; expected"))
    last = aloud.inner_text()
    page.keyboard.press("Shift+ArrowLeft")
    expect(aloud).not_to_have_text(last)
    before = on_axis(plot)
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert on_axis(plot) != before
    page.keyboard.press("0")
    assert on_axis(plot) == before
    linear = on_axis(plot, 1)
    page.keyboard.press("L")
    assert on_axis(plot, 1) != linear
    expect(page.locator(".finding .tools").first.get_by_text("log")).to_have_attribute("aria-pressed", "true")


def test_the_legend_hides_and_shows_by_key(opened: Opener) -> None:
    page = opened("three").page
    page.locator(".card").first.click()
    large = page.get_by_role("dialog")
    entry = large.locator(".legend").get_by_role("button", name="training runs")
    plot = large.locator(".plot")
    entry.focus()
    assert len(drawn_points(plot, "training")) == 10
    page.keyboard.press("Space")
    expect(entry).to_have_attribute("aria-pressed", "false")
    assert drawn_points(plot, "training") == []
    page.keyboard.press("Space")
    assert len(drawn_points(plot, "training")) == 10


@both
def test_every_property_has_a_large_chart_that_opens_turns_and_closes_by_key(
    opened: Opener, looks: Looks
) -> None:
    made = opened("leaking", looks)
    page = made.page
    cards = page.locator(".card")
    large = page.get_by_role("dialog")
    cards.nth(1).focus()
    page.keyboard.press("Enter")
    expect(large).to_be_visible()
    expect(large.locator(".plot")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(large.locator(".tip")).to_be_visible()
    made.picture("large")
    name = large.locator("h2").inner_text()
    assert name == cards.nth(1).locator(".name").inner_text()
    large.get_by_label("next property").click()
    expect(large.locator("h2")).not_to_have_text(name)
    assert min(drawn_points(large.locator(".plot"), "run0")) > 1
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()


def test_small_charts_come_by_evidence_and_can_be_filtered(opened: Opener) -> None:
    page = opened("leaking").page
    cards = page.locator(".card")
    differ = cards.evaluate_all("all => all.map(one => one.classList.contains('differs'))")
    assert differ == sorted(differ, reverse=True) and differ[0] and not differ[-1]
    expect(page.locator("#rest .card").first).to_be_hidden()
    page.get_by_label("filter properties by name").fill("cache")
    visible = [card for card in cards.all() if card.is_visible()]
    assert len(visible) == 1
    assert "com.acme:type=Cache,name=orders" in visible[0].inner_text()


def test_of_very_many_properties_the_others_are_a_list_that_can_be_searched(opened: Opener) -> None:
    page = opened("many").page
    assert page.locator(".card").count() == 20
    others = page.locator("#others")
    assert not others.get_by_label("filter other properties by name").is_visible()
    others.locator("summary").click()
    rows = others.locator("tbody tr")
    n_rows = rows.count()
    assert n_rows > 400
    name = rows.nth(200).locator("td").first.inner_text()
    others.get_by_label("filter other properties by name").fill(name.split()[0])
    assert others.locator("tbody tr:visible").all_inner_texts()[0].startswith(name)
    assert others.get_by_role("status").inner_text() == f"1 of {n_rows}"


def test_collections_and_notifications_are_marked(opened: Opener) -> None:
    page = opened("leaking").page
    expect(page.locator(".finding .legend")).to_have_count(0)
    page.locator(".card").first.click()
    plot = page.get_by_role("dialog").locator(".plot")
    legend = page.get_by_role("dialog").locator(".legend")
    for name, colour in (("garbage collections", "5a6875"), ("notifications", "8a6500")):
        with_marks = dots_of(plot, colour)
        legend.get_by_role("button", name=name).click()
        assert dots_of(plot, colour) < with_marks - 100
    page.keyboard.press("Escape")
    expect(page.locator("#timeline .received")).to_have_count(5)
    expect(page.locator("#timeline .band")).to_have_count(5)


def test_what_differs_in_the_environment_is_marked(opened: Opener) -> None:
    page = opened("leaking").page
    row = page.locator("#environment tr", has_text="host.name")
    expect(row.locator("mark")).to_have_text("ci-9")
    expect(row).to_contain_text("ci-7")


def test_light_and_dark_follow_the_reader(opened: Opener) -> None:
    def background(made: Opened) -> list[int]:
        colour = made.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return [int(part) for part in re.findall(r"\d+", colour)[:3]]

    light, dark = (background(opened("passing", looks)) for looks in LOOKS)
    assert min(light) > 200 and max(dark) < 60


def test_print_is_dark_on_white_with_charts_and_without_buttons(opened: Opener) -> None:
    made = opened("leaking", Looks(760, "dark"))
    made.page.emulate_media(media="print")
    assert made.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(made.page.locator("nav")).to_be_hidden()
    expect(made.page.locator(".tools").first).to_be_hidden()
    plot = made.page.locator(".finding .plot").first
    expect(plot.locator("canvas")).to_be_visible()
    assert dots_of(plot, "000000") > 100 and dots_of(plot, "f6f8fa") == 0
    made.picture("print", whole=True)


def test_without_script_the_numbers_still_are_there(opened: Opener) -> None:
    page = opened("leaking", script=False).page
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator(".finding").first).to_contain_text("expected")


def test_a_script_from_outside_is_refused_even_if_it_got_in(opened: Opener) -> None:
    made = opened("passing")
    made.page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.pwned = 1";
          document.body.append(script);
        }"""
    )
    assert made.page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in complaint for complaint in made.complaints)
