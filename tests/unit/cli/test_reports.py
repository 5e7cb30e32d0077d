"""Which pages a command writes, and what it says of several tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.outcome import CallOutcome
from buto.cli.console import Console, Verbosity
from buto.cli.events import EventPrinter
from buto.cli.parsing import STDOUT
from buto.cli.report_files import Reports, files_of, write_reports
from buto.errors import UsageError
from buto.judging.story import Order
from buto.judging.verdict import Effect
from buto.report.result import LeftOut, Result, reported
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


def test_a_page_of_another_name_than_was_typed_is_named(tmp_path: Path) -> None:
    def written(results: Sequence[Result]) -> str:
        err = io.StringIO()
        reports = Reports({"html": tmp_path / "r.html"}, Order.MEANING)
        outcome = CallOutcome("check", results, 0, made.FINISHED)
        write_reports(outcome, reports, Console(Verbosity.NORMAL, io.StringIO(), err))
        return err.getvalue()

    assert written([SHOWN]) == ""
    assert written([SHOWN, NOT_MEASURED]) == f"wrote {tmp_path / 'r-leaker.html'}\n"
    assert (tmp_path / "r-leaker.html").exists()


def test_standard_output_takes_a_page_or_none() -> None:
    assert pages([SHOWN, NOT_MEASURED], STDOUT) == [str(STDOUT)]
    assert pages([NOT_MEASURED], STDOUT) == []
    with pytest.raises(UsageError, match="can take one page, got 2"):
        pages([SHOWN, OTHER_SHOWN], STDOUT)


def test_the_list_of_several_tests_says_changed_where_all_is_better() -> None:
    assert SHOWN.report is not None
    verdict = SHOWN.report.verdict
    welcome = tuple(replace(finding, effect=Effect.BETTER) for finding in verdict.findings)
    better = reported(replace(SHOWN.report, verdict=replace(verdict, findings=welcome)), SHOWN.oracle)
    out = io.StringIO()
    printer = EventPrinter(Console(Verbosity.NORMAL, out, io.StringIO()))
    printer.outcome(CallOutcome("check", [SHOWN, better, NOT_MEASURED], 1, made.FINISHED))
    words = [line.split()[-1] for line in out.getvalue().splitlines() if line]
    assert words == ["regression", "changed", "error"]
