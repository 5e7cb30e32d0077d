"""``buto experiments run mood``."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.run_drift import streams
from buto_replications.commands.sharing import done, show
from buto_replications.judging.mood import N_WINDOW, look_at_first_runs, tables


def run(request: ExperimentsRequest, console: Console) -> int:
    """Look first at runs of recorded streams, with and without runs that turns have left; print tables."""
    tasks = streams(request, N_WINDOW)
    show(tables(done(look_at_first_runs, tasks, "mood", request, console)), console)
    return EXIT_PASS
