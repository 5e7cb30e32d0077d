"""Training keeps the program that it launched, or says why not; the launches are scripted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from buto.actions import collecting
from buto.actions.arms import old_test
from buto.actions.project import NO_OVERRIDES, Files, Project
from buto.errors import BadFileError
from buto.oracle import load
from buto.programs.named import Kept, OldProgram, Revision, Unkept
from buto.run.model import Run
from buto.steps import Action
from tests.support.processes.command import called
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run, store

COMMAND = ("--", "java", "-cp", "app.jar:classes", "Main", "state.txt")


class Trained:
    """A project whose launches are scripted; ``during`` happens at the third."""

    def __init__(self, directory: Path, script: Script) -> None:
        self.directory, self.script = directory, script
        (directory / "classes").mkdir()
        for name in ("app.jar", "classes/Main.class", "state.txt", "run.sh"):
            (directory / name).write_text("as trained")

    def call(self, *words: str, during: Callable[[], Any] = str, leak: float = 1.0) -> str:
        """Call buto and return what it reports."""

        def runs() -> Iterator[Run]:
            for number in range(20):
                if number == 2:
                    during()
                yield leaking_run(number, leak=leak)

        self.script.events["shop"] = runs()
        done = called(self.directory, *words, exits=0)
        return done.stderr

    def configure(self, text: str) -> None:
        (self.directory / "buto.yaml").write_text(f"version: 1\ntests:\n  shop: {text}\n")

    def train(self, text: str, **settings: Any) -> OldProgram:
        self.configure(text)
        self.call("train", "shop", **settings)
        return self.program

    @property
    def program(self) -> OldProgram:
        return load(self.directory / "oracles/shop.json").program

    def restored(self, stack: ExitStack) -> dict[str, str]:
        """Return the contents of the old program's files."""
        root = self.directory
        files = Files(None, False, root, root / ".buto", root / "oracles/shop.json")
        project = Project(files, None)
        known = project.oracle("shop", Action.CHECK)
        assert isinstance(known.program, Kept)
        test = project.test("shop", Action.CHECK, NO_OVERRIDES, known)
        old = old_test(project.launcher(print), known.program, test, stack)
        tree = Path(old.target.command[2].split(":")[0]).parent
        return {str(path.relative_to(tree)): path.read_text() for path in tree.rglob("*") if path.is_file()}


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trained:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    return Trained(tmp_path, script)


def test_training_keeps_the_program_and_says_so(trained: Trained) -> None:
    said = trained.call("train", "shop", "-v", "--runs", "5", *COMMAND)
    assert "shop: kept the program: 3 files, 30 B" in said
    assert isinstance(trained.program, Kept)
    (trained.directory / "app.jar").write_text("new")
    with ExitStack() as stack:
        assert trained.restored(stack) == dict.fromkeys(
            ("app.jar", "classes/Main.class", "state.txt"), "as trained"
        )


def test_accept_keeps_the_new_program(trained: Trained) -> None:
    trained.call("train", "shop", "--runs", "5", *COMMAND)
    before = trained.program
    (trained.directory / "app.jar").write_text("new")
    trained.call("accept", "shop", "--launch", "--dry-run", leak=3.0)
    assert trained.program == before
    trained.call("accept", "shop", "--launch", leak=3.0)
    with ExitStack() as stack:
        assert trained.restored(stack)["app.jar"] == "new"


def test_a_program_that_changes_while_it_is_launched_is_not_kept(trained: Trained) -> None:
    jar = trained.directory / "app.jar"
    said = trained.call("train", "shop", "--runs", "5", *COMMAND, during=lambda: jar.write_text("rebuilt"))
    assert f"shop: the program is not kept: {jar} has changed while it was launched" in said


def test_a_file_that_a_run_writes_is_no_part_of_the_program(trained: Trained) -> None:
    state = trained.directory / "state.txt"
    trained.call("train", "shop", "--runs", "5", *COMMAND, during=lambda: state.write_text("written"))
    with ExitStack() as stack:
        assert set(trained.restored(stack)) == {"app.jar", "classes/Main.class"}


@pytest.mark.parametrize(
    ("configured", "reason"),
    [
        ("{command: mvn test}", "mvn builds and starts it"),
        ("{command: ./run.sh}", "the files that run.sh starts are not known"),
        ("{command: java -jar app.jar, keep: never}", "the configuration says so"),
        ("{command: java -jar app.jar, keep: 5B}", "its files have 10 B, and 5 B are kept at most"),
        ("{command: java -jar app.jar --password abcdefgh}", "its command has a secret"),
        (
            "{command: java -XX:SharedArchiveFile=x.jsa -jar app.jar}",
            "its archive of classes belongs to the place where its jars are",
        ),
    ],
)
def test_what_cannot_be_kept_is_said(trained: Trained, configured: str, reason: str) -> None:
    assert trained.train(configured) == Unkept(reason)


def test_a_script_is_kept_with_declared_inputs(trained: Trained) -> None:
    program = trained.train("{command: ./run.sh, inputs: [app.jar]}")
    assert isinstance(program, Kept)
    assert program.n_files == 2


def test_stored_runs_keep_a_program_only_if_it_is_known_to_be_theirs(trained: Trained) -> None:
    store(trained.directory, *(leaking_run(number, test="shop") for number in range(5)))
    said = trained.call("train", "shop", "--from-runs", "all", *COMMAND)
    assert "the program is not kept: some of the runs were recorded earlier" in said


@pytest.mark.parametrize("size", ["0B", "often", "-1MiB"])
def test_a_size_that_is_none_is_refused_with_its_place(trained: Trained, size: str) -> None:
    trained.configure(f"{{command: java -jar app.jar, keep: {size}}}")
    done = called(trained.directory, "train", "shop")
    assert (done.returncode, "buto.yaml:3:" in done.stderr) == (2, True)


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=A U Thor", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=True
    ).stdout.strip()


def test_a_revision_stands_for_a_program_that_is_built(trained: Trained) -> None:
    configured = "{command: mvn test, program: {build: mvn package}}"
    trained.configure(configured)
    git(trained.directory, "init", "--quiet")
    git(trained.directory, "add", "app.jar", "run.sh", "buto.yaml")
    git(trained.directory, "commit", "--quiet", "-m", "one")
    head = git(trained.directory, "rev-parse", "HEAD")
    assert trained.train(configured) == Revision(head, "mvn package")
    git(trained.directory, "add", "oracles")
    git(trained.directory, "commit", "--quiet", "-m", "two")
    assert isinstance(trained.train(configured), Revision)  # and changes the oracle
    assert isinstance(trained.train(configured), Revision)
    (trained.directory / "run.sh").write_text("changed")
    assert trained.train(configured) == Unkept("run.sh has changes that are not committed")
    pinned = trained.train("{command: mvn test, program: {build: mvn package, revision: HEAD~1}}")
    assert pinned == Revision(head, "mvn package")


def test_an_oracle_whose_program_has_another_form_is_refused(trained: Trained) -> None:
    trained.call("train", "shop", "--runs", "5", *COMMAND)
    path = trained.directory / "oracles/shop.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"program": {"id": 5}}))
    with pytest.raises(BadFileError, match="program is not as buto writes it"):
        load(path)
