"""The monitor over builds in a check: which runs are builds, what an alarm starts, and what is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.actions import collecting
from buto.actions.branches import PULL_REQUESTS, is_on_main
from buto.actions.events import Told
from buto.actions.report import ReportRequest, report
from buto.judging.procedure import Why
from buto.judging.verdict import Status
from buto.report.result import Result
from tests.support.builds.scripted_builds import MORE, Builds, git
from tests.support.runs.scripted import Script


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builds:
    for name in (*PULL_REQUESTS, "CI_COMMIT_BRANCH", "CI_DEFAULT_BRANCH"):
        monkeypatch.delenv(name, raising=False)
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return Builds(tmp_path, script)


def has_turned(result: Result) -> bool:
    return result.verdict is not None and any(step.why is Why.MONITOR for step in result.verdict.steps)


def status_of(result: Result) -> Status:
    assert result.verdict is not None
    return result.verdict.status


def test_four_builds_that_one_check_each_has_passed_are_found_by_turns_and_dated(builds: Builds) -> None:
    builds.commit("Innocent")
    guilty = builds.commit("Keep each page")
    builds.build(MORE, guilty)
    for _ in range(2):
        builds.build(MORE)
    builds.commit("Last")
    result = builds.check(MORE, (9.0,))
    assert has_turned(result)
    assert status_of(result) is Status.REGRESSION
    assert result.verdict is not None
    reason = result.verdict.reasons[0]
    assert "Innocent" in reason
    assert "Keep each page" in reason
    assert result.report is not None
    assert any("bisect leaker" in step and guilty[:12] in step for step in result.report.next_steps)
    assert builds.alarms() == ["regression"]


def test_an_ordinary_build_takes_one_launch(builds: Builds) -> None:
    builds.commit()
    result = builds.check(1.0)
    assert status_of(result) is Status.PASS
    assert len(result.runs) == 1
    assert not has_turned(result)
    assert builds.alarms() == []


def test_turns_that_pass_clear_the_alarm_for_the_next_builds(builds: Builds) -> None:
    for _ in range(3):
        builds.build(MORE)
    builds.commit()
    cleared = builds.check(MORE)
    assert has_turned(cleared)
    assert status_of(cleared) is Status.PASS
    assert builds.alarms() == ["pass"]
    builds.commit()
    again = builds.check(MORE)
    assert not has_turned(again)
    assert len(again.runs) == 1


def test_a_build_that_is_checked_twice_counts_once(builds: Builds) -> None:
    for _ in range(2):
        twice = builds.build(MORE)
    assert builds.check(MORE, commit=str(twice.metadata["buto.commit"])).verdict is not None
    builds.commit()
    assert not has_turned(builds.check(MORE))


def test_runs_of_other_commits_environments_and_purposes_are_no_builds(builds: Builds) -> None:
    main = builds.commit()
    git(builds.directory, "checkout", "--quiet", "-b", "side")
    for _ in range(2):
        builds.build(MORE)
    git(builds.directory, "checkout", "--quiet", "main")
    builds.build(MORE, f"{main}+dirty")
    builds.build(MORE, purpose="bisect")
    builds.commit()
    assert not has_turned(builds.check(MORE))


def test_neither_pull_requests_nor_other_branches_nor_changed_files_are_monitored(
    builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        builds.build(MORE)
    head = builds.commit()
    assert not has_turned(builds.check(MORE, commit=f"{head}+dirty"))
    git(builds.directory, "checkout", "--quiet", "-b", "side")
    assert not has_turned(builds.check(MORE))
    git(builds.directory, "checkout", "--quiet", "main")
    monkeypatch.setenv("GITHUB_HEAD_REF", "side")
    assert not has_turned(builds.check(MORE))
    assert any(isinstance(event, Told) and "main branch" in event.text for event in builds.events)


def test_without_the_old_program_an_alarm_is_neither_a_pass_nor_an_accusation(builds: Builds) -> None:
    for _ in range(3):
        builds.build(MORE)
    builds.commit()
    manifests = list((builds.directory / ".buto" / "programs" / "manifests").rglob("*.json"))
    assert manifests
    for manifest in manifests:
        manifest.unlink()
    result = builds.check(MORE)
    assert status_of(result) is Status.INCONCLUSIVE
    assert builds.alarms() == []


def test_a_report_judges_the_stored_turns_of_an_alarm_again(builds: Builds) -> None:
    for _ in range(3):
        builds.build(MORE)
    builds.commit()
    assert status_of(builds.check(MORE, (9.0,))) is Status.REGRESSION
    (result,) = report(builds.project, ReportRequest(("leaker",))).results
    assert status_of(result) is Status.REGRESSION


def test_the_main_branch_is_known_by_name_remote_or_provider(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", "First")
    assert is_on_main(tmp_path, {})
    assert not is_on_main(tmp_path, {"CI_MERGE_REQUEST_IID": "7"})
    assert is_on_main(tmp_path, {"TRAVIS_PULL_REQUEST": "false"})
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    assert not is_on_main(tmp_path, {})
    assert is_on_main(tmp_path, {"CI_COMMIT_BRANCH": "side", "CI_DEFAULT_BRANCH": "side"})
    git(tmp_path, "checkout", "--quiet", "--detach", "main")
    assert is_on_main(tmp_path, {})
    git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", "Aside")
    assert not is_on_main(tmp_path, {})
