"""From parsed arguments to the project, the overrides of a test, and the two programs of a comparison."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from typing import TYPE_CHECKING

from buto.actions.project import Files, Overrides, Project, measuring
from buto.actions.wording import FrontEnd
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.hints import front_end_of
from buto.cli.parsing import STDOUT, declare
from buto.errors import ButoError, UsageError
from buto.judging.story import Order
from buto.project import config
from buto.project.document import scheduler_of

if TYPE_CHECKING:
    from buto.actions.compare import ComparedProgram


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
    return Files.locate(given.get("config"), given.get("store"), given.get("oracle"))


def project_of(args: Namespace) -> Project:
    """Return the project with its configuration, its store and its oracles.

    Raises:
        ConfigError, BadFileError: its configuration cannot be read.
    """
    files = files_of(args)
    configuration = files.read_configuration()
    scheduler = scheduler_of(
        vars(args).get("scheduler"), "" if configuration is None else configuration.scheduler, os.environ
    )
    return Project(files, configuration, scheduler)


def front_end_for(args: Namespace, project: Project) -> FrontEnd:
    """Return what words the next steps of a call, with the files and options that were typed."""
    masks = () if project.configuration is None else config.masks(project.configuration)
    return front_end_of(project.files, overrides_of(args), masks, _names_typed(args), _pages(args))


def printer_for(
    args: Namespace, project: Project, console: Console, order: Order = Order.MEANING
) -> EventPrinter:
    """Return what prints the events of a call."""
    return EventPrinter(console, front_end_for(args, project), order)


def rephrase(error: ButoError, args: Namespace) -> None:
    """Put an error into the words of this call, with the files and options that were typed."""
    # Of a call whose own arguments are wrong, it stays as it is.
    with suppress(ButoError):
        try:
            front_end = front_end_for(args, project_of(args))
        except ButoError:
            front_end = front_end_of(files_of(args), overrides_of(args), typed=_names_typed(args))
        error.rephrase(front_end.words)


def _names_typed(args: Namespace) -> tuple[str, ...]:
    return tuple(vars(args).get("arguments", ()))


def _pages(args: Namespace) -> str:
    """Return where the page of a test will be, as far as it is known before the tests are."""
    page = vars(args).get("html")
    if page is None or page == STDOUT:
        return ""
    # Those of several tests have their names in that of the file.
    named = vars(args).get("names") or vars(args).get("what") or ()
    return str(page) if len(named) == 1 else f"the pages in {page.parent}"


AGAINST = "--against"


def add_two_programs(parser: ArgumentParser, metavar: str) -> None:
    """Add the options that name two programs; ``metavar`` stands for the second."""
    declare(
        parser,
        f"{AGAINST} {metavar}  the second program; may follow the first one's command",
        "--revisions OLD NEW  compare two git revisions of the test instead",
        "--build CMD  command that builds each revision before it is launched",
    )


def programs_of(args: Namespace) -> tuple[ComparedProgram, ComparedProgram]:
    """Return the two programs that were typed.

    Raises:
        UsageError: the words do not name two programs.
    """
    # Its imports are not needed by commands on one program.
    from buto.actions.compare import two_programs, two_revisions

    usage = f"buto {args.command_name} --help"
    if args.revisions is not None:
        if args.against is not None:
            raise UsageError(f"{AGAINST} and --revisions exclude each other", advice=usage)
        return two_revisions(args.test, tuple(args.revisions), args.command)
    if args.build is not None:
        raise UsageError("--build needs --revisions", advice=usage)
    if args.against is not None:
        return two_programs(args.test, args.against, (None, args.command))
    words: tuple[str, ...] = args.command or ()
    # cmdA --against B -- cmdB, where cmdA may have words of this name, too.
    for place, word in enumerate(words[:-1]):
        behind = words[place + 2 :]
        if word == AGAINST and behind[:1] in ((), ("--",)):
            second = not_empty(behind[1:] if behind else None, args.command_name)
            return two_programs(args.test, words[place + 1], (words[:place] or None, second))
    raise UsageError(
        "a comparison needs a second program",
        advice=f"buto {args.command_name} A [options] -- COMMAND {AGAINST} B -- COMMAND",
    )
