"""The actions of a command that has several, as ``list`` in ``buto runs list``."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter

from buto.cli.parsing.options import add_verbosity


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
