"""buto plot on stored runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from buto.cli.main import main
from buto.errors import EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS, EXIT_USAGE
from buto.run.model import ProblemKind
from tests.support.processes.command import buto, called
from tests.support.runs.qualities import invalid, starved
from tests.support.runs.stored import leaking_run, store

PNG = b"\x89PNG\r\n\x1a\n"
COMMAND = ("--", "java", "-cp", "app.jar", "Main")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an oracle and its ten training runs."""
    directory = tmp_path_factory.mktemp("template")
    store(directory, *(leaking_run(number) for number in range(10)))
    called(directory, "train", "leaker", "--from-runs", "all", *COMMAND, exits=EXIT_PASS)
    return directory


@pytest.fixture
def project(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory like the template."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def drawn(directory: Path) -> set[str]:
    assert all(path.read_bytes().startswith(PNG) for path in directory.iterdir())
    return {path.name for path in directory.iterdir()}


def test_the_runs_of_the_newest_check_are_drawn_and_judged_together(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = leaking_run(20, leak=3.0).id
    session = {"buto.session": first}
    store(project, leaking_run(19, leak=9.0, purpose="check"))
    leaks = {20: 3.0, 21: 3.0, 22: 1.0}
    ids = store(
        project, *(leaking_run(n, leak=leak, purpose="check", **session) for n, leak in leaks.items())
    )
    store(project, leaking_run(23, purpose="record"))
    capsys.readouterr()
    assert main(["plot", "leaker"]) == EXIT_PASS
    # The last run alone would pass.
    assert drawn(project / "plots" / "leaker") == {
        "overview.png",
        "jvm.memory.heap.used.png",
        "jvm.memory.heap.live.png",
    }
    assert f"3 checked runs, regression: {', '.join(ids)}" in capsys.readouterr().err
    assert main(["plot", "leaker", "--from-runs", ids[2], "--out", "chosen"]) == EXIT_PASS
    assert capsys.readouterr().out == "chosen/overview.png\n"
    assert drawn(project / "chosen") == {"overview.png"}


def test_a_newest_check_that_cannot_be_used_is_not_replaced_by_an_older_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(
        project,
        leaking_run(20, purpose="check"),
        leaking_run(21, purpose="check", quality=starved("starved")),
    )
    assert main(["plot", "leaker"]) == EXIT_NOT_JUDGED
    assert f"the newest check has no usable run: {leaking_run(21).id}: starved" in capsys.readouterr().err
    assert not (project / "plots").exists()


def test_a_newest_check_that_failed_is_not_judged_by_what_is_left_of_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = {"buto.session": leaking_run(20).id}
    failed = invalid(ProblemKind.EXIT_CODE, "it exited with code 3, expected 0")
    store(project, leaking_run(20, purpose="check", **session))
    store(project, leaking_run(21, purpose="check", quality=failed, **session))
    for command in (["plot", "leaker"], ["report", "leaker"]):
        assert main(command) == EXIT_NOT_JUDGED
        message = f"the newest check ended without a verdict: {leaking_run(20).id}: it exited with code 3"
        assert message in capsys.readouterr().err


def test_a_damaged_newest_check_is_not_replaced_by_an_older_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(project, leaking_run(20, purpose="check"), leaking_run(21, purpose="check"))
    [document] = project.glob(f".buto/runs/leaker/{leaking_run(21).id}/run.json")
    document.write_text("{")
    for command in (["plot", "leaker"], ["report", "leaker"]):
        assert main(command) == EXIT_BAD_FILE
        assert f"{leaking_run(21).id}/run.json" in capsys.readouterr().err


def test_properties_that_are_named_are_drawn_whether_they_differ_or_not(project: Path) -> None:
    assert main(["plot", "leaker", "jvm.thread.count", "jvm.class.*", "--format", "svg"]) == EXIT_PASS
    names = {path.name: path.read_text() for path in (project / "plots" / "leaker").iterdir()}
    assert set(names) == {"jvm.thread.count.svg", "jvm.class.loaded.svg"}
    assert all(text.rstrip().endswith("</svg>") for text in names.values())


def test_without_runs_at_hand_the_bounds_are_drawn_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plot", "leaker", "--store", "elsewhere"]) == EXIT_PASS
    assert "0 of 10 training runs are stored here" in capsys.readouterr().err
    assert drawn(project / "plots" / "leaker") == {"overview.png"}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("leaker --from-runs 20990101..", EXIT_USAGE, "holds no usable runs of 'leaker'"),
        ("leaker jvm.thread.cuont", EXIT_USAGE, "has no property 'jvm.thread.cuont'; did you mean '"),
        ("leaker --out taken", EXIT_NOT_JUDGED, "taken/overview.png cannot be written"),
        ("other", EXIT_USAGE, "to record some: buto record other"),
    ],
)
def test_what_cannot_be_drawn_is_said(project: Path, words: str, code: int, message: str) -> None:
    (project / "taken").touch()
    done = called(project, "plot", *words.split())
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr


@pytest.mark.parametrize("writable", [True, False])
def test_the_users_home_is_left_alone(project: Path, writable: bool) -> None:
    home = project / "home"
    if writable:
        home.mkdir()
    else:
        home.write_text("no directory, so that nothing can be written even by root")
    done = buto(project, "plot", "leaker", "-q", HOME=str(home))
    assert (done.returncode, done.stderr) == (EXIT_PASS, "")
    assert list(home.glob("*")) == []
