"""What to type next, as it has to be typed in the directory where pytest was started."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from buto.oracle import METADATA_SOURCE
from buto.verdicts import Status, Verdict

_STORE = Path(".buto")
_OPTIONS = ("timeout", "expect-exit", "interval", "jvm", "runs")


def in_a_test(said: str) -> str:
    """How a test names the options of the command line that a text is about; empty where it names none."""
    named = [key for key in _OPTIONS if f"--{key}" in said]
    arguments = " and ".join(key.replace("-", "_") for key in named)
    return f"(in a test: the argument {arguments} of the mark)" if named else ""


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands about one test.

    Attributes:
        node: how pytest is told to run the test alone.
        directory: where pytest was started.
        store: where runs are kept.
        oracle: the oracle's file.
    """

    node: str
    directory: Path
    store: Path
    oracle: Path

    def pytest(self, flag: str) -> str:
        """pytest, with this test alone."""
        return shlex.join(["pytest", self.node, flag])

    def shown(self, path: Path) -> str:
        """A path as it is typed there."""
        return os.path.relpath(path, self.directory)

    def after(self, verdict: Verdict, test: str) -> list[str]:
        """For a verdict; nothing after a pass."""
        if verdict.status is Status.PASS:
            return []
        stored = [] if self.shown(self.store) == str(_STORE) else ["--store", self.shown(self.store)]
        show = shlex.join(["buto", "runs", "show", test, *verdict.run_ids[:1], *stored])
        again = self.pytest("--buto-accept")
        if verdict.status is Status.INCONCLUSIVE:
            elsewhere = any(finding.source == METADATA_SOURCE for finding in verdict.findings)
            return [show, f"{again}  (to learn this environment)"] if elsewhere else [show]
        draw = shlex.join(["buto", "plot", test, "--oracle", self.shown(self.oracle), *stored])
        why = "all is for the better: this accepts it" if verdict.is_welcome else "if the change is meant"
        return [show, draw, f"{again}  ({why})"]
