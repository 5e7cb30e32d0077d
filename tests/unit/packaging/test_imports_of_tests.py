"""Tests import builders from ``tests.support`` and declared packages; nothing else imports tests."""

from __future__ import annotations

import ast
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.checkout import ROOT

OWN = {
    "beds",
    "buto",
    "buto_cluster",
    "buto_predict",
    "buto_replications",
    "cluster",
    "conftest",
    "perf",
    "predict",
    "replications",
    "scripts",
    "tests",
}
"""Packages of this checkout."""
PACKAGES = ("buto", "cluster/buto_cluster", "predict/buto_predict", "replications/buto_replications")
OTHERS = (*PACKAGES, "ci", "data", "demo", "examples", "java-probes", "perf")


@cache
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


def test_what_tests_import_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    # The extras that ``all`` names, of which the tests use each.
    names = ("test", "frames", "load", "plots", "s3", "thesis")
    words = (*project["dependencies"], *(word for name in names for word in extras[name]))
    declared = {canonicalize_name(Requirement(word).name) for word in words}
    distributions = packages_distributions()
    packages = {
        name.split(".")[0]
        for folder in ("predict/tests", "scripts", "tests")
        for path in (ROOT / folder).rglob("*.py")
        for name in imported(path)
    }
    undeclared = {
        package
        for package in packages - sys.stdlib_module_names - OWN
        if declared.isdisjoint(map(canonicalize_name, distributions.get(package, ())))
    }
    assert undeclared == set()


@pytest.mark.parametrize("folder", OTHERS)
def test_nothing_else_imports_tests(folder: str) -> None:
    files = list((ROOT / folder).rglob("*.py"))
    importing = [path for path in files if {name for name in imported(path) if name.split(".")[0] == "tests"}]
    assert importing == []
