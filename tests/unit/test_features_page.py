"""The pages show which features accuse, and why some properties accuse nobody, as they are."""

from __future__ import annotations

import re

from buto.judging.accusing import TABLE
from buto.run.properties import METRICS, Role, is_exact, is_judged
from tests.support.checkout import ROOT

FEATURES = (ROOT / "docs" / "methods" / "features.md").read_text(encoding="utf-8")
PROPERTIES = (ROOT / "docs" / "measuring" / "properties.md").read_text(encoding="utf-8")
NOBODY = re.compile(r"^## What is recorded and accuses nobody$(.*?)^## ", re.MULTILINE | re.DOTALL)
REASON = re.compile(r"^\| `([^`]+)` \| ([^|]+?) \|$", re.MULTILINE)


def test_the_page_has_each_row_of_the_table() -> None:
    rows = [line for line in FEATURES.splitlines() if line.startswith("| ") and line.count("|") == 8]
    expected = []
    for row in TABLE:
        accuses = "with" if row.needs_whole else "yes" if row.accuses else "no"
        follows = ["yes" if cell else "no" for cell in (row.phase, row.speed, row.collections)]
        names = ", ".join(f"`{name}`" for name in row.features)
        expected.append(f"| {' | '.join([row.nature.value, names, *follows, accuses, row.why])} |")
    assert rows[2:] == expected


def test_each_property_is_judged_or_the_page_says_why_not() -> None:
    found = NOBODY.search(PROPERTIES)
    assert found is not None
    reasons = dict(REASON.findall(found[1]))
    unjudged = {
        prop.name
        for metric in METRICS.values()
        for prop in (metric.property(instance) for instance in metric.instances or (None,))
        if prop.role is Role.PROGRAM and not is_judged(prop) and not is_exact(prop)
    }
    named = {name for name in unjudged if name in reasons or name.partition("[")[0] in reasons}
    assert unjudged - named == ON_DEMAND
    assert all(name in unjudged or any(prop.startswith(f"{name}[") for prop in unjudged) for name in reasons)


ON_DEMAND = {"jvm.memory.used_after_last_gc"}
"""Judged for the pools of old objects alone; the whole heap is judged in any case."""
