"""The one place that prints.

Results go to standard output; progress, warnings and errors go to standard error. Colour and
cursor movements appear on a terminal only, and never when NO_COLOR is set. Whatever is printed for people has
passed :func:`buto.report.sanitize.harmless`: names and messages of others move no cursor and give a build
server no command.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import TextIO

from buto.report.sanitize import harmless


class Verbosity(IntEnum):
    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


class Console:
    """Prints for a command.

    If the reader is gone (``buto runs list | head -1``), the disk is full or the stream is closed, printing
    ends but the command goes on, so that the exit code stays that of the command.
    """

    def __init__(
        self,
        verbosity: Verbosity = Verbosity.NORMAL,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        self.verbosity = verbosity
        # A process that was started with a closed stream has none.
        self.stdout = stdout or sys.stdout or io.StringIO()
        self.stderr = stderr or sys.stderr or io.StringIO()
        self._n_above = 0

    def result(self, text: str) -> None:
        """Print a result to standard output, even when quiet."""
        self._write(self.stdout, harmless(text))

    def document(self, text: str) -> None:
        """Print what another program reads, as it is; OSError unless that has gone."""
        with suppress(BrokenPipeError):
            try:
                self.stdout.write(text + "\n")
                self.stdout.flush()
            except OSError:
                silence(self.stdout)
                raise

    def results(self, lines: Iterable[str]) -> None:
        """Print lines of a result."""
        for line in lines:
            self.result(line)

    def style(self, parts: Sequence[tuple[str, str]]) -> None:
        """Print a line of a result from texts with styles, which are ignored without colour.

        The terminal folds long lines itself: a command that is folded here could not be copied.
        """
        painted = (_paint(harmless(text), _codes(style), self.stdout) for text, style in parts)
        self._write(self.stdout, "".join(painted))

    def info(self, text: str) -> None:
        """Print progress to standard error, unless quiet."""
        if self.verbosity >= Verbosity.NORMAL:
            self._write(self.stderr, harmless(text))

    def detail(self, text: str) -> None:
        """Print details to standard error, with ``-v`` only."""
        if self.verbosity >= Verbosity.VERBOSE:
            self._write(self.stderr, harmless(text))

    def warning(self, text: str, advice: str = "") -> None:
        """Print a warning and what helps to standard error, unless quiet."""
        if self.verbosity >= Verbosity.NORMAL:
            self._write(self.stderr, f"{_paint('warning:', '33', self.stderr)} {harmless(text)}")
            if advice:
                # Indented, because the advice on an error is looked for where a line begins with this word.
                self._write(self.stderr, f"  {_paint('try:', '36', self.stderr)} {harmless(advice)}")

    def error(self, message: str, advice: str | None = None) -> None:
        """Print an error and the next command to standard error, even when quiet."""
        self._write(self.stderr, f"{_paint('buto:', '31', self.stderr)} {harmless(message)}")
        if advice:
            self._write(self.stderr, f"{_paint('try:', '36', self.stderr)}  {harmless(advice)}")

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
        self._write(self.stderr, f"{back}{harmless(text)}", end="")

    def _write(self, stream: TextIO, text: str, end: str = "\n") -> None:
        try:
            stream.write(text + end)
            stream.flush()
        except (OSError, ValueError):
            silence(stream)


def silence(stream: TextIO) -> None:
    """Let a stream that cannot be written lead nowhere; else the interpreter complains of it at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def has_colour(stream: TextIO) -> bool:
    """Return whether a stream shows colour: a terminal that is not dumb, and NO_COLOR is not set."""
    return _is_terminal(stream) and not os.environ.get("NO_COLOR")


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


_CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
"""What a terminal calls the words of a style."""


def _codes(style: str) -> str:
    return ";".join(_CODES[word] for word in style.split())


def _paint(text: str, codes: str, stream: TextIO) -> str:
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and has_colour(stream) else text
