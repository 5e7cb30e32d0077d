"""The session that the README shows: made of these commands, and nothing in it loads anything."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from scripts import terminal

PRINTED = "leaker: run 1 of 10: 32 samples\nTRAINED  leaker\nleaker@kept: run 1 of 1: 3 samples\n\n  detects"


def test_lines_about_the_progress_are_left_out() -> None:
    assert terminal.shown(PRINTED).plain == "TRAINED  leaker\n  detects\n"


def test_the_drawing_has_each_command_and_loads_nothing() -> None:
    for name, session in terminal.DRAWINGS.items():
        svg = (terminal.IMAGES / f"{name}.svg").read_text(encoding="utf-8")
        words = unescape(re.sub(r"<[^>]*>", "", svg)).replace("\xa0", " ")
        for command, exit_code in session:
            assert f"$ {command}" in words
            assert f"exit code {exit_code}" in words
        assert "url(http" not in svg and "@font-face" not in svg and "<image" not in svg


def test_another_verdict_than_the_storys_leaves_the_drawing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(terminal, "IMAGES", tmp_path)
    monkeypatch.setattr(terminal, "type_command", lambda command, place: (3, "INCONCLUSIVE"))
    assert terminal.main() == 1
    assert list(tmp_path.iterdir()) == []
