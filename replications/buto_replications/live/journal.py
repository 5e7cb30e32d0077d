"""What was typed and what came of it, as JSON lines: one is appended as soon as a command ends."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from buto.errors import BadFileError, StorageError

TRAIN = "train"

Counters = Mapping[str, float]
"""Exact counters of one run: last value by name."""


@dataclass(frozen=True, slots=True)
class JournalFinding:
    """A finding or a noted change, in the order in which people read them."""

    subject: str
    measure: str
    direction: str
    effect: str
    observed: float | None
    expected: float | None


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command of buto.

    Attributes:
        part: of the experiment.
        subject: program and way, or what was changed.
        condition: what else the machine did, or where the command ran.
        number: counts equal trials from 0.
        action: ``train``, ``check`` or ``compare``.
        command: as typed.
        words: of the command, those of the program.
        seconds: from start to end of the command.
        launches: runs that it stored.
        reached_turns: whether old and new were launched in turns.
        first_line: of what it printed.
        status: of the verdict, ``trained`` or ``error``; empty without a result.
        reasons: of the verdict, with its warnings, or what the error says.
        environment: versions, machine and load before.
        named: whether the answer names what was changed; None where nothing was.
        plain: counters of the valid runs outside turns.
        old, new: counters of the valid runs in turns.
        alarms: of the monitor over builds, that the command looked at in turns.
    """

    part: str
    subject: str
    condition: str
    number: int
    action: str
    command: tuple[str, ...]
    words: tuple[str, ...]
    exit_code: int
    seconds: float
    launches: int
    reached_turns: bool
    first_line: str
    status: str
    findings: tuple[JournalFinding, ...]
    noted: tuple[JournalFinding, ...]
    reasons: tuple[str, ...]
    environment: Mapping[str, str | float]
    at: str
    named: bool | None = None
    plain: tuple[Counters, ...] = ()
    old: tuple[Counters, ...] = ()
    new: tuple[Counters, ...] = ()
    alarms: int = 0

    @property
    def program(self) -> str:
        return self.subject.partition("/")[0]

    @property
    def way(self) -> str:
        return self.subject.partition("/")[2]


@dataclass(frozen=True, slots=True)
class PartJournal:
    """The entries of one part, in one file."""

    path: Path

    def append(self, entry: CommandEntry) -> None:
        """Add an entry as one line that is on the disk when this returns.

        Raises:
            StorageError: it cannot be written.
        """
        line = msgspec.json.encode(entry) + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    # A line that was cut off by a crash stays a line of its own.
                    line = line if file.read(1) == b"\n" else b"\n" + line
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror}") from error

    def entries(self) -> list[CommandEntry]:
        """Return all entries, oldest first; what a crash cut off is left out. No file: no entries.

        A file beside it with ``.gz`` at the end of its name holds earlier ones.

        Raises:
            BadFileError: a line is JSON, and no entry; or the compressed file is damaged.
        """
        entries = []
        for number, line in enumerate((self._archive() + self._append()).split(b"\n"), start=1):
            try:
                entries.append(msgspec.json.decode(line, type=CommandEntry))
            except msgspec.ValidationError as error:
                raise BadFileError(
                    f"{self.path}:{number} is no entry of this version: {error}",
                    advice="name another directory with --data, or remove the line",
                ) from error
            except msgspec.DecodeError:
                # A line that was cut off is no JSON, as is the empty one at the end.
                continue
        return entries

    def _archive(self) -> bytes:
        path = self.path.with_name(self.path.name + ".gz")
        try:
            return gzip.decompress(path.read_bytes()) if path.exists() else b""
        except (OSError, EOFError, zlib.error) as error:
            raise BadFileError(
                f"{path} cannot be decompressed: {error}", advice="name another directory with --data"
            ) from error

    def _append(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""
