"""The packages of the Java parts import each other in one direction."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter

import pytest

from tests.support.checkout import ROOT

SOURCES = ROOT / "java-probes" / "src"
IMPORTED = re.compile(r"^import (?:static )?(buto(?:\.[a-z]\w*)+)\.[A-Z]", re.MULTILINE)
AGENT = ("", ".custom", ".beans", ".threads", ".platform", ".channel")
"""The packages below ``buto.probes.agent``, as java-probes/README.md lists them; below all is ``buto``."""


def imports(part: str) -> dict[str, set[str]]:
    """Return the packages of a part, and which others of buto each imports."""
    found: dict[str, set[str]] = {}
    for path in sorted((SOURCES / part / "java").rglob("*.java")):
        package = ".".join(path.parent.relative_to(SOURCES / part / "java").parts)
        imported = IMPORTED.findall(path.read_text(encoding="utf-8"))
        found.setdefault(package, set()).update(name for name in imported if name != package)
    return found


@pytest.mark.parametrize("part", ["agent", "jmx", "jfr", "classes", "heap"])
def test_packages_do_not_import_each_other_in_a_circle(part: str) -> None:
    found = imports(part)
    assert set(TopologicalSorter(found).static_order()) == set(found)


def test_a_package_of_the_agent_imports_only_those_below_it() -> None:
    order = [*(f"buto.probes.agent{package}" for package in AGENT), "buto"]
    found = imports("agent")
    assert found.keys() == set(order)
    for at, package in enumerate(order):
        assert found[package] <= set(order[at + 1 :])
