"""Which pages a command writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from buto.actions.outcome import CallOutcome
from buto.cli.parsing import STDOUT
from buto.cli.report_files import files_of
from buto.errors import UsageError
from buto.report.result import LeftOut, Result
from tests.support.report import made

SHOWN, _, OTHER_SHOWN, NOT_MEASURED = made.every_result()


def pages(
    results: Sequence[Result], path: Path = Path("out/r.html"), left_out: Sequence[LeftOut] | None = None
) -> list[str]:
    done = CallOutcome("check", results, 0, made.FINISHED, left_out)
    return [str(page) for page in files_of("html", done, path)]


def test_the_page_of_the_only_test_is_the_file_itself() -> None:
    assert pages([SHOWN]) == ["out/r.html"]


@pytest.mark.parametrize(
    ("others", "left_out"), [([NOT_MEASURED], None), ([], [LeftOut("moved", "nothing changed")])]
)
def test_the_page_of_one_of_several_tests_does_not_look_like_that_of_them_all(
    others: list[Result], left_out: list[LeftOut] | None
) -> None:
    assert pages([SHOWN, *others], left_out=left_out) == ["out/r-leaker.html"]


def test_standard_output_takes_a_page_or_none() -> None:
    assert pages([SHOWN, NOT_MEASURED], STDOUT) == [str(STDOUT)]
    assert pages([NOT_MEASURED], STDOUT) == []
    with pytest.raises(UsageError, match="can take one page, got 2"):
        pages([SHOWN, OTHER_SHOWN], STDOUT)
