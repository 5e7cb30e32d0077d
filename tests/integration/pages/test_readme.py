"""Where README and docs point to exists, and the commands that README begins with."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.pages import PAGES, README


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_two_first_commands_exist(target: str) -> None:
    shown = re.findall(r"^    make (\w+)$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert shown == ["demo", "test"]
    done = subprocess.run(
        ["make", "--dry-run", "-C", str(ROOT), target],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {"demo": "demo/demo.py", "test": "-m pytest"}[target] in done.stdout
