"""The outcome of a buto test, in a form that can be sent between processes of pytest-xdist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.outcomes import Failed
else:
    Failed = pytest.fail.Exception


PASS, REGRESSION, CHANGED, INCONCLUSIVE = "pass", "regression", "changed", "inconclusive"


TRAINED, ACCEPTED, ERROR = "trained", "accepted", "error"


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """The outcome of one buto test.

    Attributes:
        test: its name.
        status: PASS, REGRESSION, CHANGED (only for the better), INCONCLUSIVE, TRAINED, ACCEPTED or ERROR.
        reason: one line, without the status and the test's name.
        details: the lines of the report section; empty with ``-q``.
        warnings: warnings to the user, even if the test passes.
        is_noted: whether it passed with changes to be noted, which its reason names.
    """

    test: str
    status: str
    reason: str
    details: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    is_noted: bool = False

    @property
    def is_good(self) -> bool:
        return self.status in (PASS, TRAINED, ACCEPTED)

    def to_data(self) -> dict[str, Any]:
        """Return plain data that pytest-xdist can send."""
        warnings, details = (list(self.warnings), list(self.details)) if self.is_good else ([], [])
        return {
            "status": self.status,
            "line": self.line,
            "warnings": warnings,
            "details": details,
            "is_noted": self.is_noted,
        }

    @property
    def line(self) -> str:
        """Return one line with the status and the test's name."""
        return f"{self.status.upper()}  {self.test}: {self.reason}"


class NotPassed(Failed):
    """Ends a test; pytest shows its reason without a traceback, because the test's code is not the cause."""

    def __init__(self, outcomes: Sequence[ItemOutcome]) -> None:
        super().__init__(outcomes[0].reason, pytrace=False)
        self.outcomes = tuple(outcomes)
