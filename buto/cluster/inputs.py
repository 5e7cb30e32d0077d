"""The files that a program needs: found here, and sent to a host that does not have them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from buto.collect.target import Target
from buto.errors import UsageError
from buto.programs.named import files_of
from buto.programs.snapshot import Program, ProgramFile, TooLargeError, in_tree, snapshot
from buto.units import format_bytes

MOST_BYTES = 1 << 29
"""All inputs of one test together."""

_FEWER = "name the files with inputs: [PATTERN, ...], or put them at the same path on every host"


@dataclass(frozen=True, slots=True)
class Inputs:
    """All files of one program, without those that every host must have, such as the JDK.

    Attributes:
        directory: in which the program is started here, absolute.
        root: the directory that is the tree here.
    """

    directory: str
    root: str
    program: Program

    @property
    def files(self) -> tuple[ProgramFile, ...]:
        """Return the files."""
        return self.program.files

    def path(self, file: ProgramFile) -> str:
        """Return where a file is here."""
        return os.path.normpath(os.path.join(self.root, file.place))

    @property
    def digest(self) -> str:
        """A checksum over places, contents and the working directory: the name of the tree."""
        lines = sorted(f"{one.place}\0{one.sha256}\n" for one in self.files)
        return hashlib.sha256("".join([f"{self.program.within}\n", *lines]).encode()).hexdigest()[:32]

    def placed(self, target: Target, tree: Path) -> Target:
        """Return how to start the program whose files are in a tree."""
        environment: Mapping[str, str] = {
            name: in_tree(word, tree, str) for name, word in self.program.environment.items()
        }
        return replace(
            target,
            command=tuple(in_tree(word, tree, str) for word in self.program.words),
            environment={**target.environment, **environment},
            directory=tree / (self.program.within or ""),
        )


def inputs_of(target: Target, patterns: Sequence[str] = (), base: Path | None = None) -> Inputs:
    """Return the inputs of a program, see :func:`buto.programs.named.files_of`.

    Args:
        patterns: shell patterns of declared files.
        base: the directory to which they are relative; None for the working directory.

    Raises:
        UsageError: they are too many or too large to be sent, one cannot be read, or a pattern leads out of
            the base.
    """
    directory = target.directory or Path()
    # Of the rest of the environment nothing is sent.
    environment = {"PATH": os.environ.get("PATH", os.defpath), **target.environment}
    try:
        named = files_of(target.command, directory, environment, patterns, base)
        found = snapshot(named, MOST_BYTES, within=True)
    except TooLargeError as error:
        what = f"the program's files have {format_bytes(error.n_bytes)}"
        raise UsageError(f"{what}, and at most {format_bytes(MOST_BYTES)} are sent", advice=_FEWER) from error
    except UsageError as error:
        raise UsageError(error.message, advice=error.advice or _FEWER) from error
    return Inputs(named.directory, found.root, found.program())
