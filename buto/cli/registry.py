"""The commands, in the order of ``buto --help``; a command's module is imported when the command is used.

Other packages add commands by the entry-point group ``buto.commands``. The entry point has the command's
name. Its object is an :class:`Entry`, in a module that is quick to import: ``buto --help`` reads its summary.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple, cast

from buto.cli.command import Command
from buto.errors import UsageError
from buto.extensions import Extensions


class Entry(NamedTuple):
    """Where a command is defined, and the line that describes it in the list of all."""

    module: str
    summary: str

    def load(self) -> Command:
        """Import the module and return its ``COMMAND``."""
        return cast(Command, importlib.import_module(self.module).COMMAND)


_ROOM = "buto.cli.commands"
_LAUNCHING = f"{_ROOM}.launching"
_STORED = f"{_ROOM}.stored"
_MACHINE = f"{_ROOM}.machine"

COMMANDS: dict[str, Entry] = {
    "train": Entry(f"{_LAUNCHING}.train", "launch a program several times and learn what it uses"),
    "check": Entry(f"{_LAUNCHING}.check", "launch a program and judge it by its oracle"),
    "accept": Entry(f"{_LAUNCHING}.accept", "train again and show how the oracle changes"),
    "compare": Entry(f"{_LAUNCHING}.compare", "launch two programs alternately and show what differs"),
    "bisect": Entry(f"{_LAUNCHING}.bisect", "find the commit that made a test fail"),
    "why": Entry(f"{_LAUNCHING}.why", "name the methods that make a program use more"),
    "record": Entry(f"{_LAUNCHING}.record", "launch a program and store its runs without judging them"),
    "attach": Entry(f"{_LAUNCHING}.attach", "record a JVM that is already running"),
    "runs": Entry(f"{_STORED}.runs.command", "list, show, export and delete stored runs"),
    "plot": Entry(f"{_STORED}.plot", "draw what an oracle expects and what runs used"),
    "report": Entry(f"{_STORED}.report", "judge stored runs again and write reports"),
    "selftest": Entry(f"{_STORED}.selftest", "measure how often an oracle fails an unchanged program"),
    "history": Entry(f"{_STORED}.history", "show the results of a test's checks over time"),
    "label": Entry(f"{_STORED}.label", "say which runs are good, bad or invalid, and show who said so"),
    "suggest": Entry(f"{_STORED}.suggest", "suggest settings that would have avoided false alarms"),
    "experiments": Entry(f"{_ROOM}.experiments.command", "record and repeat the experiments of the thesis"),
    "sources": Entry(f"{_MACHINE}.sources", "show what the sources of tests read now"),
    "worker": Entry(f"{_MACHINE}.worker", "make this machine a host on which others launch their programs"),
    "doctor": Entry(f"{_MACHINE}.doctor", "check whether this machine can measure"),
    "schema": Entry(f"{_MACHINE}.schema", "print the JSON schema of a file that buto reads or writes"),
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
    {"architecture": "buto-predict", "experiments": "buto-replications", "predict": "buto-predict"},
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
    entry, found = added
    if not isinstance(found, Entry):
        raise EXTENSIONS.broken(entry, f"{entry.value} is not a buto.cli.registry.Entry")
    return found


def added() -> dict[str, Entry]:
    """Return the entries of other packages' commands; the summary of one that cannot be used says so."""
    entries = {}
    for name in sorted(EXTENSIONS.names() - COMMANDS.keys()):
        try:
            entries[name] = find(name)
        except BrokenCommandError as error:
            entries[name] = Entry("", error.message)
    return entries
