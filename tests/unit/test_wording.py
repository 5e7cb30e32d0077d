"""Messages are for people: no code decides by their words, so that they can be reworded at any time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "buto"

MESSAGES = {"message", "advice", "text", "reason", "reasons", "warning", "warnings", "problem", "problems"}
"""Attributes and variables that hold what is written for people."""

FOREIGN = {"buto/run/s3.py: _ANSWER.search(str(error))"}
"""The only texts that are searched: those of a foreign library that has nothing else to decide by. The tests
of stores show that for obstore."""

SEARCHES = {"startswith", "endswith", "find", "index", "count", "match", "search", "fullmatch"}
BY_IDENTITY = (ast.Is, ast.IsNot)


def decisions(code: str) -> Iterator[tuple[int, str]]:
    """Yield line and code of each place that compares a message, or searches in one."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare) and not all(isinstance(op, BY_IDENTITY) for op in node.ops):
            parts = [node.left, *node.comparators]
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHES
        ):
            parts = [node.func.value, *node.args]
        else:
            continue
        if any(_is_message(part) for part in parts):
            yield node.lineno, ast.unparse(node)


def _is_message(node: ast.expr) -> bool:
    match node:
        case (
            ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner, attr="lower" | "casefold"))
        ):
            return _is_message(inner)
        case ast.Attribute(attr=name):
            return name in MESSAGES
        case ast.Name(id=name):
            return name in MESSAGES - {"text"}
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name in ("error", "failure")
        case _:
            return False


@pytest.mark.parametrize(
    "code",
    [
        'error.message.startswith("the store")',
        'problem.startswith("it was starved")',
        'problem.text.endswith("limit")',
        '"already in use" in failure.message',
        '"in use" in str(error)',
        "finding.text not in verdict.reasons",
        'run.quality.problems[0] == "starved"',
        'verdict.warnings[0].lower() != "busy"',
        're.match("buto was lost", problem.text)',
        "pattern.search(error.advice)",
    ],
)
def test_a_decision_by_words_is_found(code: str) -> None:
    assert list(decisions(code)) == [(1, ast.unparse(ast.parse(code)))]


@pytest.mark.parametrize(
    "code",
    [
        "problem.kind is ProblemKind.STARVED",
        "problem.kind in ENDS",
        "error.advice is not None",
        "'; '.join(problem.text for problem in problems)",
        "print(error.message.splitlines()[0]) if error.message else None",
    ],
)
def test_a_decision_by_a_kind_and_a_message_that_is_shown_are_not(code: str) -> None:
    assert not list(decisions(code))


def test_no_code_decides_by_the_words_of_a_message() -> None:
    found = [
        f"{path.relative_to(SOURCE.parent)}: {code}"
        for path in sorted(SOURCE.rglob("*.py"))
        for _, code in decisions(path.read_text())
    ]
    assert sorted(found) == sorted(FOREIGN), "give these a kind or a field to decide by"


COMMAND = re.compile(
    r"\bbuto (train|check|accept|record|plot|report|compare|bisect|selftest|doctor|attach|"
    r"runs (list|show|delete))\b"
)


def commands(code: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each constant that names a command of buto, apart from docstrings."""
    tree = ast.parse(code)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in docstrings else None
        if isinstance(text, str) and COMMAND.search(text):
            yield node.lineno, text


def test_a_command_in_a_message_is_found() -> None:
    assert list(commands('"""buto check"""\nraise Error("no runs", advice=f"buto runs list {test}")\n')) == [
        (2, "buto runs list ")
    ]


def test_only_the_command_line_names_its_commands() -> None:
    """Other rooms name steps, which each front end puts into its own words, with its own files."""
    found = [
        f"{path.relative_to(SOURCE.parent)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not path.is_relative_to(SOURCE / "cli")
        for line, text in commands(path.read_text())
    ]
    assert not found, "make these a buto.steps.Step:\n" + "\n".join(found)
