"""The result of train and check as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, EXIT_REGRESSION, MeasureError
from buto.judging.verdict import Effect, Status
from buto.report.formats.json_result import result_document, result_text
from buto.report.formats.junit import workflow_commands
from buto.report.result import Result
from buto.run.model import Quality
from buto.schemas import load
from buto.version import __version__
from tests.support.report import golden, made


def document(*results: Result, command: str = "check", exit_code: int = EXIT_REGRESSION) -> dict[str, Any]:
    """What a reader gets; proven to be valid on the way."""
    data: dict[str, Any] = json.loads(
        result_text(result_document(command, results, exit_code, made.FINISHED))
    )
    jsonschema.validate(data, load("result"))
    return data


def test_the_golden_file_is_what_is_written_and_follows_the_schema() -> None:
    text = result_text(result_document("check", made.every_result(), EXIT_REGRESSION, made.FINISHED))
    written = golden.same("result-6.json", text.replace(f'"buto": "{__version__}"', '"buto": "0.1.0"'))
    jsonschema.validate(json.loads(written), load("result"))


def test_the_time_is_written_in_utc() -> None:
    assert document()["finished"] == "2026-01-02T03:04:05.678Z"


@pytest.mark.parametrize("status", Status)
def test_every_status(status: Status) -> None:
    test = document(Result("leaker", made.ORACLE, [made.run()], made.verdict(status)))["tests"][0]
    assert test["status"] == test["verdict"]["status"] == status.value


def test_training_has_runs_and_warnings_but_no_verdict() -> None:
    result = Result("leaker", made.ORACLE, [made.run()], warnings=("only 5 runs",))
    test = document(result, command="train", exit_code=EXIT_PASS)["tests"][0]
    assert (test["status"], test["verdict"], test["warnings"]) == ("trained", None, ["only 5 runs"])


def test_a_comparison_has_no_oracle() -> None:
    result = replace(made.regression(), oracle=None)
    assert document(result, command="compare")["tests"][0]["oracle"] is None
    assert workflow_commands([result])[0].startswith("::error title=buto leaker%3A regression::")


def test_an_error_after_some_runs_keeps_them() -> None:
    result = Result("leaker", made.ORACLE, [made.run()], error=MeasureError("hung"))
    test = document(result, exit_code=EXIT_NOT_JUDGED)["tests"][0]
    assert test["status"] == "error"
    assert test["error"] == {"message": "hung", "advice": None, "exit_code": EXIT_NOT_JUDGED}
    assert len(test["runs"]) == 1


def test_numbers_that_json_lacks_are_null() -> None:
    finding = replace(made.leak(), lower=float("-inf"), upper=float("inf"), outside_share=float("nan"))
    run = made.run(quality=Quality())
    test = document(Result("leaker", made.ORACLE, [run], made.verdict(findings=(finding,))))["tests"][0]
    as_data = test["verdict"]["findings"][0]
    assert (as_data["lower"], as_data["upper"], as_data["outside_share"]) == (None, None, None)
    assert test["runs"][0]["foreign_load"] is None


def test_what_a_p_value_rests_on_and_what_a_finding_weighs_are_reported() -> None:
    finding = replace(made.leak(), evidence=0.58)
    verdict = replace(made.verdict(findings=(finding,)), p_value=0.012, alpha=0.05, guarantee="19 runs")
    as_data = document(Result("leaker", made.ORACLE, [], verdict))["tests"][0]["verdict"]
    assert (as_data["p_value"], as_data["alpha"], as_data["guarantee"], as_data["runs_needed"]) == (
        0.012,
        0.05,
        "19 runs",
        None,
    )
    assert as_data["findings"][0]["evidence"] == 0.58


def test_what_is_noted_has_the_shape_of_a_finding_and_is_none() -> None:
    verdict = made.verdict(Status.PASS, noted=(made.leak(),))
    as_data = document(Result("leaker", made.ORACLE, [], verdict), exit_code=EXIT_PASS)["tests"][0]["verdict"]
    failing = document(Result("leaker", made.ORACLE, [], made.verdict(findings=(made.leak(),))))
    assert (as_data["status"], as_data["findings"], as_data["headlines"]) == ("pass", [], [])
    assert as_data["noted"] == failing["tests"][0]["verdict"]["findings"]
    assert "needs_more" not in as_data


def test_the_story_is_the_places_of_headlines_and_followers() -> None:
    judged = made.verdict(findings=made.leaking())
    as_data = document(Result("leaker", made.ORACLE, [], judged))["tests"][0]["verdict"]
    subjects = [finding["subject"] for finding in as_data["findings"]]
    story = {
        subjects[headline["finding"]]: {subjects[place] for place in headline["followers"]}
        for headline in as_data["headlines"]
    }
    assert list(story) == ["jvm.memory.heap.live", "jvm.memory.allocated", "jvm.thread.count"]
    assert "jvm.cpu.time" in story["jvm.memory.allocated"]
    assert as_data["welcome"] is False
    better = replace(
        judged, findings=tuple(finding for finding in judged.findings if finding.effect is Effect.BETTER)
    )
    assert document(Result("leaker", made.ORACLE, [], better))["tests"][0]["verdict"]["welcome"] is True


def test_a_run_has_its_commit_and_one_number_for_each_property() -> None:
    run = document(Result("leaker", made.ORACLE, [made.run()]))["tests"][0]["runs"][0]
    assert run["commit"] == made.METADATA["buto.commit"]
    assert run["levels"] == {
        "run.duration": 4.0,
        made.OLD_GENERATION: pytest.approx(2 * 2**20),
        made.THREADS: 10.0,
    }


@pytest.mark.parametrize("text", made.EVIL)
def test_text_from_outside_is_only_text(text: str) -> None:
    whole = document(*made.hostile(text))
    assert whole["tests"][0]["test"] == text[:50]
    assert whole["tests"][0]["verdict"]["findings"][0]["subject"] == text
    assert json.dumps(whole, ensure_ascii=False).encode("utf-8", "backslashreplace")


def test_an_unknown_key_breaks_the_schema() -> None:
    data = document(made.regression())
    data["tests"][0]["verdict"]["confidence"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, load("result"))
