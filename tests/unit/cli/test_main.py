"""From words to a command, and from what it raises to an exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from argparse import ArgumentParser, Namespace

import pytest

from buto import errors
from buto.cli import registry
from buto.cli.console import Console
from buto.cli.interruption import Stopped
from buto.cli.main import main
from buto.cli.registry import COMMANDS, Command, Entry


class Probe:
    """A command that records its arguments and then does what the test sets."""

    def __init__(self, raises: BaseException | None = None) -> None:
        self.raises = raises
        self.seen: Namespace | None = None
        self.verbosity = -1

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--number", type=int)

    def run(self, args: Namespace, console: Console) -> int:
        self.seen = args
        self.verbosity = int(console.verbosity)
        if self.raises is not None:
            raise self.raises
        return 0


class Ready(Entry):
    """An entry of a command that is at hand."""

    command: Command

    def load(self) -> Command:
        return self.command


def carry_out(monkeypatch: pytest.MonkeyPatch, probe: Probe, *argv: str, takes_command: bool = True) -> int:
    entry = Ready("", "for tests", takes_command)
    entry.command = probe
    monkeypatch.setattr(registry, "COMMANDS", {"probe": entry})
    return main(list(argv))


def test_what_follows_two_dashes_is_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe()
    assert (
        carry_out(monkeypatch, probe, "probe", "--number", "3", "--", "java", "--number", "x", "--", "-q")
        == 0
    )
    assert probe.seen is not None
    assert probe.seen.command == ("java", "--number", "x", "--", "-q")
    assert probe.seen.number == 3
    assert probe.seen.arguments == ["probe", "--number", "3"]


def test_without_dashes_there_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe()
    carry_out(monkeypatch, probe, "probe")
    assert probe.seen is not None
    assert probe.seen.command is None


@pytest.mark.parametrize(
    ("argv", "verbosity"),
    [
        (("probe",), 1),
        (("-q", "probe"), 0),
        (("probe", "--quiet"), 0),
        (("probe", "-v"), 2),
        (("-v", "probe"), 2),
    ],
)
def test_verbosity_may_stand_before_or_behind_the_command(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], verbosity: int
) -> None:
    probe = Probe()
    carry_out(monkeypatch, probe, *argv)
    assert probe.verbosity == verbosity


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (errors.UsageError("x"), 2),
        (errors.ConfigError("x"), 2),
        (errors.MeasureError("x"), 3),
        (errors.JudgeError("x"), 3),
        (errors.StorageError("x"), 3),
        (errors.BadFileError("x"), 4),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_expected_failure_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int
) -> None:
    assert carry_out(monkeypatch, Probe(raised), "probe") == code


def test_a_failure_is_printed_with_its_advice_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    carry_out(monkeypatch, Probe(errors.UsageError("a is b", advice="make it c")), "probe")
    assert capsys.readouterr() == ("", "buto: a is b\ntry:  make it c\n")
    carry_out(monkeypatch, Probe(Stopped("stopped", "go on")), "probe")
    assert capsys.readouterr() == ("", "buto: stopped\ntry:  go on\n")


def test_any_other_exception_is_a_defect_and_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        carry_out(monkeypatch, Probe(ZeroDivisionError()), "probe")


def test_a_command_that_takes_none_refuses_the_users_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert carry_out(monkeypatch, Probe(), "probe", "--", "ls", takes_command=False) == 2
    assert "takes no command after --" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["nonsense"],
        ["probe", "--nonsense"],
        ["probe", "--number", "x"],
        ["probe", "--num", "3"],
        ["-qv", "probe"],
    ],
)
def test_wrong_usage_is_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], argv: list[str]
) -> None:
    assert carry_out(monkeypatch, Probe(), *argv) == 2
    assert capsys.readouterr().err


def test_every_command_shows_examples() -> None:
    for name, entry in COMMANDS.items():
        assert f"buto {name}" in (entry.load().__doc__ or ""), "a help text shows examples"


def test_help_is_quick_and_imports_no_command() -> None:
    script = (
        "import sys, time\n"
        "from buto.cli.main import main\n"
        "main(['--help'])\n"
        "assert time.process_time() < 2.0, 'some .06 s where no other work is done'\n"
        "heavy = {'numpy', 'yaml', 'rich', 'jpype', 'matplotlib', 'pyarrow', 'jsonschema'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stderr == "[]\n"
    assert all(name in done.stdout for name in COMMANDS)


def test_a_fault_of_buto_itself_is_never_taken_for_a_regression() -> None:
    script = "from buto.cli import main\nmain.main = lambda: 1 / 0\nmain.entry()\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr
    assert done.stderr.rstrip().endswith("please report the lines above")


FORKING = """
import os, signal, time
from buto.cli import main

def forks(arguments):
    os.register_at_fork(after_in_parent=lambda: signal.raise_signal({number}))
    if os.fork() == 0:
        os._exit(0)
    print("forked", flush=True)
    time.sleep(60)
    return 0

main._carry_out = forks
main.entry()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_whose_exception_is_lost_while_a_process_is_forked_still_stops_buto(number: int) -> None:
    script = FORKING.format(number=int(number))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (128 + number, "forked\n")
    assert "Exception ignored" not in done.stderr
