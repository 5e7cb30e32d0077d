"""The commands, in the order of ``buto --help``, and the interface of each.

A command's module is imported when the command is used. Other packages add commands by the entry-point group
``buto.commands``. The entry point has the command's name. Its object is an :class:`Entry`, in a module that
is quick to import: ``buto --help`` reads its summary.
"""

from __future__ import annotations

import importlib
from argparse import ArgumentParser, Namespace
from typing import NamedTuple, Protocol, cast

from buto.cli.console import Console
from buto.errors import UsageError
from buto.extensions import Extensions


class Command(Protocol):
    """The module of one word after ``buto``; its docstring is what ``buto NAME --help`` prints first.

    Besides the values of its options, ``args`` holds ``command_name``; ``command``, the tuple of
    texts after ``--``, None without ``--``; ``arguments``, all that was typed before ``--``.
    """

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare options and positional arguments."""

    def run(self, args: Namespace, console: Console) -> int:
        """Run the command and return its exit code; raise ButoError for expected failures."""


class Entry(NamedTuple):
    """A command: its module, the line that describes it in the list of all, and what it takes.

    Attributes:
        takes_command: whether the user's own command may follow after ``--``.
    """

    module: str
    summary: str
    takes_command: bool = False

    def load(self) -> Command:
        """Import the module."""
        return cast(Command, importlib.import_module(self.module))


_ROOM = "buto.cli.commands"

COMMANDS: dict[str, Entry] = {
    "init": Entry(f"{_ROOM}.init", "write a first buto.yaml for a project", True),
    "train": Entry(f"{_ROOM}.train", "launch a program several times and learn what it uses", True),
    "check": Entry(f"{_ROOM}.check", "launch a program and judge it by its oracle", True),
    "accept": Entry(f"{_ROOM}.accept", "train again and show how the oracle changes", True),
    "release": Entry(f"{_ROOM}.release", "name a release, whose program later sums are judged by"),
    "compare": Entry(f"{_ROOM}.compare", "launch two programs in turns and show what differs", True),
    "bisect": Entry(f"{_ROOM}.bisect", "find the commit that made a test fail", True),
    "why": Entry(f"{_ROOM}.why", "name the methods that make a program use more", True),
    "grow": Entry(f"{_ROOM}.grow", "say what grows with every round of a program's work", True),
    "size": Entry(f"{_ROOM}.size", "say how much memory a program needs", True),
    "record": Entry(f"{_ROOM}.record", "launch a program and store its runs without judging them", True),
    "attach": Entry(f"{_ROOM}.attach", "record a JVM that is already running"),
    "runs": Entry(f"{_ROOM}.runs", "list, show, export and delete stored runs"),
    "plot": Entry(f"{_ROOM}.plot", "draw what an oracle expects and what runs used"),
    "report": Entry(f"{_ROOM}.report", "judge stored runs again and write reports"),
    "selftest": Entry(f"{_ROOM}.selftest", "measure how often an oracle fails an unchanged program"),
    "history": Entry(f"{_ROOM}.history", "show the results of a test's checks over time"),
    "label": Entry(f"{_ROOM}.label", "say which runs are good, bad or invalid, and show who said so"),
    "sources": Entry(f"{_ROOM}.sources", "show what the sources of tests read now"),
    "doctor": Entry(f"{_ROOM}.doctor", "check whether this machine can measure"),
    "schema": Entry(f"{_ROOM}.schema", "print the JSON schema of a file that buto reads or writes"),
}
"""Buto's own."""


class UnknownCommandError(UsageError):
    """There is no such command: its name is wrong, or its package is not installed."""


class BrokenCommandError(UsageError):
    """A command of another package that cannot be used."""


EXTENSIONS = Extensions(
    "buto.commands",
    "command",
    BrokenCommandError,
    {
        "architecture": "predict",
        "experiments": "replications",
        "predict": "predict",
        "suggest": "replications",
        "worker": "cluster",
    },
)


def find(name: str) -> Entry:
    """Return the entry of a command.

    Raises:
        UnknownCommandError: there is none of this name.
        BrokenCommandError: it is of another package and cannot be used.
    """
    if name in COMMANDS:
        return COMMANDS[name]
    added = EXTENSIONS.find(name)
    if added is None:
        raise UnknownCommandError(f"unknown command {name!r}", advice=EXTENSIONS.missing(name))
    entry, command = added
    if not isinstance(command, Entry):
        raise EXTENSIONS.error_for(entry, f"{entry.value} is not a buto.cli.registry.Entry")
    return command


def load_added() -> dict[str, Entry]:
    """Return the entries of other packages' commands; the summary of one that cannot be used says so."""
    entries = {}
    for name in sorted(EXTENSIONS.names() - COMMANDS.keys()):
        try:
            entries[name] = find(name)
        except BrokenCommandError as error:
            entries[name] = Entry("", error.message)
    return entries
