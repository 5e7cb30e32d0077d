"""The table of faults says what buto's source can say, and names tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "faults.md"
FAULT_TESTS = ROOT / "tests" / "jvm" / "faults"
CODES = {"0", "1", "2", "3", "4", "129", "130", "137", "143"}
QUOTED = re.compile(r"`([^`]+)`")
TEXT_OF_JAVA = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


class Row(NamedTuple):
    """One line of a table."""

    fault: str
    code: str
    message: str
    kept: str
    tests: str

    def __str__(self) -> str:
        return re.sub(r"\W+", "-", self.fault).strip("-")


def rows() -> list[Row]:
    """All lines of all tables on the page, without their heads."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] not in ("fault", "---"):
            assert len(cells) == len(Row._fields), line
            found.append(Row(*cells))
    return found


@cache
def said() -> tuple[str, ...]:
    """Every text in buto's source, and in that of its agents."""
    found: list[str] = []
    for path in (ROOT / "buto").rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
        found += [value for value in constants if isinstance(value, str)]
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


ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_message_is_one_that_the_source_can_say(row: Row) -> None:
    for message in QUOTED.findall(row.message):
        for part in message.split("…"):
            assert any(part.strip() in text for text in said()), part


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_an_exit_code_is_one_of_buto(row: Row) -> None:
    assert set(re.findall(r"\d+", row.code)) <= CODES
    assert row.code == "-" or row.code[0].isdigit()


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_names_tests_that_exist(row: Row) -> None:
    names = QUOTED.findall(row.tests)
    assert names
    for each in names:
        file, _, name = each.rpartition("::")
        places = [path for path in defined().get(name, []) if path.as_posix().endswith(file)]
        assert len(places) == 1, f"{each} is in {places}"


def test_every_test_of_a_fault_has_its_row() -> None:
    named = {name.rpartition("::")[2] for row in ROWS for name in QUOTED.findall(row.tests)}
    tests = {name for name, paths in defined().items() if any(FAULT_TESTS in path.parents for path in paths)}
    assert tests <= named, f"not on the page: {', '.join(sorted(tests - named))}"
