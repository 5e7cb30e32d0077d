"""Tests import builders from ``tests.support`` alone, and nothing else imports tests."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

OTHERS = ("buto", "ci", "data", "demo", "examples", "java-probes", "perf")


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports; a name that is imported may be a module, too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_nothing_under_tests_imports_across() -> None:
    across = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / "tests").rglob("*.py")
        for name in imported(path)
        if name.split(".")[0] == "tests" and not name.startswith("tests.support.")
    }
    assert across == set()


@pytest.mark.parametrize("folder", OTHERS)
def test_nothing_else_imports_tests(folder: str) -> None:
    files = list((ROOT / folder).rglob("*.py"))
    importing = [path for path in files if {name for name in imported(path) if name.split(".")[0] == "tests"}]
    assert importing == []
