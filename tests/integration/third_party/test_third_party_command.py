"""A command of another package works like buto's own, with nothing of buto touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buto.cli.registry import EXTENSIONS
from tests.support.processes.command import called

ENTRY = "from buto.cli.registry import Entry\nHELLO = Entry('buto_hello.command', 'greet somebody')\n"
COMMAND = """\
'Greet somebody.'

def add_arguments(parser):
    parser.add_argument("whom")

def run(args, console):
    console.result(f"hello, {args.whom}")
    return 0
"""


@pytest.fixture
def package(install: Callable[[str, str, str], Path]) -> Path:
    """A package with a command; nothing else is installed."""
    folder = install(ENTRY, "buto.commands", "hello = buto_hello:HELLO")
    (folder / "command.py").write_text(COMMAND)
    return folder


def test_it_is_listed_described_and_run(package: Path, tmp_path: Path) -> None:
    listed = called(tmp_path, "--help").stdout
    assert "greet somebody" in listed
    assert listed.index("  schema ") < listed.index("  hello "), "after buto's own"
    assert "Greet somebody." in called(tmp_path, "hello", "--help").stdout
    done = called(tmp_path, "hello", "world")
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello, world\n", "")


def test_a_misspelt_one_is_named(package: Path, tmp_path: Path) -> None:
    done = called(tmp_path, "helo")
    assert (done.returncode, done.stderr) == (
        2,
        "buto: unknown command 'helo'; did you mean hello?\ntry:  buto --help\n",
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("HELLO = 3", "buto_hello:HELLO is not a buto.cli.registry.Entry"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_broken_one_harms_only_its_own_use(package: Path, tmp_path: Path, text: str, fault: str) -> None:
    (package / "__init__.py").write_text(text)
    done = called(tmp_path, "hello", "world", exits=2)
    assert done.stderr == (
        f"buto: the command 'hello' of the package 'buto_hello' cannot be used: {fault}\n"
        "try:  pip install --upgrade buto_hello\n"
    )
    listed = called(tmp_path, "--help")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "cannot be used" in " ".join(listed.stdout.split())


@pytest.mark.parametrize(("command", "distribution"), EXTENSIONS.packages.items())
def test_a_command_of_butos_other_packages_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, distribution: str
) -> None:
    monkeypatch.setattr("buto.cli.registry.COMMANDS", {})
    monkeypatch.setattr("buto.extensions.entry_points_of", lambda group: ())
    done = called(tmp_path, command)
    assert (done.returncode, done.stderr) == (
        2,
        f"buto: unknown command {command!r}\ntry:  pip install ./{distribution} (in a checkout of buto)\n",
    )
