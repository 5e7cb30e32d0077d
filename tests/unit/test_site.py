"""The site: every page that the documentation links is on it, and no link on it leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import buto
from scripts import build_site as site
from tests.support.checkout import ROOT


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page beside a folder with a README, one without, and a file."""
    for name in ("with/README.md", "without/code.py", "other.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path / "page.md"


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("[a](other.md#b) and [c](#d)", "[a](other.md#b) and [c](#d)"),
        ("[a](with)", "[a](with/README.md)"),
        ("[the `code`](without)", "the `code`"),
        ("![a](without/code.py)", "![a](without/code.py)"),
        ("[a](https://example.org)", "[a](https://example.org)"),
        ("[a](lost.md)", "[a](lost.md)"),
        ("```\n[a](without)\n```", "```\n[a](without)\n```"),
        ("```sh tested\nx\n```", "```sh\nx\n```"),
    ],
    ids=["pages", "folder", "folder without a page", "file", "elsewhere", "lost", "code", "tested"],
)
def test_a_link_to_a_folder_leads_to_its_page(page: Path, text: str, rewritten: str) -> None:
    assert site.rewrite(page, text) == rewritten


def test_a_page_names_the_files_that_must_be_copied(page: Path) -> None:
    links = site.linked(page, "[a](with) [b](without) [c](other.md) [d](lost.md)")
    assert [file.relative_to(page.parent).as_posix() for file in links] == ["with/README.md", "other.md"]


def test_the_reference_has_every_public_name() -> None:
    text = site.reference()
    missing = [name for name in buto.__all__ if not re.search(rf"^(## |::: ).*\b{name}$", text, re.MULTILINE)]
    assert missing == ["__version__"]


@pytest.mark.slow
def test_the_site_is_built_without_a_warning() -> None:
    command = [sys.executable, "scripts/build_site.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (site.SITE / "reference" / "index.html").read_text(encoding="utf-8").count("<h3") > 30
    assert (site.SITE / "replications" / "docs" / "index.html").exists()
