"""Options that several commands share, from the table of options to argparse.

The actions of a command that has several, as ``list`` in ``buto runs list``.

From parsed arguments to the project and to the overrides of a test.

The two programs that a comparison is of, as they were typed.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from argparse import _ArgumentGroup as ArgumentGroup
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buto.actions.advice import reword
from buto.actions.compare import Program, two_programs, two_revisions
from buto.actions.project import Files, Overrides, Project, measuring
from buto.cli.hints import door_of
from buto.errors import ButoError, UsageError
from buto.project import config
from buto.project.document import scheduler_of
from buto.project.options import AUTO, MAX_RUNS, OF_COMMANDS, SCHEDULER, Option, flag

if TYPE_CHECKING:
    from buto.run.storage import Place


STDOUT = Path("-")
"""The file name that means standard output; text for people then goes to standard error."""

REPORTS = ("json", "html", "junitxml", "markdown", "bencher")
"""Options that write reports; :mod:`buto.cli.report_files` writes them."""

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


def goes_to_stdout(args: Namespace) -> bool:
    """Return whether a report is written to standard output."""
    return any(getattr(args, name, None) == STDOUT for name in (*REPORTS, "otava"))


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


def overrides_of(args: Namespace) -> Overrides:
    """Return what the options for measuring and the command after ``--`` specify.

    Raises:
        UsageError: no command follows ``--``.
    """
    given = vars(args)
    command = not_empty(args.command, args.command_name)
    return Overrides(command, given.get("alpha"), measuring(given))


def not_empty(command: tuple[str, ...] | None, command_name: str) -> tuple[str, ...] | None:
    """Return the user's command; UsageError if nothing follows ``--``."""
    if command == ():
        raise UsageError("there is no command after --", advice=f"buto {command_name} NAME -- java ...")
    return command


def files_of(args: Namespace) -> Files:
    """Return the files that were named, and the default ones for the others."""
    given = vars(args)
    return Files.located(given.get("config"), given.get("store"), given.get("oracle"))


def project_of(args: Namespace) -> Project:
    """Return the project with its configuration, its store and its oracles.

    Raises:
        ConfigError, BadFileError: its configuration cannot be read.
    """
    files = files_of(args)
    configuration = files.read_configuration()
    masks = () if configuration is None else config.masks(configuration)
    scheduler = scheduler_of(
        vars(args).get("scheduler"), "" if configuration is None else configuration.scheduler, os.environ
    )
    door = door_of(files, overrides_of(args), masks, _typed(args))
    return Project(files, configuration, door, scheduler)


def reword_advice(error: ButoError, args: Namespace) -> None:
    """Put the advice of an error into the words of this call, with the files and options that were typed."""
    # Of a call whose own arguments are wrong, the advice stays as it is.
    with suppress(ButoError):
        reword(error, door_of(files_of(args), overrides_of(args), typed=_typed(args)))


def _typed(args: Namespace) -> tuple[str, ...]:
    return tuple(vars(args).get("arguments", ()))


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
