"""The table of faults says what buto's source can say, and names tests that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.faults_page import Row, rows

FAULT_TESTS = ROOT / "tests" / "jvm" / "faults"
CODES = {0, 1, 2, 3, 4, 129, 130, 137, 143}
TEXT_OF_JAVA = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ROWS = rows()


def named_texts(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names and values of a module's own texts."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        for target in node.targets:
            if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                yield target.id, node.value.value


def spelt(part: ast.expr, known: Mapping[str, str]) -> str:
    """A part of an f-string: a text as it is, also by its name, and … for what is only known when it runs."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    name = part.value.id if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) else ""
    return known.get(name, "…")


@cache
def texts_of_source() -> tuple[str, ...]:
    """Every text in buto's source, and in that of its agents."""
    found: list[str] = []
    for path in (ROOT / "buto").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known = {name: value for node in tree.body for name, value in named_texts(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                found.append("".join(spelt(part, known) for part in node.values))
    for path in (ROOT / "java-probes" / "src").rglob("*.java"):
        found += TEXT_OF_JAVA.findall(path.read_text(encoding="utf-8"))
    return tuple(found)


@cache
def defined() -> dict[str, list[Path]]:
    """Each test function, and the files that have one of its name."""
    found: dict[str, list[Path]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^\s*def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, []).append(path)
    return found


def function_of(test: str) -> str:
    """Its name without file and case."""
    return test.rpartition("::")[2].partition("[")[0]


def test_every_message_is_one_that_the_source_can_say() -> None:
    parts = {part.strip() for row in ROWS for message in row.messages for part in message.split("…")}
    assert [part for part in sorted(parts) if not any(part in text for text in texts_of_source())] == []


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_has_exit_codes_of_buto_and_tests_that_exist(row: Row) -> None:
    assert row.codes <= CODES
    assert row.code == "-" or row.code[0].isdigit()
    assert row.tests
    for test in row.tests:
        file = test.rpartition("::")[0]
        places = [path for path in defined().get(function_of(test), []) if path.as_posix().endswith(file)]
        assert len(places) == 1, f"{test} is in {places}"


def test_every_test_of_a_fault_has_its_row() -> None:
    named = {function_of(test) for row in ROWS for test in row.tests}
    tests = {name for name, paths in defined().items() if any(FAULT_TESTS in path.parents for path in paths)}
    assert tests <= named, f"not on the page: {', '.join(sorted(tests - named))}"
