"""``buto experiments run drift``."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import done, show
from buto_replications.judging.drift import N_WINDOW, DriftTask, tables, turned
from buto_replications.judging.recordings import recordings


def streams(request: ExperimentsRequest, n_runs: int) -> list[DriftTask]:
    """Return the recorded streams of unchanged programs with so many runs in a row, or more."""
    return [
        DriftTask(part, f"{program}@{host}", runs.valid(), request.seed)
        for part, hosts in recordings(request.data).in_row.items()
        for host, programs in hosts.items()
        for program, runs in programs.items()
        if len(runs.valid()) >= n_runs
    ]


def run(request: ExperimentsRequest, console: Console) -> int:
    """Turn on recorded streams in the order of time, by designs; print tables."""
    tasks = streams(request, N_WINDOW)
    show(tables(done(turned, tasks, "drift", request, console)), console)
    return EXIT_PASS
