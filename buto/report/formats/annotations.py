"""GitHub annotations: workflow commands that a build prints for tests that failed, or that have warnings or
changes to be noted.

The runner shows ten errors, ten warnings and ten notices of a step, so each test has only one of a kind.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from buto.report.result import FINE, Result
from buto.report.sanitize import one_line
from buto.report.terminal.verdict import Detail, result_lines


def workflow_commands(results: Sequence[Result], top: Path | None = None) -> list[str]:
    """Return a line for each annotation: an error if the test did not pass, else a warning, and a notice of
    what is noted.

    Args:
        top: directory of the repository, to which file names are relative; None for the current directory.
    """
    return [line for result in results for line in _annotation(result, top)]


def _annotation(result: Result, top: Path | None) -> list[str]:
    fine = result.status in FINE
    warnings = result.warnings if result.verdict is None else result.verdict.warnings
    noted = result.verdict is not None and result.verdict.noted
    texts = {
        "error": [] if fine else result_lines(result),
        "warning": [one_line(warning) for warning in warnings] if fine else [],
        "notice": result_lines(result, Detail.HEADLINE) if fine and noted else [],
    }
    place = {} if result.oracle is None else {"file": str(_from(top, result.oracle))}
    where = {**place, "title": f"buto {result.test}: {result.status}"}
    properties = ",".join(f"{name}={_property(one_line(value))}" for name, value in where.items())
    return [
        f"::{level} {properties}::{_data(chr(10).join(lines))}" for level, lines in texts.items() if lines
    ]


def _from(top: Path | None, path: Path) -> Path:
    # Without asking the file system: the name of a test may be one that no file can have.
    whole = Path(os.path.abspath(path))
    return whole.relative_to(top) if top is not None and whole.is_relative_to(top) else path


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
