"""The help texts, as they were when somebody last read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buto.cli.registry import COMMANDS, EXTENSIONS, load_added
from tests.support.checkout import ROOT
from tests.support.processes.command import called
from tests.support.report import golden


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_as_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    words = [command] if command else []
    done = called(tmp_path, *words, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout
    for other in load_added():
        shown = re.sub(rf"^    {other}\s+.*\n", "", shown, flags=re.MULTILINE)
    golden.same(f"help/{command or 'buto'}.txt", shown)
    assert all(len(line) <= 110 for line in shown.splitlines())


def test_every_golden_text_belongs_to_a_command() -> None:
    assert {path.stem for path in (golden.PLACE / "help").glob("*.txt")} == {"buto", *COMMANDS}


def test_the_page_lists_the_commands_in_the_order_of_the_help() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z]+)` \|", page.partition("\n## ")[0], re.MULTILINE)
    others = EXTENSIONS.packages.keys() - COMMANDS.keys()
    assert [name for name in listed if name not in others] == list(COMMANDS)
