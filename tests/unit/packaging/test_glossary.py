"""The page on what is measured lists every property that buto collects by default."""

from __future__ import annotations

import re
from pathlib import Path

from buto.run.properties import METRICS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "measuring" / "properties.md"


def test_each_default_property_is_listed_with_unit_kind_and_thesis_name() -> None:
    section = PAGE.read_text(encoding="utf-8").split("\n## ")[1]
    cells = re.findall(r"^\| `([^`]+)` \|(.*)\|$", section, re.MULTILINE)
    listed = {name: [cell.strip() for cell in rest.split("|")] for name, rest in cells}
    expected = {
        metric.name: [
            metric.unit,
            metric.kind.value,
            metric.per,
            metric.thesis_name,
        ]
        for metric in METRICS.values()
    }
    assert listed == expected
