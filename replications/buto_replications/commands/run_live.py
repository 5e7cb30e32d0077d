"""``buto experiments run live``: the tables of stored live checks."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS, BadFileError
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show
from buto_replications.live.parts import PARTS
from buto_replications.live.session import DATA, journal_of
from buto_replications.live.summary import tables


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print the tables of each part that has entries."""
    data = DATA if request.data is None else request.data
    shown = [
        table for name in PARTS for table in tables(name, journal_of(data, name).entries(), request.seed)
    ]
    if not shown:
        raise BadFileError(
            f"{data} has no live checks", advice=f"buto experiments live {next(iter(PARTS))} --data {data}"
        )
    show(shown, console)
    return EXIT_PASS
