"""Messages about files in directories without permission are the same as about files that buto cannot use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.cli.main import main
from buto.measure.doctor import Health, check_store
from tests.support.processes.command import called
from tests.support.processes.permissions import as_everybody
from tests.support.runs.stored import leaking_run, store

COMMAND = ("--", "java", "Main")
LONG = "x" * 300
"""No file can have this name, and asking for it is an error of its own."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A test with an oracle that nobody may reach, and one more directory of which the same is true."""
    directory = tmp_path_factory.mktemp("project")
    store(directory, *(leaking_run(number) for number in range(5)))
    called(directory, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
    (directory / "shut/inner").mkdir(parents=True)
    shut = [directory / name for name in ("shut", "oracles", ".buto/results")]
    for path in shut:
        path.chmod(0o600)
    yield directory
    for path in shut:
        path.chmod(0o700)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("check", "leaker"), 4, "the oracle oracles/leaker.json cannot be read: Permission denied"),
        (("record", "leaker"), 4, "the oracle oracles/leaker.json cannot be read: Permission denied"),
        (("runs", "list"), 4, "the oracle oracles/leaker.json cannot be read: Permission denied"),
        (("runs", "delete", "leaker", "--all"), 4, "oracles/leaker.json cannot be read: Permission denied"),
        (("compare", "leaker", "--against", "x", *COMMAND), 4, "leaker.json cannot be read: Permission"),
        (("check", "leaker", "--oracle", LONG), 4, "cannot be read: File name too long"),
        (("history", "leaker"), 4, ".buto/results/leaker cannot be read: Permission denied"),
        (("check", "leaker", "--html", "shut/x.html"), 3, "--html: shut/x.html cannot be written"),
        (("check", "leaker", "--html", "/proc/x.html"), 3, "--html: /proc/x.html cannot be written"),
        (
            ("check", "leaker", "--html", "shut/inner/x.html"),
            3,
            "the directory shut/inner does not exist, or",
        ),
        (("check", "leaker", "--html", LONG), 3, f"--html: {LONG} cannot be written"),
    ],
)
def test_what_may_not_be_looked_for_is_reported_like_what_cannot_be_read(
    project: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    with as_everybody():
        done = called(project, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "try:" in done.stderr


@pytest.mark.parametrize("oracle", ["shut/x.json", "shut/inner/x.json", LONG])
def test_an_oracle_that_cannot_be_written_is_refused_before_anything_is_launched(
    project: Path, oracle: str
) -> None:
    with as_everybody():
        done = called(project, "train", "leaker", "--oracle", oracle, *COMMAND)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"the oracle {oracle} cannot be written" in done.stderr


def test_an_oracle_whose_directory_cannot_be_written_is_refused_though_its_file_can_be(project: Path) -> None:
    """A new oracle is written beside the old one, and takes its place."""
    oracles = project / "kept"
    oracles.mkdir()
    (oracles / "x.json").touch()
    (oracles / "x.json").chmod(0o666)
    oracles.chmod(0o555)
    with as_everybody():
        done = called(project, "train", "leaker", "--oracle", "kept/x.json", *COMMAND)
    assert (done.returncode, done.stdout) == (3, "")
    assert "the oracle kept/x.json cannot be written" in done.stderr


def test_a_configuration_that_may_not_be_looked_for_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for who becomes another user where that one may not look about."""
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o600)
    with as_everybody():
        assert main(["check", "leaker"]) == 4
    assert "cannot read the configuration buto.yaml: Permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["shut/inner/.buto", LONG])
def test_doctor_says_of_a_store_that_may_not_be_looked_for_that_it_cannot_be_written(
    project: Path, place: str
) -> None:
    with as_everybody():
        check = check_store(project / place)
    assert check.level is Health.PROBLEM
    assert "cannot be written" in check.detail
