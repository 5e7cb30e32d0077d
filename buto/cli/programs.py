"""The two programs that a comparison is of, as they were typed."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from buto.actions.compare import Program, two_programs, two_revisions
from buto.cli.projects import not_empty
from buto.errors import UsageError

if TYPE_CHECKING:
    pass


AGAINST = "--against"


def programs_of(args: Namespace) -> tuple[Program, Program]:
    """Return the two programs that were typed.

    Raises:
        UsageError: the words do not name two programs.
    """
    test, command = args.test, args.command
    if args.revisions is not None:
        if args.against is not None:
            raise UsageError(
                f"{AGAINST} and --revisions exclude each other", advice=f"buto {args.command_name} --help"
            )
        old, new = args.revisions
        return two_revisions(test, (old, new), command)
    if args.build is not None:
        raise UsageError("--build needs --revisions", advice=f"buto {args.command_name} --help")
    if args.against is not None:
        return two_programs(test, args.against, (None, command))
    first, against, second = _divided(command or (), args.command_name)
    return two_programs(test, against, (first, not_empty(second, args.command_name)))


def _divided(
    words: tuple[str, ...], command_name: str
) -> tuple[tuple[str, ...] | None, str, tuple[str, ...] | None]:
    """Divide ``cmdA --against B -- cmdB`` into the first command, B's name, and the second command."""
    for place, word in enumerate(words[:-1]):
        behind = words[place + 2 :]
        if word == AGAINST and behind[:1] in ((), ("--",)):
            return words[:place] or None, words[place + 1], behind[1:] if behind else None
    raise UsageError(
        "a comparison needs a second program",
        advice=f"buto {command_name} A [options] -- COMMAND {AGAINST} B -- COMMAND",
    )
