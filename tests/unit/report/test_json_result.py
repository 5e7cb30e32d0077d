"""The result of train and check as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, EXIT_REGRESSION, MeasureError
from buto.report.json_result import Result, result_document, result_text
from buto.runs import Quality
from buto.schemas import load
from buto.verdicts import Status
from tests.unit.report import made

GOLDEN = Path(__file__).parents[2] / "golden" / "result-1.json"
FINISHED = datetime(2026, 1, 2, 5, 4, 5, 678_900, tzinfo=timezone(timedelta(hours=2)))
ORACLE = Path("oracles/leaker.json")


def document(*results: Result, command: str = "check", exit_code: int = EXIT_REGRESSION) -> dict[str, Any]:
    """What a reader gets; proven to be valid on the way."""
    data: dict[str, Any] = json.loads(result_text(result_document(command, results, exit_code, FINISHED)))
    jsonschema.validate(data, load("result"))
    return data


def regression() -> Result:
    findings = (made.leak(), made.silence())
    invalid = Quality(problems=("starved: 31 % of the samples are missing",), missed_share=0.31)
    runs = [made.run(), made.run("20260102T030411.000Z-00fe", invalid)]
    return Result("leaker", ORACLE, runs, made.verdict(findings=findings, warnings=("busy",)))


def test_the_golden_file_is_what_is_written() -> None:
    failed = Result("broken", Path("oracles/broken.json"), error=MeasureError("no JVM", advice="buto doctor"))
    results = [regression(), failed]
    text = result_text(result_document("check", results, EXIT_REGRESSION, FINISHED))
    written = json.loads(text)
    written["buto"] = "0.1.0"
    assert written == json.loads(GOLDEN.read_text())


def test_the_golden_file_follows_the_schema() -> None:
    jsonschema.validate(json.loads(GOLDEN.read_text()), load("result"))


def test_the_time_is_written_in_utc() -> None:
    assert document()["finished"] == "2026-01-02T03:04:05.678Z"


@pytest.mark.parametrize("status", Status)
def test_every_status(status: Status) -> None:
    test = document(Result("leaker", ORACLE, [made.run()], made.verdict(status)))["tests"][0]
    assert test["status"] == test["verdict"]["status"] == status.value


def test_training_has_runs_and_warnings_but_no_verdict() -> None:
    result = Result("leaker", ORACLE, [made.run()], warnings=("only 5 runs",))
    test = document(result, command="train", exit_code=EXIT_PASS)["tests"][0]
    assert (test["status"], test["verdict"], test["warnings"]) == ("trained", None, ["only 5 runs"])


def test_an_error_after_some_runs_keeps_them() -> None:
    result = Result("leaker", ORACLE, [made.run()], error=MeasureError("hung"))
    test = document(result, exit_code=EXIT_NOT_JUDGED)["tests"][0]
    assert test["status"] == "error"
    assert test["error"] == {"message": "hung", "advice": None, "exit_code": EXIT_NOT_JUDGED}
    assert len(test["runs"]) == 1


def test_numbers_that_json_lacks_are_null() -> None:
    finding = replace(made.leak(), lower=float("-inf"), upper=float("inf"), outside_share=float("nan"))
    run = made.run(quality=Quality())
    test = document(Result("leaker", ORACLE, [run], made.verdict(findings=(finding,))))["tests"][0]
    told = test["verdict"]["findings"][0]
    assert (told["lower"], told["upper"], told["outside_share"]) == (None, None, None)
    assert test["runs"][0]["foreign_load"] is None


def test_an_unknown_key_breaks_the_schema() -> None:
    data = document(regression())
    data["tests"][0]["verdict"]["confidence"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, load("result"))
