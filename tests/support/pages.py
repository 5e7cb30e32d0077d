"""Pages of documentation: their fenced blocks, and a user who types what they show.

A block that begins with ```sh tested is typed line by line, in a directory of its own; a line that ends in
``# exits with N`` must do so. A block that begins with ```yaml NAME is written to that file. The blocks of a
page that begin with ```python tested are one program, which runs there last.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from buto.errors import EXIT_PASS, EXIT_REGRESSION
from tests.support.checkout import ROOT

README = ROOT / "README.md"
FOLDERS = ("docs", "replications/docs", "predict/docs")
PAGES = [README, *sorted(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))]

Block = tuple[str, str]
"""The info string and the text of a fenced block."""

Shell = Callable[[str, Path], subprocess.CompletedProcess[str]]
"""Carries out a line in a directory."""

PYTHON = "python tested"
TYPINGS = 2


@dataclass(frozen=True)
class Fault:
    """The first line of a page that did not end as the page says."""

    line: str
    wanted: int
    done: subprocess.CompletedProcess[str]

    @property
    def is_alarm(self) -> bool:
        """Whether buto said of a program that should pass that it has changed."""
        said_so = re.search(r"^REGRESSION  ", self.done.stdout, re.MULTILINE) is not None
        return self.wanted == EXIT_PASS and self.done.returncode == EXIT_REGRESSION and said_so

    def __str__(self) -> str:
        ended = f"{self.line}\nexited with {self.done.returncode}, expected {self.wanted}"
        return f"{ended}\n{self.done.stdout}{self.done.stderr}"


def blocks(page: Path) -> list[Block]:
    """Return all fenced blocks of a page."""
    return re.findall(r"^```([^\n]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def typed(page: Path) -> list[Block]:
    """Return what is typed into a shell or written to a file, in its order, and the page's program last."""
    found = [(info, text) for info, text in blocks(page) if info == "sh tested" or info.startswith("yaml ")]
    program = "\n".join(text for info, text in blocks(page) if info == PYTHON)
    return [*found, (PYTHON, program)] if program else found


def fault_of(shown: Sequence[Block], new_directory: Callable[[], Path], shell: Shell) -> Fault | None:
    """Return what does not work on a page that is typed in a new directory; None: all of it works.

    If a check that should pass says REGRESSION, the whole page is typed again, in another new directory.
    The reason: pages show buto at its defaults, at which about one check in a hundred of an unchanged program
    fails (``alpha`` is 0.01), however the machine changes, because turns decide. A page with two such checks
    fails so in at most one of 50 typings, and in two typings in a row hardly ever. Every other fault counts
    at once.
    """
    for _ in range(TYPINGS):
        fault = _typed_once(shown, new_directory(), shell)
        if fault is None or not fault.is_alarm:
            break
    return fault


WRITE = "BUTO_WRITE_GOLDEN"
"""With this environment variable, blocks are written again, for somebody to read the difference."""


def remade(page: Path, command: str, output: Callable[[str], str]) -> int:
    """Expect the blocks ``made by: buto ...`` of a page to be what is printed; return how many there are.

    Args:
        command: expression for the commands of the blocks that count.
        output: carries out what stands behind ``buto``, and returns what the block has to show.
    """
    text = page.read_text(encoding="utf-8")
    block = re.compile(rf"^(```\w+ made by: buto )({command})\n.*?^```$", re.MULTILINE | re.DOTALL)
    made, n_blocks = block.subn(lambda match: f"{match[1]}{match[2]}\n{output(match[2])}```", text)
    if os.environ.get(WRITE):
        page.write_text(made, encoding="utf-8")
    assert made == text, f"read and see the difference after: {WRITE}=1"
    return n_blocks


def _typed_once(shown: Sequence[Block], directory: Path, shell: Shell) -> Fault | None:
    for info, text in shown:
        if info.startswith("yaml "):
            (directory / info.split()[1]).write_text(text, encoding="utf-8")
            continue
        for line in [shlex.join([sys.executable, "-c", text])] if info == PYTHON else text.splitlines():
            stated = re.search(r"# exits with (\d+)$", line)
            wanted = int(stated[1]) if stated else EXIT_PASS
            done = shell(line, directory)
            if done.returncode != wanted:
                return Fault(line, wanted, done)
    return None
