"""A real Chromium without a window, pages opened in it at two widths, and their pictures.

The browser is Debian's (``apt-get install chromium``) or the one that BUTO_CHROMIUM names. Without one
these tests are skipped, but never where CI is set: there they fail.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, sync_playwright

from buto.report.html import render
from tests.support.browser import LOOKS, Looks, Opened, Opener
from tests.support.needed import skip_without
from tests.support.processes.command import called
from tests.support.report import reports
from tests.support.runs.stored import store

NAMES = ("chromium", "chromium-browser", "google-chrome")
# As root there is no sandbox; the rest keeps the browser from calling home.
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
END_S = 10.0
DRAWN_MS = 60_000


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = os.environ.get("BUTO_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        skip_without("no Chromium was found; Debian, Ubuntu: apt-get install chromium")
    before = set(psutil.Process().children(recursive=True))
    with sync_playwright() as playwright:
        # The browser keeps reports of crashes there, wherever its profile is.
        home = {
            name: str(tmp_path_factory.mktemp("home"))
            for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
        }
        started = playwright.chromium.launch(
            executable_path=path, args=list(OPTIONS), env={**os.environ, **home}
        )
        yield started
        started.close()
    deadline = time.monotonic() + END_S
    while left := set(psutil.Process().children(recursive=True)) - before:
        assert time.monotonic() < deadline, f"left behind: {left}"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def no_process_left_behind() -> None:
    """The browser starts and ends processes as it likes; all are gone when it is closed."""


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    """The directory for pictures that BUTO_PICTURES names, for people to look at; None: nobody wants them."""
    named = os.environ.get("BUTO_PICTURES")
    if not named:
        return None
    Path(named).mkdir(parents=True, exist_ok=True)
    return Path(named)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Rendered reports, each in a file as a user has it."""
    place = tmp_path_factory.mktemp("pages")
    made = {
        "leaking": reports.leaking(),
        "three": reports.leaking(3),
        "calibrated": reports.calibrated(),
        "passing": reports.passing(),
        "elsewhere": reports.elsewhere(),
        "hostile": reports.hostile(),
        "large": reports.large(),
        "many": reports.many(),
    }
    paths = {}
    for name, report in made.items():
        paths[name] = place / f"{name}.html"
        paths[name].write_text(render(report), encoding="utf-8")
    paths["compared"] = _compared(place)
    return paths


def _compared(place: Path) -> Path:
    """The page of a program that leaks against one that does not, as the command writes it."""
    for number in range(6):
        old, new = reports.shop_run(2 * number), reports.shop_run(2 * number + 1, leak=0.6)
        store(place, replace(old, test="old"), replace(new, test="new"))
    done = called(
        place, "compare", "old", "--against", "new", "--from-runs", "all", "--html", "compared.html"
    )
    assert done.returncode == 1, done.stderr
    return place / "compared.html"


@pytest.fixture
def opened(browser: Browser, pages: dict[str, Path], pictures: Path | None) -> Iterator[Opener]:
    """Open a page and wait until it is drawn; it is closed after the test."""
    contexts = []

    def opener(name: str, looks: Looks = LOOKS[0], *, script: bool = True) -> Opened:
        context = browser.new_context(
            viewport={"width": looks.width, "height": 850},
            color_scheme=looks.scheme,  # type: ignore[arg-type]
            java_script_enabled=script,
        )
        contexts.append(context)
        page = context.new_page()
        made = Opened(page, pictures, f"{name}-{looks}")
        page.on("console", lambda message: made.complaints.append(message.text))
        page.on("pageerror", lambda error: made.complaints.append(str(error)))
        page.on("dialog", lambda dialog: made.complaints.append(dialog.message))
        page.on("request", lambda request: made.requests.append(request.url))
        page.goto(pages[name].as_uri())
        if script:
            page.wait_for_selector("html[data-drawn]", state="attached", timeout=DRAWN_MS)
        return made

    yield opener
    for context in contexts:
        context.close()
