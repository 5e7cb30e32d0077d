"""Which program turns launch as the old one: kept files, or the commit that stands for them."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.launcher import Launcher
from buto.actions.old_program import ChosenProgram, choose_old_program, mark_assumption
from buto.actions.workspace import Workspace
from buto.actions.worktrees import at_revision
from buto.cli.hints import CommandLineFrontEnd
from buto.oracle import Oracle, judge, save, train
from buto.programs.named import Kept, Named, Revision, Unkept
from buto.programs.snapshot import snapshot
from buto.programs.store import ProgramStore
from buto.project.model import TestConfig, build_test
from buto.run.model import COMMIT, run_set
from tests.support.projects import project_in
from tests.support.runs.stored import leaking_run

BUILD = "make it"
GONE = "0" * 40


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout.strip()


class Checkout:
    """A repository with three commits: a program, its oracle, and another version of the program."""

    def __init__(self, top: Path) -> None:
        self.top, self.n_trained = top, 0
        self.top.mkdir()
        git(top, "init", "--quiet", "-b", "main")
        self.program = self.commit("app.txt", "one")
        self.known = self.trained(None)
        self.oracle = self.commit_all("oracle")
        self.head = self.commit("app.txt", "two")

    def commit(self, name: str, text: str) -> str:
        (self.top / name).write_text(text)
        return self.commit_all(text)

    def commit_all(self, why: str) -> str:
        git(self.top, "add", ".")
        git(self.top, "commit", "--quiet", "-m", why)
        return git(self.top, "rev-parse", "HEAD")

    def trained(self, commit: str | None) -> Oracle:
        self.n_trained += 1
        numbers = range(self.n_trained, self.n_trained + 5)
        runs = run_set([leaking_run(number, **{COMMIT: commit}) for number in numbers])
        known = replace(train(runs), program=Kept("0" * 64, 1, 1))
        save(self.top / "oracles/leaker.json", known)
        return known

    @property
    def workspace(self) -> Workspace:
        return project_in(self.top).workspace()

    def test(self, **written: object) -> TestConfig:
        return build_test("leaker", {"command": ["java", "Main"], **written}, self.top, {})

    def chosen(self, known: Oracle | None = None, build: str = BUILD, revision: str = "") -> ChosenProgram:
        named = {"build": build, **({"revision": revision} if revision else {})}
        test = self.test(program=named) if build or revision else self.test()
        return choose_old_program(self.workspace, known or self.known, test)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "checkout")


def unkept(chosen: ChosenProgram) -> Unkept:
    assert isinstance(chosen.program, Unkept), chosen
    return chosen.program


def test_kept_files_come_first(checkout: Checkout) -> None:
    here = str(checkout.top)
    named = Named((("java",),), {}, {f"{here}/app.txt": False}, here, here, 0, False)
    seen = snapshot(named, 1 << 20, within=False)
    kept = ProgramStore(checkout.workspace.store).keep("leaker", seen.program(), seen.root)
    assert checkout.chosen(replace(checkout.known, program=kept)) == ChosenProgram(kept)
    assert checkout.chosen(replace(checkout.known, program=Revision("x", "y"))).program == Revision("x", "y")


@pytest.mark.parametrize("program", [Kept("0" * 64, 1, 1), Unkept("mvn builds and starts it")])
def test_without_a_build_there_is_none_and_the_advice_is_to_name_one(
    checkout: Checkout, program: Kept | Unkept
) -> None:
    lost = unkept(checkout.chosen(replace(checkout.known, program=program), build=""))
    advice = CommandLineFrontEnd(project_in(checkout.top).files).words(lost.advice)
    assert "program: {build: COMMAND}, at the test in buto.yaml" in advice and "train " not in advice


def test_the_commit_of_the_training_is_built_if_it_had_no_changes(checkout: Checkout) -> None:
    chosen = checkout.chosen(checkout.trained(checkout.program))
    assert chosen == ChosenProgram(Revision(checkout.program, BUILD), is_built=True)


@pytest.mark.parametrize("recorded", [None, "dirty", GONE])
def test_else_the_commit_that_last_changed_the_oracle_which_is_said(
    checkout: Checkout, recorded: str | None
) -> None:
    commit = f"{checkout.program}+dirty" if recorded == "dirty" else recorded
    known = checkout.trained(commit)
    changed = checkout.commit_all("trained again")
    checkout.commit("app.txt", "three")
    chosen = checkout.chosen(known)
    assert (chosen.program, chosen.is_built) == (Revision(changed, BUILD), True)
    assert changed[:12] in chosen.assumes


def test_what_is_assumed_is_the_first_warning_of_a_verdict(checkout: Checkout) -> None:
    found = judge(checkout.known, [leaking_run(30)])
    assert mark_assumption(found, "") is found
    assert mark_assumption(found, "perhaps").verdict.warnings == ("perhaps", *found.verdict.warnings)


def test_a_revision_that_is_named_is_taken(checkout: Checkout) -> None:
    chosen = checkout.chosen(revision="HEAD~1")
    assert chosen == ChosenProgram(Revision(checkout.oracle, BUILD), is_built=True)


def test_an_oracle_with_changes_stands_for_no_commit(checkout: Checkout) -> None:
    (checkout.top / "oracles/leaker.json").write_text("{}")
    assert "changes that are not committed" in unkept(checkout.chosen()).reason


def test_in_a_clone_without_history_no_commit_is_guessed(checkout: Checkout, tmp_path: Path) -> None:
    """There, git takes the only commit for the one that changed every file: old and new would be one."""
    shallow, deeper = tmp_path / "shallow", tmp_path / "deeper"
    for place, depth in ((shallow, 1), (deeper, 3)):
        git(tmp_path, "clone", "--quiet", f"--depth={depth}", f"file://{checkout.top}", str(place))
    for known in (checkout.known, checkout.trained(checkout.program)):
        lost = unkept(
            choose_old_program(
                project_in(shallow).workspace(),
                known,
                build_test("leaker", {"command": ["java"], "program": {"build": BUILD}}, shallow, {}),
            )
        )
        assert "fetch-depth: 0" in lost.advice
    test = build_test("leaker", {"command": ["java"], "program": {"build": BUILD}}, deeper, {})
    found = choose_old_program(project_in(deeper).workspace(), checkout.known, test)
    assert found.program == Revision(checkout.oracle, BUILD)


def test_outside_of_a_repository_there_is_none(checkout: Checkout, tmp_path: Path) -> None:
    test = build_test("leaker", {"command": ["java"], "program": {"build": BUILD}}, tmp_path, {})
    assert (
        "is in no git repository"
        in unkept(choose_old_program(checkout.workspace, checkout.known, test)).reason
    )


def test_a_revision_is_launched_by_its_own_files_also_by_absolute_paths(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout.top)
    top = checkout.top
    test = checkout.test(
        command=[
            f"{top}/jdk/bin/java",
            "-cp",
            f"{top}/a:/lib/b.jar:{top}",
            f"-Dx={top}/c",
            f"{top}x",
            "Main",
        ],
        environment={"CLASSPATH": f"{top}/app.txt", "OTHER": f"/x{top}"},
    )
    with ExitStack() as stack:
        target = at_revision(Launcher(checkout.workspace, print), test, "HEAD~2", None, stack).target
        tree = target.directory
        assert tree is not None and (tree / "app.txt").read_text() == "one"
    moved = ("-cp", f"{tree}/a:/lib/b.jar:{tree}", f"-Dx={tree}/c", f"{top}x", "Main")
    assert target.command == (f"{top}/jdk/bin/java", *moved)
    assert target.environment == {"CLASSPATH": f"{tree}/app.txt", "OTHER": f"/x{top}"}
