"""The limit of a test: a run that needs more fails, whatever the oracle says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buto.actions import collecting
from buto.actions.check import CheckRequest, check
from buto.actions.project import Files, Project
from buto.actions.report import ReportRequest, report
from buto.actions.train import TrainRequest, train
from buto.judging.need import RESIDENT
from buto.judging.story import story_of
from buto.judging.verdict import LIMIT, Difference, Status
from buto.project.config import load
from buto.report.phrases import headline
from buto.report.result import Result
from buto.run.model import Run
from buto.run.properties import property_for
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run

MIB = 1 << 20


def run(number: int, resident: float, leak: float = 1.0) -> Run:
    """A run of which the process has this much resident memory at most, in MiB; NaN: it cannot be read."""
    usual = leaking_run(number, leak=leak)
    column = np.full((usual.n_samples, 1), resident * MIB)
    return replace(
        usual,
        properties=(*usual.properties, property_for(RESIDENT)),
        values=np.hstack([usual.values, column]),
        nan_reasons={RESIDENT: "it is not to be seen"},
    )


def usual(number: int) -> Run:
    return run(number, 400 + number % 10)


def blind(number: int) -> Run:
    return run(number, float("nan"))


def project(directory: Path, limit: str) -> Project:
    (directory / "buto.yaml").write_text(
        f"version: 1\ntests:\n  leaker:\n    command: [java, -jar, app.jar]\n    limit: {limit}\n"
    )
    return Project(Files.locate(directory / "buto.yaml", directory / ".buto"), load(directory / "buto.yaml"))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Script:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return script


def checked(
    directory: Path,
    script: Script,
    now: Callable[[int], Run],
    limit: str = "512MiB",
    trained: Callable[[int], Run] = usual,
) -> Result:
    """The result of a check of a program, which took 400 MiB in training."""
    (directory / "app.jar").write_text("as trained")
    script.events["leaker"] = iter([trained(number) for number in range(10)])
    train(project(directory, limit), TrainRequest(("leaker",)))
    script.events["leaker"] = iter([now(number) for number in range(20, 33)])
    script.events["leaker@trained"] = iter([trained(number) for number in range(40, 50)])
    (result,) = check(project(directory, limit), CheckRequest(("leaker",))).results
    return result


def of_limit(result: Result) -> list[Difference]:
    assert result.verdict is not None
    return [
        finding
        for finding in result.verdict.findings
        if isinstance(finding, Difference) and finding.source == LIMIT
    ]


def test_what_the_oracle_passes_fails_by_its_limit(tmp_path: Path, script: Script) -> None:
    result = checked(tmp_path, script, usual, "399MiB")
    assert result.verdict is not None
    assert result.verdict.status is Status.REGRESSION
    assert [finding.observed for finding in of_limit(result)] == [400 * MIB]
    assert result.verdict.p_value is None
    assert headline(result.verdict) == "needs 400 MiB, limit 399 MiB"
    assert result.report is not None
    assert result.report.next_steps[-1].startswith("buto size leaker")


def test_below_its_limit_it_passes(tmp_path: Path, script: Script) -> None:
    result = checked(tmp_path, script, usual)
    assert result.verdict is not None
    assert (result.verdict.status, of_limit(result)) == (Status.PASS, [])


def test_memory_that_cannot_be_read_is_no_pass(tmp_path: Path, script: Script) -> None:
    result = checked(tmp_path, script, blind, trained=blind)
    assert result.verdict is not None
    assert result.verdict.status is Status.INCONCLUSIVE


def test_a_stored_run_is_judged_by_the_limit_of_now(tmp_path: Path, script: Script) -> None:
    checked(tmp_path, script, usual)
    again = report(project(tmp_path, "399MiB"), ReportRequest(("leaker",))).results[0]
    assert again.verdict is not None
    assert (again.verdict.status, len(of_limit(again))) == (Status.REGRESSION, 1)


def test_nothing_else_accounts_for_it(tmp_path: Path, script: Script) -> None:
    result = checked(tmp_path, script, lambda number: run(number, 600, leak=9.0))
    assert result.verdict is not None
    assert story_of(result.verdict).headlines[0].finding.source == LIMIT
