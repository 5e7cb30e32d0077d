"""What the parsers of several commands share: options from the table of options, and actions.

An action is the second word of a command that has several, as ``list`` in ``buto runs list``.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from argparse import _ArgumentGroup as ArgumentGroup
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buto.errors import UsageError
from buto.project.options import AUTO, MAX_RUNS, OF_COMMANDS, SCHEDULER, Option, flag

if TYPE_CHECKING:
    from buto.run.storage import Place


STDOUT = Path("-")
"""The file name that means standard output; text for people then goes to standard error."""

FROM_RUNS = "use stored runs: 'all', ids separated by commas, or FIRST..LAST"


def add_verbosity(parser: ArgumentParser) -> None:
    """Add ``-q`` and ``-v`` to the parser of a command or of an action of it."""
    group = parser.add_mutually_exclusive_group()
    for letter, word, meaning in (
        ("-q", "--quiet", "print results and errors only"),
        ("-v", "--verbose", "print details of every step"),
    ):
        # SUPPRESS keeps the command's own parser from overwriting options given before the command.
        group.add_argument(letter, word, action="store_true", default=SUPPRESS, help=meaning)


def add_options(parser: ArgumentParser, command: str) -> None:
    """Add the options that the table has for a command, in their groups."""
    groups: dict[str, ArgumentParser | ArgumentGroup] = {"": parser}
    for option in OF_COMMANDS.values():
        if command in option.commands:
            if option.group not in groups:
                groups[option.group] = parser.add_argument_group(option.group)
            _add(groups[option.group], option, option.help)


def add_scheduler_option(parser: ArgumentParser | ArgumentGroup, what: str = "launch") -> None:
    """Add the option for the address of a scheduler; ``what`` is what its hosts do."""
    _add(parser, SCHEDULER, SCHEDULER.help.replace("launch", what))


def _add(parser: ArgumentParser | ArgumentGroup, option: Option, meaning: str) -> None:
    more: dict[str, Any] = {"choices": option.choices} if option.choices else {"metavar": option.value}
    if option.is_list:
        more["action"] = "append"
    elif option.name == "store":
        more["type"] = store
    elif option.type in (int, float):
        more["type"] = option.type
    elif option.type == str | Path:
        more["type"] = Path
    default = f" (default: {option.default})" if option.default else ""
    parser.add_argument(flag(option.name), dest=option.name, help=f"{meaning}{default}", **more)


def store(text: str) -> Place:
    """Read where runs are kept, for argparse."""
    # Reading a place imports the runs, and --help can do without.
    from buto.run.storage import place_of

    return place_of(text)


def count(text: str, *, least: int = 1, most: int = MAX_RUNS, what: str = "runs") -> int:
    """Read a number of launches or runs, for argparse."""
    if text.isdecimal() and least <= int(text) <= most:
        return int(text)
    raise ArgumentTypeError(f"the number of {what} must be from {least} to {most}, got {text!r}")


def count_or_auto(text: str) -> int | str:
    """Read a number of runs, or AUTO, for argparse."""
    return AUTO if text == AUTO else count(text)


def add_outputs(parser: ArgumentParser | ArgumentGroup, **meanings: str) -> None:
    """Add options that name files to write, by what is written."""
    for name, meaning in meanings.items():
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {meaning}")


def goes_to_stdout(args: Namespace) -> bool:
    """Return whether something is written to standard output."""
    return STDOUT in vars(args).values()


def outputs_of(args: Namespace, names: Iterable[str]) -> dict[str, Path]:
    """Return the files that options name; UsageError if more than one of them is standard output."""
    named = {name: getattr(args, name, None) for name in names}
    paths = {name: path for name, path in named.items() if path is not None}
    aside = [f"--{name}" for name, path in paths.items() if path == STDOUT]
    if len(aside) > 1:
        raise UsageError(
            f"only one of {' and '.join(aside)} can go to standard output",
            advice="give a file name instead of -",
        )
    return paths


class Actions:
    """Adds actions to the parser of a command; ``args.action`` is the one that was chosen.

    Args:
        chosen: another name than ``action``, for the actions of an action.
    """

    def __init__(self, parser: ArgumentParser, chosen: str = "action") -> None:
        self._parsers = parser.add_subparsers(dest=chosen, metavar="ACTION", required=True)

    def add(self, name: str, help: str, more: str = "") -> ArgumentParser:
        """Add an action and return its parser.

        Args:
            help: its line in the help of the command; begins the action's own help.
            more: further text for the action's own help.
        """
        action: ArgumentParser = self._parsers.add_parser(
            name,
            help=help,
            description=f"{help[0].upper()}{help[1:]}.{more}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        add_verbosity(action)
        return action
