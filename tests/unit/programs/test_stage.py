"""Programs on a stage: alike in all but their contents, in slots that are drawn, and known by content."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from buto.errors import StorageError
from buto.programs.contents import ChangedError
from buto.programs.named import files_of
from buto.programs.snapshot import snapshot
from buto.programs.stage import Placed, ProgramSource, Stage, present

N_DRAWN = 40


def program(
    here: Path, command: tuple[str, ...], text: str, *files: str, inputs: tuple[str, ...] = ()
) -> ProgramSource:
    """A program whose files have this text."""
    for name in files:
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text} {name}")
    named = files_of(command, here, {"PATH": os.environ["PATH"]}, inputs, here)
    return present(snapshot(named, 1 << 20, within=bool(inputs)), here)


def stage_of(tmp_path: Path, *sources: ProgramSource, seed: int = 7) -> Stage:
    (tmp_path / "stage").mkdir()
    return Stage(tmp_path / "stage", sources, str, seed=seed)


def jar_of(placed: Placed, here: Path, word: int = 2) -> Path:
    return Path(os.path.normpath((placed.directory or here) / placed.command[word]))


@pytest.mark.parametrize("jar", ["lib/app.jar", "{here}/lib/app.jar"])
def test_both_programs_have_paths_of_one_form_and_each_its_contents(tmp_path: Path, jar: str) -> None:
    """Also if they are seen from different directories, and written as their user has written them."""
    old, new = tmp_path / "old", tmp_path / "new"
    for here in (old, new):
        here.mkdir()
    command, more = ("java", "-jar", jar), "conf/a.txt"
    sources = (
        program(old, tuple(word.format(here=old) for word in command), "old", "lib/app.jar"),
        # With a second directory its tree begins further up.
        program(new, (*(word.format(here=new) for word in command), more), "new", "lib/app.jar", more),
    )
    stage = stage_of(tmp_path, *sources)
    seen: dict[int, set[Path]] = {0: set(), 1: set()}
    for _ in range(N_DRAWN):
        for number, (here, text) in enumerate(((old, "old"), (new, "new"))):
            placed = stage.draw(number)
            path = jar_of(placed, here)
            assert path.read_text() == f"{text} lib/app.jar"
            assert os.path.isabs(placed.command[2]) is jar.startswith("{")
            seen[number].add(path)
            assert stage.find_change() is None
    assert len(seen[0]) == 2, "both slots"
    assert seen[0] == seen[1]
    assert len({len(str(path)) for path in seen[0]}) == 1
    assert len({path.stat().st_mtime_ns for path in (tmp_path / "stage").rglob("*")}) == 1


def test_slots_are_drawn_anew_and_the_seed_says_how(tmp_path: Path) -> None:
    source = program(tmp_path, ("java", "-jar", "app.jar"), "x", "app.jar")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    drawn = []
    for name in "ab":
        stage = Stage(tmp_path / name, [source], str, seed=3)
        drawn.append([Path(stage.draw(0).command[2]).parent.name for _ in range(N_DRAWN)])
    assert drawn[0] == drawn[1]
    first, second = set(drawn[0])
    assert (len(first), N_DRAWN // 4 < drawn[0].count(first) < 3 * N_DRAWN // 4) == (len(second), True)


def test_a_program_with_inputs_has_its_working_directory_in_its_slot(tmp_path: Path) -> None:
    source = program(tmp_path, ("./run.sh",), "x", "run.sh", "conf/a.txt", inputs=("conf/*",))
    stage = stage_of(tmp_path, source)
    for _ in range(N_DRAWN):
        placed = stage.draw(0)
        assert placed.directory is not None and placed.command == ("./run.sh",)
        assert sorted(os.listdir(placed.directory)) == ["conf", "run.sh"]


def test_if_one_command_is_too_long_both_have_an_argument_file(tmp_path: Path) -> None:
    (tmp_path / "args").write_text(f"-cp {':'.join(['app.jar'] * 20_000)} Main")
    sources = (
        program(tmp_path, ("java", "@args"), "x", "app.jar"),
        program(tmp_path, ("java", "-cp", "app.jar", "Main"), "x", "app.jar"),
    )
    stage = stage_of(tmp_path, *sources)
    for number in (0, 1, 0, 1):
        java, arguments = stage.draw(number).command
        assert java == "java"
        assert '"Main"' in Path(arguments.removeprefix("@")).read_text()


@pytest.mark.parametrize(("change", "is_changed"), [("text", True), ("touch", False), ("remove", True)])
def test_a_file_on_the_stage_that_changes_is_named(tmp_path: Path, change: str, *, is_changed: bool) -> None:
    stage = stage_of(tmp_path, program(tmp_path, ("java", "-jar", "app.jar"), "x", "app.jar"))
    path = jar_of(stage.draw(0), tmp_path)
    if change == "text":
        path.write_text("y app.jar")
    elif change == "touch":
        path.touch()
    else:
        path.unlink()
    assert stage.find_change() == (str(path) if is_changed else None)


def test_data_that_the_program_writes_may_change(tmp_path: Path) -> None:
    source = program(tmp_path, ("java", "-jar", "app.jar", "state.txt"), "x", "app.jar", "state.txt")
    stage = stage_of(tmp_path, source)
    jar_of(stage.draw(0), tmp_path, word=3).write_text("written")
    assert stage.find_change() is None


def test_a_file_that_changes_before_it_is_copied_is_refused(tmp_path: Path) -> None:
    source = program(tmp_path, ("java", "-jar", "app.jar"), "x", "app.jar")
    (tmp_path / "app.jar").write_text("y app.jar")
    with pytest.raises(ChangedError, match=r"app\.jar has changed"):
        stage_of(tmp_path, source)


def test_a_stage_on_a_full_disk_is_an_error(tmp_path: Path) -> None:
    source = program(tmp_path, ("java", "-jar", "app.jar"), "x" * 100, "app.jar")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    try:
        with pytest.raises(StorageError):
            stage_of(tmp_path, source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
