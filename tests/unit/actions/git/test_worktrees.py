"""Revisions in temporary working trees: what is there, what is built, and that nothing stays behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from buto.actions import worktrees
from buto.actions.git import commit_of, repository_of
from buto.actions.worktrees import build_revision, check_out, run_build, same_place
from buto.errors import BadFileError, MeasureError, UsageError

PATIENCE_S = 20.0


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits of ``sub/file``, the first tagged ``old``; and a change that is not committed."""
    place = tmp_path / "repository"
    (place / "sub").mkdir(parents=True)
    git(place, "init", "--quiet")
    for text in ("old", "new"):
        (place / "sub" / "file").write_text(text)
        git(place, "add", "sub")
        git(place, "commit", "--quiet", "-m", text)
        git(place, "tag", text)
    (place / "sub" / "file").write_text("not committed")
    return place


def trees(repository: Path) -> int:
    return len(git(repository, "worktree", "list").splitlines())


def test_a_revision_is_there_and_gone_afterwards_with_all_that_was_built(repository: Path) -> None:
    with check_out(repository, commit_of(repository, "old")) as tree:
        assert (tree / "sub" / "file").read_text() == "old"
        assert trees(repository) == 2
        (tree / "built").mkdir()
        (tree / "built" / "it").touch()
    assert not tree.exists()
    assert trees(repository) == 1
    assert (repository / "sub" / "file").read_text() == "not committed"


def test_it_is_gone_after_a_failure_and_after_ctrl_c(repository: Path) -> None:
    for failure in (MeasureError("it failed"), KeyboardInterrupt()):
        with pytest.raises(type(failure)), check_out(repository, commit_of(repository, "old")) as tree:
            raise failure
        assert not tree.parent.exists()
        assert trees(repository) == 1


def test_hooks_of_the_user_s_are_not_called(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch called\nexit 1\n")
    hook.chmod(0o755)
    with check_out(repository, commit_of(repository, "old")) as tree:
        assert sorted(path.name for path in tree.iterdir()) == [".git", "sub"]


def test_two_revisions_have_places_whose_names_are_equally_long(repository: Path) -> None:
    with (
        check_out(repository, commit_of(repository, "old")) as old,
        check_out(repository, commit_of(repository, "new")) as new,
    ):
        assert (old / "sub" / "file").read_text() != (new / "sub" / "file").read_text()
        assert len(os.fspath(old)) == len(os.fspath(new))


def test_the_place_in_a_revision_is_that_in_the_repository(repository: Path) -> None:
    assert repository_of(repository / "sub", "") == repository
    with check_out(repository, commit_of(repository, "old")) as tree:
        assert same_place(tree, repository, repository / "sub") == tree / "sub"
        (repository / "later").mkdir()
        with pytest.raises(UsageError, match="has no directory later"):
            same_place(tree, repository, repository / "later")
        with pytest.raises(UsageError, match="is not in the repository"):
            same_place(tree, repository, repository.parent)


@pytest.mark.parametrize("revision", ["nowhere", "--all", "", "old:sub/file"])
def test_what_is_not_a_revision_is_refused(repository: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="has no revision"):
        commit_of(repository, revision)


def test_outside_a_repository_there_are_no_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path.parent))
    with pytest.raises(UsageError, match="is in no git repository"):
        repository_of(tmp_path, "go on without")


def test_arguments_of_a_hook_do_not_lead_astray(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pre-push hook runs with GIT_DIR and GIT_INDEX_FILE set."""
    index = (repository / ".git" / "index").read_bytes()
    monkeypatch.setenv("GIT_INDEX_FILE", os.fspath(repository / ".git" / "index"))
    monkeypatch.setenv("GIT_DIR", os.fspath(repository / "elsewhere"))
    with check_out(repository, commit_of(repository, "old")) as tree:
        assert (tree / "sub" / "file").read_text() == "old"
    assert (repository / ".git" / "index").read_bytes() == index


def test_a_build_is_made_where_the_revision_is(tmp_path: Path) -> None:
    run_build("sh -c 'echo made > built'", tmp_path)
    assert (tmp_path / "built").read_text() == "made\n"


def test_a_build_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="exited with code 3.*\nno such symbol"):
        run_build("sh -c 'echo no such symbol >&2; exit 3'", tmp_path)


def test_of_a_long_output_of_a_build_the_end_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(MeasureError) as raised:
        run_build("sh -c 'yes compiling | head -c 300000; echo; echo no such symbol; exit 3'", tmp_path)
    assert raised.value.message.endswith("no such symbol")
    assert raised.value.message.count("compiling") < 25


def test_a_build_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    begun = time.monotonic()
    length = str(54321 + os.getpid())
    with pytest.raises(MeasureError, match=r"took longer than 0\.5 s"):
        run_build(f"sh -c 'sleep {length} & sleep {length}'", tmp_path, timeout_s=0.5)
    assert time.monotonic() - begun < 20

    def is_one_alive() -> bool:
        # Where nobody collects the dead, they stay listed: dead nevertheless.
        return any(
            process.info["cmdline"] == ["sleep", length] and process.info["status"] != psutil.STATUS_ZOMBIE
            for process in psutil.process_iter(["cmdline", "status"])
        )

    deadline = time.monotonic() + PATIENCE_S
    while is_one_alive():
        assert time.monotonic() < deadline, "a process of the build lives on"
        time.sleep(0.05)


def test_a_build_command_may_be_a_line_for_a_shell(tmp_path: Path) -> None:
    (tmp_path / "name").write_text("shop")
    run_build("mkdir -p 'the target' && cp name \"the target/$(cat name).jar\"; true | cat", tmp_path)
    assert (tmp_path / "the target" / "shop.jar").read_text() == "shop"


def test_a_build_of_several_lines_fails_with_the_first_that_does(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="exited with code 1"):
        run_build("touch first\nfalse\ntouch last", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


@pytest.mark.parametrize("command", ["no-such-program x", "a 'b"])
def test_a_build_command_that_the_shell_refuses_has_failed(tmp_path: Path, command: str) -> None:
    with pytest.raises(MeasureError, match=r"exited with code (127|2); its last lines:\nsh: "):
        run_build(command, tmp_path)


def test_an_empty_build_command_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the command is empty"):
        run_build(" ", tmp_path)


MAKE = "test ! -e made && cat sub/file > made && echo once >> $COUNTED"


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which MAKE adds a line for each build."""
    path = tmp_path / "counted"
    path.touch()
    monkeypatch.setenv("COUNTED", os.fspath(path))
    return path


def test_a_revision_is_built_once_and_later_found_as_it_was_built(
    repository: Path, tmp_path: Path, counted: Path
) -> None:
    commit, builds = commit_of(repository, "HEAD"), tmp_path / "builds"
    for _ in range(2):
        with build_revision(builds, repository, commit, MAKE) as tree:
            assert (tree / "made").read_text() == "new"
            assert commit_of(tree, "HEAD") == commit
            (tree / "made").write_text("changed by a launch")
    assert counted.read_text() == "once\n"
    assert trees(repository) == 1
    with build_revision(builds, repository, commit, f"{MAKE} ") as tree:
        assert (tree / "made").exists()
    assert counted.read_text() == "once\n" * 2


def test_two_users_of_one_build_have_places_of_their_own_whose_names_are_equally_long(
    repository: Path, tmp_path: Path, counted: Path
) -> None:
    commit, builds = commit_of(repository, "HEAD"), tmp_path / "builds"
    with (
        build_revision(builds, repository, commit, MAKE) as path,
        build_revision(builds, repository, commit, MAKE) as other,
    ):
        assert path != other
        assert len(os.fspath(path)) == len(os.fspath(other))


def test_a_build_that_fails_is_not_kept(repository: Path, tmp_path: Path) -> None:
    commit, builds = commit_of(repository, "HEAD"), tmp_path / "builds"
    for _ in range(2):
        with (
            pytest.raises(MeasureError, match="exited with code 1"),
            build_revision(builds, repository, commit, "false"),
        ):
            pytest.fail("it was used")
    assert not list(builds.glob("*/built"))
    assert trees(repository) == 1


def test_of_more_builds_than_fit_the_newest_stay(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, builds = commit_of(repository, "HEAD"), tmp_path / "builds"
    monkeypatch.setattr(worktrees, "KEPT_BYTES", 1000)
    for number in range(3):
        with build_revision(builds, repository, commit, f"sh -c 'head -c 400 /dev/zero > {number}'"):
            pass
    assert {path.name for path in builds.glob("*/built/[0-9]")} == {"1", "2"}


def test_a_build_runs_in_the_directory_like_the_current_one(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, builds = commit_of(repository, "HEAD"), tmp_path / "builds"
    for here, made in ((repository / "sub", "sub/made"), (repository, "made"), (tmp_path, "made")):
        monkeypatch.chdir(here)
        with build_revision(builds, repository, commit, "touch made") as tree:
            assert [path.relative_to(tree).as_posix() for path in tree.rglob("made")] == [made]
    monkeypatch.chdir(repository / "sub")
    with check_out(repository, commit) as other, build_revision(builds, other, commit, "touch made") as tree:
        assert (tree / "sub" / "made").exists()
    assert len(list(builds.glob("*/built"))) == 2


@pytest.mark.parametrize("is_recorded", [True, False])
def test_what_a_killed_call_has_left_stops_no_later_one(
    repository: Path, tmp_path: Path, is_recorded: bool
) -> None:
    commit, builds = commit_of(repository, "HEAD"), tmp_path / "builds"
    with build_revision(builds, repository, commit, "true") as tree:
        pass
    git(repository, "worktree", "add", "--detach", "--quiet", os.fspath(tree), commit)
    (tree / "half").touch()
    if not is_recorded:
        git(repository, "worktree", "remove", "--force", os.fspath(tree))
        tree.mkdir()
        (tree / "half").touch()
    with build_revision(builds, repository, commit, "true") as again:
        assert (again, (again / "half").exists()) == (tree, False)
    assert trees(repository) == 1


def planted(tmp_path: Path, repository: Path) -> tuple[Path, Path]:
    """The place of a build whose command counts itself, and the file in which it counts."""
    commit, builds, count = commit_of(repository, "HEAD"), tmp_path / "store" / "builds", tmp_path / "count"
    with build_revision(builds, repository, commit, f"echo x >> {count}; echo made > made"):
        pass
    (place,) = builds.iterdir()
    return place, count


def build_again(repository: Path, place: Path, count: Path) -> str:
    commit = commit_of(repository, "HEAD")
    with build_revision(place.parent, repository, commit, f"echo x >> {count}; echo made > made") as tree:
        return (tree / "made").read_text()


@pytest.mark.parametrize("change", ["content", "more", "mode", "link", "seal", "no seal", "other place"])
def test_what_somebody_has_changed_in_a_kept_build_is_built_again(
    repository: Path, tmp_path: Path, change: str
) -> None:
    place, count = planted(tmp_path, repository)
    assert build_again(repository, place, count) == "made\n"
    assert count.read_text() == "x\n", "what this checkout has built is taken"
    made = place / "built" / "made"
    match change:
        case "content":
            made.write_text("poison\n")
        case "more":
            (place / "built" / "Evil.class").write_text("")
        case "mode":
            made.chmod(0o755)
        case "link":
            made.unlink()
            made.symlink_to("/etc/hostname")
        case "seal":
            (place / "seal").write_text("0" * 64)
        case "no seal":
            (place / "seal").unlink()
        case "other place":
            # The build of another command, with its seal.
            commit = commit_of(repository, "HEAD")
            with build_revision(place.parent, repository, commit, "echo poison > made"):
                pass
            (other,) = (path for path in place.parent.iterdir() if path != place)
            shutil.rmtree(place)
            other.rename(place)
    assert build_again(repository, place, count) == "made\n"
    assert count.read_text() == "x\nx\n"
    assert build_again(repository, place, count) == "made\n"
    assert count.read_text() == "x\nx\n"


@pytest.mark.parametrize("step", ["builds", "HASH"])
def test_a_build_is_not_kept_through_a_link(repository: Path, tmp_path: Path, step: str) -> None:
    place, count = planted(tmp_path, repository)
    elsewhere = tmp_path / "elsewhere"
    moved = place.parent if step == "builds" else place
    moved.rename(elsewhere)
    moved.symlink_to(elsewhere)
    before = {path: path.lstat().st_mtime_ns for path in elsewhere.rglob("*")}
    with pytest.raises(BadFileError, match="is a link"):
        build_again(repository, place, count)
    assert {path: path.lstat().st_mtime_ns for path in elsewhere.rglob("*")} == before


@pytest.mark.parametrize("name", ["checkout", "new", "built"])
def test_a_link_in_the_place_of_a_build_is_removed_and_not_its_target(
    repository: Path, tmp_path: Path, name: str
) -> None:
    place, count = planted(tmp_path, repository)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    shutil.rmtree(place / name, ignore_errors=True)
    (place / name).symlink_to(elsewhere)
    (place / "seal").unlink()
    assert build_again(repository, place, count) == "made\n"
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]


def test_a_kept_build_of_files_that_are_links_in_the_revision(repository: Path, tmp_path: Path) -> None:
    (repository / "link").symlink_to("README")
    git(repository, "add", "link")
    git(repository, "commit", "-m", "a link")
    place, count = planted(tmp_path, repository)
    assert build_again(repository, place, count) == "made\n"
    assert count.read_text() == "x\n"


def test_a_failing_build_names_the_submodules_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / ".gitmodules").touch()
    (tmp_path / "app").mkdir()
    with pytest.raises(MeasureError) as raised:
        run_build("make", tmp_path / "app")
    assert "git submodule update --init --recursive && make" in str(raised.value.advice)
