"""The one place that prints.

Results go to standard output; progress, warnings and errors go to standard error. Colour and
cursor movements appear on a terminal only, and never when NO_COLOR is set.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import TextIO

from buto.report.sanitize import one_line


class Verbosity(IntEnum):
    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


class Console:
    """Prints for a command.

    If the reader is gone (``buto runs list | head -1``), printing ends but the command goes on, so that
    the exit code stays that of the command.
    """

    def __init__(
        self,
        verbosity: Verbosity = Verbosity.NORMAL,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        self.verbosity = verbosity
        self.stdout = sys.stdout if stdout is None else stdout
        self.stderr = sys.stderr if stderr is None else stderr
        self._n_above = 0

    def result(self, text: str) -> None:
        """Print a result to standard output, even when quiet."""
        self._write(self.stdout, text)

    def results(self, lines: Iterable[str]) -> None:
        """Print lines of a result."""
        for line in lines:
            self.result(line)

    def styled(self, parts: Sequence[tuple[str, str]]) -> None:
        """Print a line of a result from texts with rich styles, which are ignored without colour."""
        if not self.colour:
            self.result("".join(text for text, _ in parts))
            return
        from rich.console import Console as RichConsole
        from rich.text import Text

        console = RichConsole(file=self.stdout, highlight=False)
        with console.capture() as captured:
            # The terminal folds long lines itself; a command that rich folds cannot be copied.
            console.print(Text.assemble(*parts), soft_wrap=True)
        self.result(captured.get().rstrip("\n"))

    def info(self, text: str) -> None:
        """Print progress to standard error, unless quiet."""
        if self.verbosity >= Verbosity.NORMAL:
            self._write(self.stderr, text)

    def detail(self, text: str) -> None:
        """Print details to standard error, with ``-v`` only."""
        if self.verbosity >= Verbosity.VERBOSE:
            self._write(self.stderr, text)

    def warning(self, text: str) -> None:
        """Print a warning to standard error, unless quiet."""
        self.info(f"{_painted('warning:', '33', self.stderr)} {text}")

    def error(self, message: str, advice: str | None = None) -> None:
        """Print an error and the next command to standard error, even when quiet."""
        self._write(self.stderr, f"{_painted('buto:', '31', self.stderr)} {_harmless(message)}")
        if advice:
            self._write(self.stderr, f"{_painted('try:', '36', self.stderr)}  {_harmless(advice)}")

    @property
    def colour(self) -> bool:
        """Whether results may carry colour."""
        return has_colour(self.stdout)

    @property
    def animated(self) -> bool:
        """Whether progress may redraw a line in place."""
        return self.verbosity >= Verbosity.NORMAL and _is_terminal(self.stderr)

    @property
    def width(self) -> int:
        """Characters in a line of the terminal."""
        return shutil.get_terminal_size().columns

    def rewrite(self, text: str) -> None:
        """Replace what the last call wrote to standard error by ``text``; only if :attr:`animated`."""
        back = f"\x1b[{self._n_above}A\r\x1b[J" if self._n_above else "\r\x1b[K"
        self._n_above = text.count("\n")
        self._write(self.stderr, f"{back}{text}", end="")

    def _write(self, stream: TextIO, text: str, end: str = "\n") -> None:
        try:
            stream.write(text + end)
            stream.flush()
        except BrokenPipeError:
            # The interpreter flushes once more at its end and would complain again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def has_colour(stream: TextIO) -> bool:
    """Return whether a stream shows colour: a terminal that is not dumb, and NO_COLOR is not set."""
    return _is_terminal(stream) and not os.environ.get("NO_COLOR")


def _harmless(text: str) -> str:
    """Return text in which no foreign name or path can move the cursor."""
    return "\n".join(one_line(line.expandtabs()) for line in text.split("\n"))


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _painted(text: str, code: str, stream: TextIO) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if has_colour(stream) else text
