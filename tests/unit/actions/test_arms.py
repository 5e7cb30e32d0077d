"""The arms of turns: what is staged, what is refused, and what is assumed; the launches are scripted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from buto.actions import arms as staging
from buto.actions import collecting
from buto.actions.arms import Arms, Assumption, StageError, stage_arms
from buto.actions.launcher import Launcher
from buto.actions.old_target import old_target
from buto.actions.project import Overrides
from buto.actions.workspace import Workspace
from buto.actions.worktrees import at_revision, check_out
from buto.errors import EXIT_NOT_JUDGED
from buto.measure.target import Target
from buto.oracle import load
from buto.oracle.file import save
from buto.programs.named import Kept, Revision
from buto.programs.store import ProgramStore
from buto.project.model import TestConfig
from buto.run.model import Run
from buto.steps import Action
from tests.support.processes.command import called
from tests.support.processes.repository import commit, git
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run
from tests.support.runs.trained import N_TURNS, Trained, runs


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trained:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    project, stages = tmp_path / "project", tmp_path / "stages"
    for directory in (project, stages):
        directory.mkdir()
    monkeypatch.chdir(project)
    trained = Trained(project, script)
    monkeypatch.setattr(tempfile, "tempdir", str(stages))
    return trained


def left(trained: Trained) -> list[Path]:
    return list((trained.directory.parent / "stages").iterdir())


def with_classes(number: int, n_classes: float) -> Run:
    run = leaking_run(number)
    values = run.values.copy()
    values[:, 2] = n_classes
    return replace(run, values=values)


def as_tested(trained: Trained, *command: str) -> TestConfig:
    overrides = Overrides(command=command or ("java", "-jar", "app.jar"))
    return trained.project.test("leaker", Action.CHECK, overrides, load(trained.oracle))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def staged(
    trained: Trained,
    stack: ExitStack,
    test: TestConfig,
    typed: Run | None = None,
    *,
    is_checked_out: bool = False,
) -> Arms:
    workspace = trained.project.workspace()
    return staged_at(workspace, trained, stack, test, typed, is_checked_out=is_checked_out)


def staged_at(
    workspace: Workspace,
    trained: Trained,
    stack: ExitStack,
    test: TestConfig,
    typed: Run | None = None,
    *,
    is_checked_out: bool = False,
) -> Arms:
    known = load(trained.oracle)
    assert isinstance(known.program, Kept | Revision)
    before = old_target(test, known, workspace.base_of(test.name))
    launcher = Launcher(workspace)
    typed = typed or leaking_run(1)
    return stage_arms(
        launcher,
        known.program,
        before,
        test,
        typed,
        trained.oracle,
        stack,
        is_checked_out=is_checked_out,
    )


def targets(arms: Arms) -> list[Target]:
    return [arm.test.target if arm.place is None else arm.place() for arm in (arms.old, arms.new)]


def test_old_and_new_are_staged_alike(trained: Trained, stack: ExitStack) -> None:
    (trained.directory / "app.jar").write_text("new")
    arms = staged(trained, stack, as_tested(trained))
    places = set()
    for _ in range(20):
        for arm, text in ((arms.old, "as trained"), (arms.new, "new")):
            assert arm.place is not None
            java, option, jar = arm.place().command
            assert (java, option, os.path.isabs(jar), Path(jar).read_text()) == ("java", "-jar", False, text)
            places.add(jar)
    assert (len(places), len(set(map(len, places)))) == (2, 1)
    assert arms.assumption is None
    stack.close()
    assert left(trained) == []


def replaced_jar(trained: Trained) -> None:
    (trained.directory / "app.jar").write_text("replaced")


def link_that_leads_out(trained: Trained) -> None:
    outside = trained.directory.parent / "outside.jar"
    outside.write_text("as trained")
    (trained.directory / "app.jar").unlink()
    (trained.directory / "app.jar").symlink_to(outside)


def removed_jar(trained: Trained) -> None:
    (trained.directory / "app.jar").unlink()


@pytest.mark.parametrize("change", [replaced_jar, removed_jar, link_that_leads_out])
def test_a_typed_file_that_changes_is_named_before_the_next_launch(
    trained: Trained, stack: ExitStack, change: Callable[[Trained], None]
) -> None:
    arms = staged(trained, stack, as_tested(trained))
    targets(arms)
    change(trained)
    is_changed = change is not link_that_leads_out
    for arm in (arms.old, arms.new):
        assert arm.place is not None
        if is_changed:
            with pytest.raises(StageError, match=r"app\.jar has changed during the check") as refused:
                arm.place()
            assert "buto check leaker" in str(refused.value.advice)
        else:
            # Of the same content.
            arm.place()


def test_a_copy_that_changes_is_named_before_the_next_launch(trained: Trained, stack: ExitStack) -> None:
    arms = staged(trained, stack, as_tested(trained))
    old, _ = targets(arms)
    Path(old.command[2]).write_text("written by the other program")
    with pytest.raises(StageError, match=r"app\.jar has changed during the check"):
        targets(arms)


def test_a_check_ends_where_a_jar_is_replaced_in_the_middle(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launches() -> Iterator[Run]:
        for number, run in enumerate(runs(3 + N_TURNS, 9.0, first=20)):
            if number == 3:
                # While the first launch in turns of the new program runs: another one follows for certain.
                replaced_jar(trained)
            assert isinstance(run, Run)
            yield run

    trained.put_down()
    trained.script.events["leaker"] = launches()
    monkeypatch.setattr(trained, "put_down", lambda *_, **__: None)
    result = trained.check()
    assert result.verdict is None and result.error is not None
    assert (result.error.exit_code, type(result.error)) == (EXIT_NOT_JUDGED, StageError)
    assert "app.jar has changed during the check" in result.error.message
    assert left(trained) == []


def test_a_program_that_has_changed_since_the_first_runs_takes_no_turns(
    trained: Trained, stack: ExitStack
) -> None:
    typed = leaking_run(1, **{"jvm.class.path": "app.jar", "process.program": "0123456789ab"})
    with pytest.raises(StageError, match="the program has changed during the check"):
        staged(trained, stack, as_tested(trained), typed)


def test_a_link_that_leads_out_is_refused_before_turns(trained: Trained) -> None:
    link_that_leads_out(trained)
    result = trained.check(*runs(3 + N_TURNS, 9.0, first=20))
    assert result.verdict is None and isinstance(result.error, StageError)
    assert "out of the project" in result.error.message
    assert (result.error.exit_code, trained.n_old(), left(trained)) == (EXIT_NOT_JUDGED, 0, [])


def test_a_file_that_changes_while_it_is_copied_is_refused(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = staging.program_now

    def changing(*words: object) -> object:
        found = seen(*words)  # type: ignore[arg-type]
        replaced_jar(trained)
        return found

    monkeypatch.setattr(staging, "program_now", changing)
    result = trained.check(*runs(3 + N_TURNS, 9.0, first=20))
    assert isinstance(result.error, StageError)
    assert "app.jar has changed" in result.error.message
    assert (trained.n_old(), left(trained)) == (0, [])


@pytest.mark.parametrize(
    "command", [("mvn", "test"), ("java", "-XX:SharedArchiveFile=x.jsa", "-jar", "app.jar")]
)
def test_what_cannot_be_staged_is_launched_where_it_is_and_assumed(
    trained: Trained, stack: ExitStack, command: tuple[str, ...]
) -> None:
    arms = staged(trained, stack, as_tested(trained, *command))
    assert arms.assumption is Assumption.COMMAND
    assert [target.command for target in targets(arms)][1] == command
    assert arms.new.marks == {"process.assumed": "command"}


@pytest.mark.parametrize("is_assumed", [False, True])
def test_what_depends_on_the_place_accuses_nobody_under_an_assumption(
    trained: Trained, *, is_assumed: bool
) -> None:
    """Of programs that differ in their classes alone, and in the turns as they are stored, too."""
    if is_assumed:
        (trained.directory / "buto.yaml").write_text(
            "version: 1\ntests:\n  leaker: {command: java -jar app.jar, keep: never}\n"
        )
    trained.put_down(*(with_classes(number, 900.0) for number in range(20, 23 + N_TURNS)))
    done = called(trained.directory, "check", "leaker", "-v")
    assert done.returncode == (0 if is_assumed else 1), done.stdout + done.stderr
    assert trained.n_old() > 0
    assert ("where a program is was not judged" in done.stdout) is is_assumed
    again = called(trained.directory, "report", "leaker")
    assert again.stdout.split()[0] == done.stdout.split()[0]


def test_only_one_working_directory_on_the_stage_is_an_assumption(trained: Trained, stack: ExitStack) -> None:
    test = replace(as_tested(trained), inputs=("app.jar",))
    arms = staged(trained, stack, test)
    assert arms.assumption is Assumption.DIRECTORY
    old, new = targets(arms)
    assert old.directory is None and new.directory is not None


def test_the_old_program_has_the_declared_environment_and_the_directory_of_its_training(
    trained: Trained, stack: ExitStack
) -> None:
    known, test = load(trained.oracle), as_tested(trained)
    before = {**known.target, "environment": {"CACHE": "20", "KEY": "_MASKED_"}}
    before |= {"mask": ["KEY"], "working-directory": "old"}
    save(trained.oracle, replace(known, target=before))
    now = {**test.written, "environment": {"CACHE": "300", "KEY": "secret"}}
    target = replace(test.target, environment=dict(now["environment"]), directory=None)
    old, new = targets(staged(trained, stack, replace(test, written=now, target=target)))
    assert (old.environment, new.environment) == ({"CACHE": "20", "KEY": "secret"}, now["environment"])
    assert (old.directory, new.directory) == (Path("old"), None)


def test_data_that_training_left_out_stay_where_they_are(trained: Trained, stack: ExitStack) -> None:
    """Since runs write them: a copy of the new program alone would make them differ."""
    test = as_tested(trained, "java", "-jar", "app.jar", "state.txt", "input.txt")
    kept = load(trained.oracle).program
    assert isinstance(kept, Kept)
    for name in ("state.txt", "input.txt"):
        (trained.directory / name).write_text("data")
    store = ProgramStore(trained.project.workspace().store)
    old = store.load("leaker", kept.id, trained.directory).program
    known = structs.replace(old, words=(*old.words, ("state.txt",)))
    save(
        trained.oracle,
        replace(load(trained.oracle), program=store.keep("leaker", known, str(trained.directory))),
    )
    _, new = targets(staged(trained, stack, test))
    assert new.command[3] == "state.txt"
    assert Path(new.command[4]).read_text() == "data" and new.command[4] != "input.txt"


def test_runs_on_the_stage_say_where_the_user_has_the_program(trained: Trained, stack: ExitStack) -> None:
    typed = leaking_run(
        1,
        **{
            "jvm.class.path": "app.jar",
            "buto.command": "java -jar app.jar",
            "buto.commit": "a1+dirty",
            "host.cores": 2,
        },
    )
    arms = staged(trained, stack, as_tested(trained), typed)
    assert arms.new.marks == {
        "jvm.class.path": "app.jar",
        "buto.command": "java -jar app.jar",
        "buto.commit": "a1+dirty",
    }
    assert arms.old.marks == {}


def test_runs_in_turns_are_stored_as_of_the_place_where_the_user_has_the_program(trained: Trained) -> None:
    """Else accept would not know that they are of the program that it would launch."""
    typed, staged = {"jvm.class.path": "app.jar"}, {"jvm.class.path": "../stages/1/app.jar"}
    trained.check(
        *(leaking_run(number, leak=9.0, **typed) for number in range(20, 23)),
        *(leaking_run(number, leak=9.0, **staged) for number in range(30, 30 + N_TURNS)),
    )
    store = trained.project.store
    stored = store.load_set("leaker", store.ids("leaker"))
    new = [run.metadata["jvm.class.path"] for run in stored if run.metadata["buto.purpose"] == "turns"]
    assert set(new) == {"app.jar"}


@pytest.mark.parametrize(("is_committed", "assumption"), [(True, None), (False, Assumption.REVISION)])
def test_revisions_are_alike_if_the_new_program_is_one_as_well(
    trained: Trained, stack: ExitStack, assumption: Assumption | None, *, is_committed: bool
) -> None:
    here = trained.directory
    git(here, "init", "--quiet")
    (here / ".gitignore").write_text(".buto\n")
    commit(here)
    first = git(here, "rev-parse", "HEAD").strip()
    (here / "app.jar").write_text("new")
    save(trained.oracle, replace(load(trained.oracle), program=Revision(first)))
    if is_committed:
        commit(here)
    test = replace(as_tested(trained), program=Revision(""))
    arms = staged(trained, stack, test)
    old, new = targets(arms)
    assert arms.assumption is assumption
    directories = [arm.directory or Path() for arm in (old, new)]
    assert [(directory / "app.jar").read_text() for directory in directories] == ["as trained", "new"]
    if is_committed:
        assert len({len(str(directory)) for directory in directories}) == 1


def test_a_program_in_the_working_tree_of_its_revision_is_launched_there(
    trained: Trained, stack: ExitStack, tmp_path: Path
) -> None:
    """As bisect judges it: were it taken for no revision, nothing that it allocates would be judged."""
    here = trained.directory
    git(here, "init", "--quiet")
    (here / ".gitignore").write_text(".buto\n")
    commit(here)
    save(
        trained.oracle,
        replace(load(trained.oracle), program=Revision(git(here, "rev-parse", "HEAD").strip())),
    )
    (here / "app.jar").write_text("new")
    commit(here)
    launcher = Launcher(trained.project.workspace())
    test = at_revision(launcher, as_tested(trained), "HEAD", None, stack)
    old, new = targets(arms := staged(trained, stack, test, is_checked_out=True))
    assert (arms.assumption, new.directory) == (None, test.target.directory)
    assert old.directory is not None and new.directory is not None
    assert len(str(old.directory)) == len(str(new.directory))
    assert [(each.directory or Path()).joinpath("app.jar").read_text() for each in (old, new)] == [
        "as trained",
        "new",
    ]


def test_a_revision_that_is_built_in_the_store_is_staged_with_its_own_inputs(
    trained: Trained, stack: ExitStack
) -> None:
    """As bisect builds it: not with those of the user's working directory, below which the store is."""
    here = trained.directory
    git(here, "init", "--quiet")
    (here / ".gitignore").write_text(".buto\n")
    (here / "conf").mkdir()
    (here / "conf/a.txt").write_text("committed")
    commit(here)
    place = here / ".buto/builds/0123456789abcdef"
    place.mkdir(parents=True)
    tree = stack.enter_context(check_out(here, git(here, "rev-parse", "HEAD").strip(), place))
    (here / "conf/a.txt").write_text("not committed")
    (tree / "app.jar").write_text("built")
    test = as_tested(trained)
    test = replace(test, inputs=("conf/*",), target=replace(test.target, directory=tree))
    workspace = structs.replace(trained.project.workspace(), base=here)
    arms = staged_at(workspace, trained, stack, test)
    assert arms.new.place is not None
    directory = arms.new.place().directory
    assert directory is not None
    assert (directory / "conf/a.txt").read_text() == "committed"
    assert (directory / "app.jar").read_text() == "built"
