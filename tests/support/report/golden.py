"""Files that a format's readers were tried with: what is written must stay as it is there."""

from __future__ import annotations

import os

from tests.support.checkout import ROOT

PLACE = ROOT / "tests" / "golden"
WRITE = "BUTO_WRITE_GOLDEN"
"""Environment variable; with it a test writes the file, for somebody to read the difference."""


def same(name: str, text: str) -> str:
    """The text, which must be that of the golden file."""
    path = PLACE / name
    if os.environ.get(WRITE):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"if this is meant: {WRITE}=1 pytest, and read {path}"
    return text
