"""tests/faults.md as data, so that tests can hold buto to what it says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.support.checkout import ROOT

PAGE = ROOT / "tests" / "faults.md"
QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    fault: str
    code: str
    message: str
    kept: str
    test: str

    def __str__(self) -> str:
        return re.sub(r"\W+", "-", self.fault).strip("-")

    @property
    def codes(self) -> frozenset[int]:
        """The exit codes that it may end with."""
        return frozenset(map(int, re.findall(r"\d+", self.code)))

    @property
    def messages(self) -> tuple[str, ...]:
        """What it says, with … for what differs."""
        return tuple(QUOTED.findall(self.message))

    @property
    def tests(self) -> tuple[str, ...]:
        """Names of test functions, as ``test_it``, ``file.py::test_it`` or ``test_it[case]``."""
        return tuple(QUOTED.findall(self.test))

    def is_kept(self, code: int, text: str) -> bool:
        """Whether an exit code and what was printed are as promised; success need not say anything."""
        patterns = [".*".join(map(re.escape, message.split("…"))) for message in self.messages]
        matches = all(re.search(pattern, text) for pattern in patterns)
        return code in self.codes and (matches or code == 0)


def rows() -> list[Row]:
    """All lines of all tables on the page, without their heads."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith(("| fault |", "| --- |")):
            fault, code, message, kept, test = (cell.strip() for cell in line.strip("|").split(" | "))
            found.append(Row(fault, code, message, kept, test))
    return found
