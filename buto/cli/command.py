"""The interface of a command."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import ClassVar, Protocol

from buto.cli.printing.console import Console


class Command(Protocol):
    """One word after ``buto``; its module exposes an instance as ``COMMAND``.

    Attributes:
        name: the word.
        help: what ``buto NAME --help`` prints before the options; ends with examples.
        takes_command: whether the user's own command may follow after ``--``.

    Besides the values of its options, ``args`` holds ``command_name``; ``command``, the tuple of
    texts after ``--``, None without ``--``; ``arguments``, all that was typed before ``--``.
    """

    name: ClassVar[str]
    help: ClassVar[str]
    takes_command: ClassVar[bool]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare options and positional arguments."""

    def run(self, args: Namespace, console: Console) -> int:
        """Run the command and return its exit code; raise ButoError for expected failures."""
