"""The commands, in the order of ``buto --help``; a command's module is imported when the command is used."""

from __future__ import annotations

import importlib
from typing import NamedTuple, cast

from buto.cli.command import Command


class Entry(NamedTuple):
    """Where a command is defined, and the line that describes it in the list of all."""

    module: str
    summary: str

    def load(self) -> Command:
        """Import the module and return its ``COMMAND``."""
        return cast(Command, importlib.import_module(self.module).COMMAND)


_ROOM = "buto.cli.commands"

COMMANDS: dict[str, Entry] = {
    "train": Entry(f"{_ROOM}.train", "launch a program several times and learn what it uses"),
    "check": Entry(f"{_ROOM}.check", "launch a program and judge it by its oracle"),
    "accept": Entry(f"{_ROOM}.accept", "train again and show how the oracle changes"),
    "compare": Entry(f"{_ROOM}.compare", "launch two programs alternately and show what differs"),
    "bisect": Entry(f"{_ROOM}.bisect", "find the commit that made a test fail"),
    "why": Entry(f"{_ROOM}.why", "name the methods that make a program use more"),
    "record": Entry(f"{_ROOM}.record", "launch a program and store its runs without judging them"),
    "attach": Entry(f"{_ROOM}.attach", "record a JVM that is already running"),
    "runs": Entry(f"{_ROOM}.runs.command", "list, show, export and delete stored runs"),
    "plot": Entry(f"{_ROOM}.plot", "draw what an oracle expects and what runs used"),
    "report": Entry(f"{_ROOM}.report", "judge stored runs again and write reports"),
    "selftest": Entry(f"{_ROOM}.selftest", "measure how often an oracle fails an unchanged program"),
    "history": Entry(f"{_ROOM}.history", "show the results of a test's checks over time"),
    "label": Entry(f"{_ROOM}.label", "say which runs are good, bad or invalid, and show who said so"),
    "suggest": Entry(f"{_ROOM}.suggest", "suggest settings that would have avoided false alarms"),
    "predict": Entry(
        f"{_ROOM}.architecture.predict", "predict how slower components affect the whole system"
    ),
    "architecture": Entry(
        f"{_ROOM}.architecture.command", "create, check and show the model that predict reads"
    ),
    "experiments": Entry(f"{_ROOM}.experiments.command", "record and repeat the experiments of the thesis"),
    "sources": Entry(f"{_ROOM}.sources", "show what the sources of tests read now"),
    "worker": Entry(f"{_ROOM}.worker", "make this machine a host on which others launch their programs"),
    "doctor": Entry(f"{_ROOM}.doctor", "check whether this machine can measure"),
    "schema": Entry(f"{_ROOM}.schema", "print the JSON schema of a file that buto reads or writes"),
}
