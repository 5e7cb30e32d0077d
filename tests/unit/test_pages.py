"""The user who types the pages of the documentation: a page that does not work fails, however often typed."""

from __future__ import annotations

import subprocess
from itertools import count
from pathlib import Path

import pytest

from tests.support.pages import Fault, fault_of, typed

ALARM = "echo 'REGRESSION  shop: 2 differences'; exit 1"
FIRST_ALARM = f"if [ ! -e ../before ]; then touch ../before; {ALARM}; fi"


class User:
    """Types a page in directories below one, and keeps every line."""

    def __init__(self, place: Path) -> None:
        self.place, self.lines, self.number = place, list[str](), count(1)

    def new_directory(self) -> Path:
        directory = self.place / str(next(self.number))
        directory.mkdir()
        return directory

    def shell(self, line: str, directory: Path) -> subprocess.CompletedProcess[str]:
        self.lines.append(f"{directory.name}: {line}")
        return subprocess.run(
            ["sh", "-c", line], cwd=directory, capture_output=True, text=True, timeout=10, check=False
        )

    def types(self, text: str) -> Fault | None:
        page = self.place / "page.md"
        page.write_text(text)
        return fault_of(typed(page), self.new_directory, self.shell)


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def page(*lines: str) -> str:
    return "\n".join(["```sh tested", *lines, "```", ""])


def test_a_page_that_works_is_typed_once(user: User) -> None:
    assert (
        user.types("```yaml a.yaml\nversion: 1\n```\n" + page("cat a.yaml", "exit 3  # exits with 3")) is None
    )
    assert user.lines == ["1: cat a.yaml", "1: exit 3  # exits with 3"]


def test_one_alarm_has_the_whole_page_typed_again_in_a_new_directory(user: User) -> None:
    assert user.types(page("touch trained", FIRST_ALARM, "test -e trained")) is None
    assert [line.split(":")[0] for line in user.lines] == ["1", "1", "2", "2", "2"]


def test_a_page_that_always_alarms_fails(user: User) -> None:
    fault = user.types(page("true", ALARM))
    assert fault is not None
    assert str(fault).startswith(f"{ALARM}\nexited with 1, expected 0\nREGRESSION  shop")
    assert user.lines == [f"{typing}: {line}" for typing in (1, 2) for line in ("true", ALARM)]


def test_a_fault_after_an_alarm_fails(user: User) -> None:
    fault = user.types(page(FIRST_ALARM, "exit 4"))
    assert fault is not None
    assert (fault.line, fault.done.returncode) == ("exit 4", 4)


@pytest.mark.parametrize(
    "line",
    [
        "exit 3",
        "exit 1",
        "echo 'REGRESSION  shop: 2 differences'; exit 3",
        "echo Traceback: REGRESSION >&2; exit 1",
        "echo 'PASS  shop'  # exits with 1",
    ],
)
def test_every_other_fault_fails_at_once(user: User, line: str) -> None:
    fault = user.types(page(line, "true"))
    assert fault is not None
    assert user.lines == [f"1: {line}"]
