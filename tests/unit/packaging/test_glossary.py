"""The glossary lists every property that buto collects by default."""

from __future__ import annotations

import re
from pathlib import Path

from buto.properties import METRICS

GLOSSARY = Path(__file__).resolve().parents[3] / "docs" / "glossary.md"


def test_each_default_property_is_listed_with_unit_kind_and_thesis_name() -> None:
    cells = re.findall(r"^\| `([^`]+)` \| (.*) \|$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {name: rest.split(" | ") for name, rest in cells}
    expected = {
        metric.name: [
            metric.unit,
            metric.kind.value,
            metric.per or "",
            metric.thesis_name or "(not in the thesis)",
        ]
        for metric in METRICS.values()
    }
    assert listed == expected
