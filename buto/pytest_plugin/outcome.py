"""What became of a buto test, in a form that survives the way between processes of pytest-xdist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.outcomes import Failed
else:
    Failed = pytest.fail.Exception

PASS, REGRESSION, INCONCLUSIVE = "pass", "regression", "inconclusive"
TRAINED, ACCEPTED, ERROR = "trained", "accepted", "error"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one buto test gave.

    Attributes:
        test: its name.
        status: PASS, REGRESSION, INCONCLUSIVE, TRAINED, ACCEPTED or ERROR.
        reason: one line, without the status and the test's name.
        details: the lines of the report section; none where ``-q`` asks for none.
        warnings: what the user should know though the test passes.
    """

    test: str
    status: str
    reason: str
    details: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return self.status in (PASS, TRAINED, ACCEPTED)

    def to_data(self) -> dict[str, Any]:
        """Only what pytest-xdist can send."""
        warnings, details = (list(self.warnings), list(self.details)) if self.is_good else ([], [])
        return {"status": self.status, "line": self.line, "warnings": warnings, "details": details}

    @property
    def line(self) -> str:
        """One line that also says of what."""
        return f"{self.status.upper()}  {self.test}: {self.reason}"


class NotPassed(Failed):
    """Ends a test; pytest shows its reason without a traceback, for the code of the test is not to blame."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        super().__init__(outcomes[0].reason, pytrace=False)
        self.outcomes = tuple(outcomes)
