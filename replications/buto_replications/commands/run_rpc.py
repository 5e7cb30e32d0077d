"""``buto experiments run rpc``."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS, UsageError
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show, write
from buto_replications.store.rpc import ADVICE, DELAYS, REPLICATES, compare, paths_of, rows_csv, tables
from buto_replications.workers import in_parallel


def run(request: ExperimentsRequest, console: Console) -> int:
    """Predict response times from times of remote calls, print tables, and write every delay to a file."""
    if request.data is None:
        raise UsageError("rpc needs data that buto's repository does not have", advice=ADVICE)
    tasks = list(paths_of(request.data))
    found = [one for of_one in in_parallel(compare, tasks, request.workers) for one in of_one]
    show(tables(found), console)
    planned = len(tasks) * len(DELAYS)
    if len(found) < planned:
        console.info(
            f"{planned - len(found)} of {planned} comparisons are left out: "
            f"fewer than {REPLICATES} requests on one side"
        )
    write(request.out, {"rpc.csv": rows_csv(found)}, console)
    return EXIT_PASS
