"""The sum since a release: which program is the anchor, who gave which share, and what nobody can tell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.actions import collecting, turns
from buto.actions.branches import PULL_REQUESTS, TARGETS
from buto.actions.commit_programs import MOST_KEPT, BuildStore, find_used_programs, program_of
from buto.actions.events import Told
from buto.actions.kept import forget_programs, keep_program, watch
from buto.actions.old_program import ChosenProgram
from buto.actions.past_results import acceptance_error
from buto.actions.project import NO_OVERRIDES, Files, Overrides, Project
from buto.actions.release import ReleaseRequest, anchor_of, release, take_back
from buto.actions.report import ReportRequest, report
from buto.actions.train import TrainRequest, train
from buto.errors import EXIT_NOT_JUDGED, JudgeError, UsageError
from buto.judging.verdict import Since, Status
from buto.programs.named import UNKNOWN, Kept, Unkept
from buto.report.formats.json_result import result_document
from buto.report.result import Result
from buto.run.model import BASE
from buto.run.store import RunStore
from buto.steps import Action, Advice, Step
from tests.support.builds.scripted_builds import Builds, git
from tests.support.projects import project_in
from tests.support.report import made
from tests.support.runs.scripted import Script

COMMAND = Overrides(command=("java", "-jar", "app.jar"))
TEST = "leaker"


LIVE_HEAP = "jvm.memory.heap.live"
BUDGET = "20%"


class Budgeted(Builds):
    """Builds of a project whose configuration has a budget, and names the tags that are releases."""

    @property
    def project(self) -> Project:
        path = self.directory / "buto.yaml"
        path.write_text(
            "version: 1\ntests:\n  leaker:\n    command: java -jar app.jar\n    release: v*\n"
            f"    budget: {{{LIVE_HEAP}: {BUDGET}}}\n"
            f"    judge: {{minimum-effect: {{'*': never, {LIVE_HEAP}: 2%}}}}\n"
        )
        files = Files.locate(path)
        return Project(files, files.read_configuration())


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (*PULL_REQUESTS, *TARGETS, "CI_COMMIT_BRANCH", "CI_DEFAULT_BRANCH"):
        monkeypatch.delenv(name, raising=False)
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    return script


@pytest.fixture
def budgeted(directory: Path, script: Script) -> Builds:
    builds = Budgeted(directory, script, (1.0,), 0)
    git(directory, "tag", "v1.4")
    git(directory, "tag", "other")
    return builds


@pytest.fixture
def builds(directory: Path, script: Script) -> Builds:
    return Builds(directory, script, (1.0,), 0)


def named(builds: Builds, name: str = "v1.4") -> str:
    """Release the present commit, and return it."""
    (done,) = release(builds.project, ReleaseRequest((TEST,), name, COMMAND))
    return done.commit


def anchor(builds: Builds, project: Project | None = None) -> tuple[str, str]:
    """Return the name and the commit of the release that a check of the sum takes."""
    project = project or builds.project
    known = project.load_known(TEST, Action.CHECK).oracle
    test = project.test(TEST, Action.CHECK, COMMAND, known)
    base = anchor_of(project.workspace(), known, test, builds.events.append)
    return base.name, base.commit


def since(result: Result) -> Since:
    assert result.verdict is not None
    return result.verdict.since[0]


def failed_without_launch(builds: Builds) -> JudgeError:
    """Check the sum, which nobody can tell, and return why."""
    n_launched = len(builds.script.launched)
    result = builds.check(1.0, release=True)
    assert len(builds.script.launched) == n_launched
    assert result.verdict is None
    assert isinstance(result.error, JudgeError)
    assert result.error.exit_code == EXIT_NOT_JUDGED
    return result.error


def two_steps(builds: Builds, *, days: tuple[int, ...] = (1, 1, 1, 1, 1, 1, 1, 1)) -> list[str]:
    """Store builds of which the third and the sixth keep more, and return these commits."""
    guilty = []
    for number, leak in enumerate((1.0, 1.0, 1.5, 1.5, 1.5, 2.0, 2.0, 2.0)):
        run = builds.build(leak, at=f"2026010{days[number]}T000000.010Z")
        if number in (2, 5):
            guilty.append(str(run.metadata["buto.commit"]))
    builds.commit("Last")
    return guilty


def test_the_sum_fails_and_is_divided_among_the_commits_that_gave_it(builds: Builds) -> None:
    named(builds)
    guilty = two_steps(builds)
    result = builds.check(2.0, (2.0,), release=True)
    assert result.verdict is not None
    assert result.verdict.status is Status.REGRESSION
    of = since(result)
    assert of.release == "v1.4"
    assert [share.commits[-1] for share in of.shares] == guilty
    document = result_document("check", [result], 1, made.FINISHED)
    jsonschema.validate(document, schemas.load("result"))
    assert of.total == pytest.approx(sum(share.change for share in of.shares) + of.rest)
    assert all(share.change == pytest.approx(1.45 * 2**20, abs=0.1 * 2**20) for share in of.shares)


def test_a_sum_that_is_none_passes(builds: Builds) -> None:
    named(builds)
    for _ in range(3):
        builds.build(1.0)
    builds.commit()
    result = builds.check(1.0, (1.0,), release=True)
    assert result.verdict is not None
    assert result.verdict.status is Status.PASS
    assert result.verdict.since == ()


def test_clocks_that_run_backwards_change_no_share(builds: Builds) -> None:
    named(builds)
    guilty = two_steps(builds, days=(8, 7, 6, 5, 4, 3, 2, 1))
    assert [share.commits[-1] for share in since(builds.check(2.0, (2.0,), release=True)).shares] == guilty


def test_a_store_that_lost_runs_divides_the_sum_among_the_commits_that_it_knows(builds: Builds) -> None:
    named(builds)
    guilty = two_steps(builds)
    store = RunStore(builds.directory / ".buto")
    lost = [head.id for summary in store.summaries(TEST) if (head := summary.head) is not None]
    of_guilty = [run.id for run in store.load_set(TEST, lost) if run.metadata.get("buto.commit") in guilty]
    store.delete(TEST, of_guilty)
    of = since(builds.check(2.0, (2.0,), release=True))
    assert of.limits
    assert [share.commits[0] for share in of.shares] == guilty
    assert [len(share.commits) for share in of.shares] == [2, 2]


def test_a_store_without_first_runs_names_nobody_and_still_fails(builds: Builds) -> None:
    named(builds)
    two_steps(builds)
    store = RunStore(builds.directory / ".buto")
    store.delete(TEST, list(store.ids(TEST)))
    result = builds.check(2.0, (2.0,), release=True)
    assert result.verdict is not None
    assert result.verdict.status is Status.REGRESSION
    assert since(result).shares == ()
    assert since(result).limits


def test_training_anew_moves_no_anchor_and_never_removes_it(builds: Builds) -> None:
    at = named(builds)
    first = program(builds, at)
    for number in range(8):
        (builds.directory / "app.jar").write_text(f"program {number}")
        git(builds.directory, "add", "app.jar")
        builds.commit()
        builds.script.events[TEST] = iter(builds.runs(10))
        train(builds.project, TrainRequest((TEST,), COMMAND))
        assert anchor(builds) == ("v1.4", at)
    assert program(builds, at) == first


def program(builds: Builds, commit: str) -> str:
    known = builds.project.load_known(TEST, Action.CHECK).oracle
    test = builds.project.test(TEST, Action.CHECK, NO_OVERRIDES, known)
    base = program_of(builds.project.workspace(), known, test, commit)
    assert not isinstance(base, Kept)
    kept = getattr(base, "program", None)
    assert isinstance(kept, Kept)
    assert builds.project.workspace().kept.has(TEST, kept.id)
    return kept.id


def test_the_last_release_before_the_present_commit_is_the_anchor(builds: Builds) -> None:
    first = named(builds, "v1.4")
    builds.commit()
    second = named(builds, "v1.5")
    # A release is judged by the one before it.
    assert anchor(builds) == ("v1.4", first)
    builds.commit()
    assert anchor(builds) == ("v1.5", second)
    git(builds.directory, "checkout", "--quiet", "-b", "old", first)
    builds.commit("Fix the old one")
    assert anchor(builds) == ("v1.4", first)


def test_without_a_release_nothing_is_launched(builds: Builds) -> None:
    builds.commit()
    assert "release" in str(failed_without_launch(builds).advice)


def test_a_release_that_is_checked_out_is_not_asked_for_again(builds: Builds) -> None:
    named(builds)
    error = failed_without_launch(builds)
    assert error.message.startswith("v1.4 is what is checked out")
    assert "buto release" not in str(error.advice)
    # What is not launched is not announced.
    assert not [event for event in builds.events if isinstance(event, Told) and "in turns" in event.text]


@pytest.mark.parametrize("names", [(), (TEST,)])
def test_a_test_is_no_name_for_a_release(builds: Builds, names: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as refused:
        release(builds.project, ReleaseRequest(names, TEST))
    assert refused.value.advice == "name the release after it: buto release leaker VERSION"
    assert not any(build.release for build in BuildStore(builds.directory / ".buto").of(TEST).values())


def test_a_release_that_was_taken_back_is_no_anchor(builds: Builds) -> None:
    first = named(builds, "v1.4")
    builds.commit()
    (builds.directory / "app.jar").write_text("another program")
    git(builds.directory, "commit", "--quiet", "--all", "-m", "Another program")
    named(builds, "mistake")
    builds.commit()
    assert anchor(builds)[0] == "mistake"
    (kept,) = kept_of(builds, "mistake")
    assert take_back(builds.project, ReleaseRequest((TEST,), "mistake")) == [TEST]
    assert anchor(builds) == ("v1.4", first)
    assert not kept_of(builds, "mistake") and kept not in find_used_programs_of(builds)
    with pytest.raises(UsageError, match="no release of 'leaker' was named 'mistake'"):
        take_back(builds.project, ReleaseRequest((TEST,), "mistake"))


def kept_of(builds: Builds, name: str) -> list[str]:
    entries = BuildStore(builds.directory / ".buto").of(TEST).values()
    return [
        build.old_program.id
        for build in entries
        if build.release == name and isinstance(build.old_program, Kept)
    ]


def find_used_programs_of(builds: Builds) -> set[str]:
    used = find_used_programs(builds.project.workspace(), TEST)
    assert used is not None
    return used


def test_a_tag_that_moved_is_said(builds: Builds) -> None:
    named(builds)
    builds.commit()
    git(builds.directory, "tag", "v1.4")
    builds.commit()
    assert "moved" in failed_without_launch(builds).message


def test_a_release_that_was_named_twice_needs_a_tag(builds: Builds) -> None:
    named(builds)
    builds.commit()
    second = named(builds)
    builds.commit()
    assert "git tag" in str(failed_without_launch(builds).advice)
    git(builds.directory, "tag", "v1.4", second)
    assert anchor(builds) == ("v1.4", second)


def clone(builds: Builds, directory: Path, *words: str) -> Project:
    """Clone the repository, with the store and the oracle of the project."""
    url = f"file://{builds.directory}"
    git(builds.directory, "clone", "--quiet", *words, url, str(directory))
    for name in (".buto", "oracles"):
        subprocess.run(["cp", "-r", str(builds.directory / name), str(directory)], check=True, timeout=30)
    (directory / "app.jar").write_text("as trained")
    return project_in(directory)


def test_a_rebased_history_is_said(builds: Builds, tmp_path: Path) -> None:
    builds.commit()
    named(builds)
    git(builds.directory, "reset", "--quiet", "--soft", "HEAD~1")
    builds.commit("Squashed")
    with pytest.raises(JudgeError, match="rebased"):
        anchor(builds, clone(builds, tmp_path / "clone"))


def test_a_clone_without_history_says_what_to_fetch(builds: Builds, tmp_path: Path) -> None:
    named(builds)
    builds.commit()
    with pytest.raises(JudgeError) as caught:
        anchor(builds, clone(builds, tmp_path / "clone", "--depth", "1"))
    assert "fetch" in str(caught.value.advice)


def test_a_release_of_changed_files_is_refused(builds: Builds) -> None:
    (builds.directory / "app.jar").write_text("changed")
    with pytest.raises(UsageError):
        named(builds)


def test_a_tag_of_a_commit_whose_program_is_not_stored_cannot_be_released(builds: Builds) -> None:
    builds.commit()
    git(builds.directory, "tag", "v1.4")
    builds.commit()
    with pytest.raises(UsageError, match="v1.4"):
        named(builds)


def test_the_base_of_a_change_is_the_program_of_its_merge_base(builds: Builds) -> None:
    base = builds.commit("On main")
    builds.check(1.0)
    assert base in {
        stored_program.commit for stored_program in BuildStore(builds.directory / ".buto").of(TEST).values()
    }
    git(builds.directory, "checkout", "--quiet", "-b", "change")
    builds.commit("A change")
    result = builds.check(1.5, (1.5,), old=(1.5,))
    assert result.verdict is not None
    assert result.verdict.status is Status.PASS
    marked = {str(run.metadata.get(BASE)) for run in result.runs if run.metadata.get(BASE)}
    assert len(marked) == 1
    assert base[:9] in marked.pop()


def test_a_change_that_uses_more_than_its_base_fails(builds: Builds) -> None:
    builds.commit("On main")
    builds.check(1.0)
    git(builds.directory, "checkout", "--quiet", "-b", "change")
    builds.commit("A change")
    result = builds.check(2.0, (2.0,), old=(1.5,))
    assert result.verdict is not None
    assert result.verdict.status is Status.REGRESSION


def test_without_the_base_turns_take_the_training_and_say_so(builds: Builds) -> None:
    builds.commit("On main")
    git(builds.directory, "checkout", "--quiet", "-b", "change")
    builds.commit("A change")
    result = builds.check(1.5, (1.5,), old=(1.5,))
    assert not any(run.metadata.get(BASE) for run in result.runs)
    assert any(isinstance(event, Told) and "base" in event.text for event in builds.events)


def test_a_sum_within_its_budget_passes(budgeted: Builds) -> None:
    """By 13 %, which a check of this change alone would mind."""
    budgeted.commit()
    result = budgeted.check(1.5, (1.5,), release=True)
    assert result.verdict is not None
    assert result.verdict.status is Status.PASS
    (of,) = result.verdict.since
    assert of.budget is not None
    assert 0 < of.total < of.budget


def test_a_sum_over_its_budget_fails(budgeted: Builds) -> None:
    """By 26 %."""
    budgeted.commit()
    result = budgeted.check(2.0, (2.0,), release=True)
    assert result.verdict is not None
    assert result.verdict.status is Status.REGRESSION
    of = next(release_sum for release_sum in result.verdict.since if release_sum.subject == LIVE_HEAP)
    assert of.release == "v1.4"
    assert of.budget == pytest.approx(0.2 * of.old, rel=0.01)


def test_a_trailer_adds_to_a_budget(budgeted: Builds) -> None:
    budgeted.commit(f"Keep pages\n\nButo-Accepts: leaker {LIVE_HEAP} +10% cache of rendered pages")
    result = budgeted.check(2.0, (2.0,), release=True)
    assert result.verdict is not None
    assert LIVE_HEAP in {waived_finding.finding.subject for waived_finding in result.verdict.waived}
    assert LIVE_HEAP not in {finding.subject for finding in result.verdict.findings}


def test_a_check_tells_how_much_of_a_budget_is_used(budgeted: Builds) -> None:
    for _ in range(4):
        budgeted.build(1.2)
    budgeted.commit()
    result = budgeted.check(1.25, (1.25,))
    (of,) = since_all(result)
    mib = 2.0**20
    assert of.total == pytest.approx(0.25 * 2.9 * mib, abs=0.1 * mib)
    assert of.by_change == pytest.approx(0.05 * 2.9 * mib, abs=0.1 * mib)
    assert of.budget == pytest.approx(0.2 * of.old, rel=0.01)


def since_all(result: Result) -> tuple[Since, ...]:
    assert result.verdict is not None
    return result.verdict.since


def test_without_a_run_of_the_release_no_budget_is_told(budgeted: Builds) -> None:
    store = RunStore(budgeted.directory / ".buto")
    budgeted.commit()
    store.delete(TEST, list(store.ids(TEST)))
    assert since_all(budgeted.check(1.0)) == ()


def test_of_builds_without_a_release_the_newest_ten_programs_stay(builds: Builds) -> None:
    at = named(builds)
    released = program(builds, at)
    for number in range(MOST_KEPT + 2):
        (builds.directory / "app.jar").write_text(f"build {number}")
        git(builds.directory, "add", "app.jar")
        builds.commit()
        builds.check(1.0)
    stored = [
        stored_program.old_program
        for stored_program in BuildStore(builds.directory / ".buto").of(TEST).values()
    ]
    assert len(stored) == MOST_KEPT + 1
    assert all(
        isinstance(stored_program, Kept) and builds.project.workspace().kept.has(TEST, stored_program.id)
        for stored_program in stored
    )
    assert program(builds, at) == released
    manifests = list((builds.directory / ".buto" / "programs" / "manifests").rglob("*.json"))
    assert len(manifests) <= MOST_KEPT + 2


def test_a_line_of_older_releases_that_was_merged_is_no_anchor(builds: Builds) -> None:
    first = named(builds, "v1.3")
    builds.commit()
    last = named(builds, "v1.4")
    git(builds.directory, "checkout", "--quiet", "-b", "old", first)
    builds.commit("Fix the old one")
    named(builds, "v1.3.1")
    git(builds.directory, "checkout", "--quiet", "main")
    builds.commit()
    git(builds.directory, "merge", "--quiet", "--no-edit", "old")
    assert anchor(builds) == ("v1.4", last)


def test_a_branch_may_have_the_name_of_a_tag(builds: Builds) -> None:
    at = builds.commit()
    git(builds.directory, "tag", "v1.4")
    git(builds.directory, "branch", "v1.4")
    assert named(builds) == at
    builds.commit()
    assert anchor(builds) == ("v1.4", at)


@pytest.mark.parametrize(("variable", "value"), [("GITHUB_REF_TYPE", "tag"), ("CI_COMMIT_TAG", "v1.5")])
def test_a_build_of_a_tag_that_changes_a_file_is_judged_by_the_release_before(
    builds: Builds, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    first = named(builds, "v1.4")
    builds.commit()
    second = named(builds, "v1.5")
    (builds.directory / "app.jar").write_text("built")
    assert anchor(builds) == ("v1.5", second)
    monkeypatch.setenv(variable, value)
    assert anchor(builds) == ("v1.4", first)


def test_a_release_whose_commit_is_gone_may_be_named_anew(builds: Builds, tmp_path: Path) -> None:
    builds.commit()
    named(builds)
    git(builds.directory, "reset", "--quiet", "--soft", "HEAD~1")
    again = builds.commit("Squashed")
    named(builds)
    builds.commit()
    assert anchor(builds, clone(builds, tmp_path / "clone")) == ("v1.4", again)


def test_programs_of_releases_that_only_a_pattern_names_stay(budgeted: Builds) -> None:
    released = program(budgeted, git(budgeted.directory, "rev-parse", "v1.4"))
    for number in range(MOST_KEPT + 2):
        (budgeted.directory / "app.jar").write_text(f"build {number}")
        git(budgeted.directory, "add", "app.jar")
        budgeted.commit()
        budgeted.check(1.0)
    assert program(budgeted, git(budgeted.directory, "rev-parse", "v1.4")) == released


def test_a_damaged_entry_lets_no_program_go(builds: Builds) -> None:
    released = program(builds, named(builds))
    entries = builds.directory / ".buto" / "programs" / "commits"
    next(entries.rglob("*.json")).write_text("{")
    assert find_used_programs(builds.project.workspace(), TEST) is None
    for number in range(7):
        (builds.directory / "app.jar").write_text(f"build {number}")
        test = builds.project.test(
            TEST, Action.CHECK, COMMAND, builds.project.load_known(TEST, Action.CHECK).oracle
        )
        path = builds.project.load_known(TEST, Action.CHECK).path
        workspace = builds.project.workspace()
        keep_program(workspace, test, path, watch(workspace, test, path), ())
        forget_programs(workspace, TEST, UNKNOWN, find_used_programs(workspace, TEST))
    assert builds.project.workspace().kept.has(TEST, released)


def test_a_base_that_is_checked_out_is_no_base_of_itself(
    builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds.commit("On main")
    builds.check(1.0)
    monkeypatch.setenv("GITHUB_HEAD_REF", "change")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    result = builds.check(2.0, (2.0,), old=(1.0,))
    assert not any(run.metadata.get(BASE) for run in result.runs)
    assert result.verdict is not None
    assert result.verdict.status is Status.REGRESSION


def proposed(builds: Builds) -> list[Step]:
    """What is proposed to one who accepts and names no test."""
    advice = acceptance_error(builds.project.workspace(), [TEST]).advice
    assert isinstance(advice, Advice)
    return [part for part in advice.parts if isinstance(part, Step)]


def test_after_a_release_that_failed_each_change_is_accepted_alone(builds: Builds) -> None:
    """To train anew would move no release."""
    named(builds)
    builds.commit("More")
    failed = builds.check(2.0, (2.0,), release=True)
    assert failed.verdict is not None
    subjects = {finding.subject for finding in failed.verdict.findings}
    only = {step.only for step in proposed(builds)}
    assert only
    assert only <= subjects
    builds.commit("Later")
    assert builds.check(2.0, (2.0,), old=(1.0,)).status == "regression"
    assert [step.only for step in proposed(builds)] == [""]


def test_a_sum_is_judged_again_as_it_was(builds: Builds) -> None:
    named(builds)
    two_steps(builds)
    failed = builds.check(2.0, (2.0,), release=True)
    assert failed.status == "regression"
    (again,) = report(builds.project, ReportRequest((TEST,))).results
    assert said(again) == said(failed)
    # What is checked out later has no share of what was checked.
    builds.commit("Later")
    (later,) = report(builds.project, ReportRequest((TEST,))).results
    assert said(later) == said(failed)


@pytest.mark.parametrize("leak", [1.5, 2.0])
def test_what_budgets_decided_is_judged_again_by_these_budgets(budgeted: Builds, leak: float) -> None:
    budgeted.commit()
    checked = budgeted.check(leak, (leak,), release=True)
    (again,) = report(budgeted.project, ReportRequest((TEST,))).results
    assert said(again) == said(checked)
    assert checked.verdict is not None
    assert checked.verdict.since


def test_a_trailer_of_a_release_counts_again(budgeted: Builds) -> None:
    budgeted.commit(f"More\n\nButo-Accepts: leaker {LIVE_HEAP} +10% pages")
    checked = budgeted.check(2.0, (2.0,), release=True)
    (again,) = report(budgeted.project, ReportRequest((TEST,))).results
    assert said(again) == said(checked)
    assert checked.verdict is not None
    assert checked.verdict.waived


def test_a_change_is_judged_again_by_its_base(builds: Builds) -> None:
    builds.commit("On main")
    builds.check(1.5, (1.5,), old=(1.5,))
    git(builds.directory, "checkout", "--quiet", "-b", "change")
    builds.commit("A change")
    for leak, old in ((1.5, 1.5), (2.0, 1.5)):
        checked = builds.check(leak, (leak,), old=(old,))
        (again,) = report(builds.project, ReportRequest((TEST,))).results
        assert said(again) == said(checked)


def said(result: Result) -> tuple[object, ...]:
    """Return what a reader is told of a verdict."""
    verdict = result.verdict
    assert verdict is not None
    return (
        result.status,
        verdict.p_value,
        [one.subject for one in verdict.findings],
        verdict.since,
        [waived.finding.subject for waived in verdict.waived],
        verdict.reasons[0],
    )


def test_a_release_whose_program_is_lost_before_turns_is_not_judged(
    builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(builds)
    builds.commit()
    lost = ChosenProgram(Unkept("it is gone"))
    monkeypatch.setattr(turns, "choose_old_program", lambda *given: lost)
    result = builds.check(1.0, release=True)
    assert result.verdict is None
    assert isinstance(result.error, JudgeError)
