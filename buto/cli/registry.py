"""The commands, in the order of ``buto --help``; their modules are imported when they are called for."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import cast

from buto.cli.command import Command


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is defined, and the line that describes it in the list of all."""

    module: str
    summary: str

    def load(self) -> Command:
        """Import the module and return its ``COMMAND``."""
        return cast(Command, importlib.import_module(self.module).COMMAND)


COMMANDS: dict[str, Entry] = {
    "train": Entry("buto.cli.train", "launch a program several times and learn what it uses"),
    "check": Entry("buto.cli.check", "launch it again and judge it by what was learned"),
    "accept": Entry("buto.cli.accept", "learn anew and show what that changes in an oracle"),
    "compare": Entry("buto.cli.compare", "launch two programs in turns and say what differs"),
    "bisect": Entry("buto.cli.bisect", "find the commit that made a test fail"),
    "record": Entry("buto.cli.record", "launch it and keep the runs without judging"),
    "attach": Entry("buto.cli.attach", "record a JVM that is already running"),
    "runs": Entry("buto.cli.runs", "list, show, export and delete stored runs"),
    "plot": Entry("buto.cli.plot", "draw what an oracle expects and what a run did"),
    "report": Entry("buto.cli.report", "judge stored runs again and write reports of them"),
    "selftest": Entry("buto.cli.selftest", "measure how often an oracle fails an unchanged program"),
    "history": Entry("buto.cli.history", "show how the checks of a test went over time"),
    "experiments": Entry("buto.cli.experiments", "record the runs of the thesis's experiments"),
    "doctor": Entry("buto.cli.doctor", "say whether this machine can measure"),
    "schema": Entry("buto.cli.schema", "print the JSON schema of a file that buto reads or writes"),
}
