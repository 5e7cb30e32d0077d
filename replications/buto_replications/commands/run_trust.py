"""``buto experiments run trust``."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.run_drift import streams
from buto_replications.commands.sharing import done, show, write
from buto_replications.judging.drift import N_WINDOW
from buto_replications.judging.trust import as_csv, check_sizes, tables


def run(request: ExperimentsRequest, console: Console) -> int:
    """Check recorded streams with planted changes of many sizes; print tables, write the checks."""
    checks = done(check_sizes, streams(request, N_WINDOW), "trust", request, console)
    show(tables(checks), console)
    write(request.out, {"found.csv": as_csv(checks)}, console)
    return EXIT_PASS
