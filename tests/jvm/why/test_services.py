"""Causes in a service: the window of its load is profiled in a small heap, though the program halts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from tests.support.checkout import compile_java
from tests.support.processes.command import buto

SOURCE = Path(__file__).parent / "programs" / "Orders.java"
ONCE = "return names.get(order);"
EACH = 'return "customer " + database.query("select * from customers where order = " + order).get(0);'
"""One query more for each order."""


def service(classes: Path) -> dict[str, object]:
    return {
        "command": ["java", "-Xmx96m", "-XX:+UseSerialGC", "-cp", os.fspath(classes), "Orders"],
        "expect-exit": 143,
        "workload": {
            "port": "any",
            "http": {"url": "http://127.0.0.1:${port}/", "rate": 100, "duration": "1s"},
            "stop": True,
        },
        "window": {"from": "load.start", "to": "load.end"},
    }


@pytest.mark.all
def test_a_query_for_each_row_is_named_by_the_method_that_issues_it(tmp_path: Path) -> None:
    text = SOURCE.read_text()
    assert ONCE in text
    tests = {}
    for name, of in (("old", text), ("new", text.replace(ONCE, EACH))):
        place = tmp_path / f"source-{name}" / SOURCE.name
        place.parent.mkdir()
        place.write_text(of)
        tests[name] = service(compile_java(tmp_path / name, [place], "-nowarn", "-g"))
    (tmp_path / "buto.yaml").write_text(yaml.safe_dump({"version": 1, "tests": tests}))
    kinds = ("--kinds", "allocation,retention,classes")
    done = buto(tmp_path, "why", "old", "--against", "new", *kinds, "--json", "why.json")
    assert done.returncode == 0, done.stderr
    assert "halt" not in done.stderr
    document = json.loads((tmp_path / "why.json").read_text())
    allocation, _, classes = document["kinds"]
    first = allocation["found"][0]
    assert (first["tier"], first["method"]) == ("cause", "Orders.nameOf")
    # 100 requests for 50 orders each; a query makes 50 cells.
    name_of, cell = first["calls"]
    assert (name_of["name"], name_of["old"], name_of["new"]) == ("Orders.nameOf", 5000, 5000)
    assert (cell["name"], cell["old"], cell["new"]) == ("Orders$Database.cell", 10_000, 260_000)
    # It only looked a name up; now it makes fifty cells.
    assert name_of["old_bytes"] < 1
    assert name_of["new_bytes"] > 50 * min(cell["old_bytes"], cell["new_bytes"]) > 0
    assert "through `Orders$Database.cell`, called 10,000 → 260,000 times" in document["answer"]
    assert not any("end early" in text for text in document["remarks"])
    # Neither what the start reads nor the classes that it loads.
    assert "Orders.read" not in {cause["method"] for cause in allocation["found"]}
    assert classes["new"] < 300
