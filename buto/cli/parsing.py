"""What the parsers of several commands share: options from the table of options, and actions.

An action is the second word of a command that has several, as ``list`` in ``buto runs list``.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from argparse import _ArgumentGroup as ArgumentGroup
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buto.errors import UsageError
from buto.project.options import AUTO, MAX_RUNS, OF_COMMANDS, SCHEDULER, Option, flag

if TYPE_CHECKING:
    from buto.run.storage import Place


STDOUT = Path("-")
"""The file name that means standard output; text for people then goes to standard error."""

FROM_RUNS = (
    "--from-runs WHICH  launch nothing, use stored runs: 'all', ids separated by commas, or FIRST..LAST"
)


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


_TYPES: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("FILE", "DIR", "PATH"), Path),
    **dict.fromkeys(("K", "N"), count),
    "P": int,
    "SHARE": float,
}
"""What a value is, by the word that stands for it in ``--help``; any other is a text."""


def declare(parser: ArgumentParser | ArgumentGroup, *rows: str, **types: Callable[[str], Any]) -> None:
    """Add options as ``--help`` shows them: ``--runs K  how many``; without a value it is a switch.

    Args:
        rows: an option, what stands for its values, and after two blanks what it means.
        types: of the options of these names, in place of those of _TYPES.
    """
    for row in rows:
        written, _, meaning = row.partition("  ")
        name, *values = written.split()
        if values:
            kind = types.get(name.lstrip("-").replace("-", "_")) or _TYPES.get(values[0], str)
            metavar, nargs = (values[0], None) if len(values) == 1 else (tuple(values), len(values))
            parser.add_argument(name, metavar=metavar, nargs=nargs, type=kind, help=meaning)
        else:
            parser.add_argument(name, action="store_true", help=meaning)


def add_tests(parser: ArgumentParser, meaning: str = "tests (default: all of buto.yaml)") -> None:
    """Add the names of tests, of which there may be none."""
    parser.add_argument("names", metavar="NAME", nargs="*", help=meaning)


def add_properties(parser: ArgumentParser, done: str, *, of_test: bool = True) -> None:
    """Add a test, and the names of its properties with which something is done.

    Args:
        of_test: whether the test is added, too.
    """
    if of_test:
        parser.add_argument("test", metavar="NAME", help="the test")
    what = f"what to {done}: a property, a metric for all its instances, or either with * in it"
    parser.add_argument("properties", metavar="PROPERTY", nargs="*", help=what)


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


def expect_suffix(args: Namespace, name: str, *suffixes: str) -> None:
    """Raise UsageError if an option names a file that does not end with one of these."""
    path = getattr(args, name)
    if path is not None and path.suffix not in suffixes:
        raise UsageError(
            f"--{name}: the file name must end with {' or '.join(suffixes)}, got {path}",
            advice=f"--{name} {path.stem}{suffixes[0]}",
        )


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
