"""The page on judging shows the sizes that matter as they are."""

from __future__ import annotations

import re

from buto.judging.effects import USUAL
from tests.support.checkout import ROOT

PAGE = ROOT / "docs" / "methods" / "judging.md"
SECTION = re.compile(r"^## Sizes that matter$(.*?)^## ", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+?) \| ([^|]+?) \|$", re.MULTILINE)


def test_the_page_has_each_size_in_its_order_with_a_reason() -> None:
    section = SECTION.search(PAGE.read_text(encoding="utf-8"))
    assert section is not None
    rows = ROW.findall(section[1])
    assert [(pattern, size) for pattern, size, _ in rows] == list(USUAL.items())
    assert all(why.strip() for _, _, why in rows)
