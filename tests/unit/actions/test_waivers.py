"""Trailers of commits in real checks: what passes, what still fails, and what is an error."""

from __future__ import annotations

import html
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from buto.actions import collecting
from buto.actions.accept_only import AcceptOnlyRequest, accept_only
from buto.actions.check import CheckRequest, check
from buto.actions.compare import CompareRequest, compare, two_revisions
from buto.actions.project import Overrides, Project
from buto.actions.report import ReportRequest, report
from buto.actions.train import TrainRequest, train
from buto.actions.waivers import fail_for, trailer_for
from buto.errors import JudgeError, UsageError
from buto.judging.verdict import Difference, Direction, Status, Verdict, Waiver
from buto.judging.waivers import waive, waivers_in
from buto.report import words
from buto.report.formats.json_result import result_document
from buto.report.formats.markdown import markdown_text
from buto.report.result import Result
from buto.run.model import Run
from tests.support.processes.command import called
from tests.support.projects import project_in
from tests.support.report import made
from tests.support.runs.scripted import Script
from tests.support.runs.stored import NAMES, leaking_run

LIVE, THREADS = "jvm.memory.heap.live", "jvm.thread.count"
GROWN = 1.6
"""MiB a second: 1.8 MiB or 16 % more alive."""


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=True
    ).stdout.strip()


class Shop:
    """A trained test in a repository; its newest commit may have trailers."""

    def __init__(self, directory: Path, script: Script) -> None:
        self.directory, self.script, self.numbers = directory, script, count(20)
        git(directory, "init", "--quiet", "--initial-branch=main")
        (directory / "app.jar").write_text("as trained")
        git(directory, "add", "app.jar")
        trained = self.commit("The program")
        script.events["leaker"] = iter(self.runs(10, 1.0, trained))
        train(self.project, TrainRequest(("leaker",), Overrides(command=("java", "-jar", "app.jar"))))

    @property
    def project(self) -> Project:
        return project_in(self.directory)

    def commit(self, message: str) -> str:
        git(self.directory, "commit", "--quiet", "--allow-empty", "-m", message)
        return git(self.directory, "rev-parse", "HEAD")

    def runs(self, n_runs: int, leak: float, commit: str, threads: int = 0) -> list[Run]:
        found = []
        for _ in range(n_runs):
            run = leaking_run(next(self.numbers), leak=leak)
            more = np.where(np.array(NAMES) == THREADS, float(threads), 0.0)
            metadata = {**run.metadata, "buto.commit": commit}
            found.append(replace(run, values=run.values + more, metadata=metadata))
        return found

    def check(self, threads: int = 0) -> Result:
        commit = git(self.directory, "rev-parse", "HEAD")
        self.script.events["leaker"] = iter(self.runs(13, GROWN, commit, threads))
        self.script.events["leaker@trained"] = iter(self.runs(10, 1.0, commit))
        (result,) = check(self.project, CheckRequest(("leaker",))).results
        return result


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, script)


def status_of(result: Result) -> Status:
    assert result.verdict is not None
    return result.verdict.status


def subjects(result: Result) -> Sequence[str]:
    assert result.verdict is not None
    return [finding.subject for finding in result.verdict.findings]


def trailers(result: Result) -> str:
    """What the author would write for every finding of a check."""
    return "\n".join(
        f'Buto-Accepts: leaker "{name}" +80% pages are kept' for name in dict.fromkeys(subjects(result))
    )


def test_a_change_that_its_commit_means_passes_with_author_and_reason(shop: Shop) -> None:
    shop.commit("Keep pages")
    failed = shop.check()
    assert status_of(failed) is Status.REGRESSION
    shop.commit(f"Say so\n\n{trailers(failed)}")
    result = shop.check()
    assert status_of(result) is Status.PASS
    assert result.verdict is not None
    assert any("Ann" in text and "pages are kept" in text for text in result.verdict.warnings)
    # That the programs differ is no reason to pass.
    assert words.ALL_MEANT in words.reasons(result.verdict)[0]
    assert failed.verdict is not None
    assert words.ALL_MEANT not in words.reasons(failed.verdict)[0]
    document = result_document("check", [result], 0, made.FINISHED)
    assert document["tests"][0]["verdict"]["waived"][0]["waivers"][0]["reason"] == "pages are kept"


def test_a_failed_check_has_the_trailers_with_which_it_passes(shop: Shop) -> None:
    shop.commit("Keep pages")
    failed = shop.check()
    assert failed.report is not None
    lines = failed.report.trailers
    assert LIVE in [waiver.subject for text in lines for waiver in waivers_in(text)]
    assert html.escape(lines[0]) in markdown_text([failed])
    shop.commit("Say so\n\n" + "\n".join(lines))
    passed = shop.check()
    assert status_of(passed) is Status.PASS
    assert passed.report is not None and not passed.report.trailers


def test_a_picture_names_the_verdict_of_its_check(shop: Shop) -> None:
    """Without the turns that the check has stored, and without what is meant, it would be another."""
    shop.commit("Keep pages")
    failed = shop.check()
    shop.commit(f"Say so\n\n{trailers(failed)}")
    assert status_of(shop.check()) is Status.PASS
    drawn = called(shop.directory, "plot", "leaker", exits=0)
    assert "checked runs, pass: " in drawn.stderr


def test_an_unnamed_finding_beside_it_still_fails(shop: Shop) -> None:
    shop.commit("Keep pages")
    failed = shop.check()
    shop.commit(f"Say so\n\n{trailers(failed)}")
    result = shop.check(threads=3)
    assert status_of(result) is Status.REGRESSION
    assert set(subjects(result)) == {THREADS}


def test_a_waiver_of_another_branch_says_nothing_of_this_change(shop: Shop) -> None:
    shop.commit("Keep pages")
    failed = shop.check()
    git(shop.directory, "checkout", "--quiet", "-b", "side")
    shop.commit(f"Elsewhere\n\n{trailers(failed)}")
    git(shop.directory, "checkout", "--quiet", "main")
    assert status_of(shop.check()) is Status.REGRESSION


def test_a_malformed_trailer_ends_a_check_before_any_launch(shop: Shop) -> None:
    shop.commit("Keep pages\n\nButo-Accepts: leaker all of it")
    n_launched = len(shop.script.launched)
    with pytest.raises(UsageError) as caught:
        shop.check()
    assert waivers_in(str(caught.value.advice))
    assert len(shop.script.launched) == n_launched


def test_a_report_of_the_newest_check_knows_its_waivers(shop: Shop) -> None:
    shop.commit("Keep pages")
    failed = shop.check()
    shop.commit(f"Say so\n\n{trailers(failed)}")
    shop.check()
    (result,) = report(shop.project, ReportRequest(("leaker",))).results
    assert status_of(result) is Status.PASS


def test_accepting_one_finding_writes_a_trailer_that_waives_it(shop: Shop) -> None:
    shop.commit("Keep pages")
    failed = shop.check()
    for name in dict.fromkeys(subjects(failed)):
        written = accept_only(shop.project, AcceptOnlyRequest("leaker", name, "pages are kept"))
        (waiver,) = waivers_in(written)
        assert (waiver.subject, waiver.reason) == (name, "pages are kept")
        shop.commit(f"Say so\n\n{written}")
    assert status_of(shop.check()) is Status.PASS


def test_accepting_what_the_check_does_not_fail_for_names_what_it_fails_for(shop: Shop) -> None:
    shop.commit("Keep pages")
    failed = shop.check()
    with pytest.raises(JudgeError) as caught:
        accept_only(shop.project, AcceptOnlyRequest("leaker", THREADS, "why not"))
    assert subjects(failed)[0] in caught.value.message
    with pytest.raises(UsageError):
        accept_only(shop.project, AcceptOnlyRequest("leaker", subjects(failed)[0], " "))


GROWN_THREADS = Difference(
    "turns", THREADS, "1", Direction.MORE, unit="{thread}", observed=210.0, expected=200.0
)


def test_a_trailer_beside_others_has_only_the_size_that_they_lack() -> None:
    said = [Waiver("leaker", THREADS, Direction.MORE, size, "why") for size in ("3%", "1%")]
    others = [
        Waiver("other", THREADS, Direction.MORE, "9%", "why"),
        Waiver("leaker", THREADS, Direction.LESS, "9%", "why"),
    ]
    for before, size in (([], "5.5%"), (said[:1], "2.5%"), (said, "1.5%"), (others, "5.5%")):
        (waiver,) = waivers_in(trailer_for("leaker", GROWN_THREADS, "why", before))
        assert (waiver.direction, waiver.size) == (Direction.MORE, size)
        failed = Verdict(Status.REGRESSION, "calibrated", (GROWN_THREADS,))
        assert waive(failed, "leaker", [*before, waiver]).status is Status.PASS
    with pytest.raises(UsageError):
        trailer_for("leaker", GROWN_THREADS, "why", [*said, *said])


@pytest.mark.parametrize("status", [Status.PASS, Status.INCONCLUSIVE])
def test_only_a_regression_fails_for_a_property(status: Status) -> None:
    assert fail_for(Verdict(status, "calibrated", (GROWN_THREADS,)), THREADS) is None
    assert fail_for(Verdict(Status.REGRESSION, "calibrated", (GROWN_THREADS,)), THREADS) is GROWN_THREADS


def test_a_finding_that_a_trailer_since_its_check_accepts_needs_no_other(shop: Shop) -> None:
    shop.commit("Keep pages")
    name = subjects(shop.check())[0]
    request = AcceptOnlyRequest("leaker", name, "pages are kept")
    shop.commit(f"Say so\n\n{accept_only(shop.project, request)}")
    with pytest.raises(UsageError):
        accept_only(shop.project, request)


def compared(shop: Shop, message: str, threads: int = 0) -> Result:
    """Compare the trained commit with one of this message."""
    old = git(shop.directory, "rev-parse", "HEAD")
    new = shop.commit(message)
    shop.script.events[f"leaker@{old}"] = iter(shop.runs(12, 1.0, old))
    shop.script.events[f"leaker@{new}"] = iter(shop.runs(12, GROWN, new, threads))
    programs = two_revisions("leaker", (old, new), ("java", "-jar", "app.jar"))
    (result,) = compare(shop.project, CompareRequest(programs)).results
    return result


def test_trailers_between_two_revisions_count_in_their_comparison(shop: Shop) -> None:
    result = compared(shop, f"Keep pages\n\nButo-Accepts: leaker {LIVE} +20% cache of rendered pages")
    assert result.verdict is not None
    assert LIVE in {waived_finding.finding.subject for waived_finding in result.verdict.waived}
    assert LIVE not in {finding.subject for finding in result.verdict.findings}


def test_a_malformed_trailer_ends_a_comparison_before_it_launches(shop: Shop) -> None:
    n_launched = len(shop.script.launched)
    with pytest.raises(UsageError):
        compared(shop, "Keep pages\n\nButo-Accepts: leaker")
    assert len(shop.script.launched) == n_launched
