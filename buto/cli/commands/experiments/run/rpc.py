"""``buto experiments run rpc``."""

from __future__ import annotations

from buto.cli.commands.experiments.request import ExperimentsRequest
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_PASS, UsageError
from buto.experiments.architecture.rpc.comparison import DELAYS, REPLICATES, compare
from buto.experiments.architecture.rpc.reading import ADVICE, paths_of
from buto.experiments.architecture.rpc.tables import rows_csv, tables
from buto.experiments.workers import in_parallel
from buto.report.experiments import text


def run(request: ExperimentsRequest, console: Console) -> int:
    """Predict response times from times of remote calls, print tables, and write every delay to a file."""
    if request.data is None:
        raise UsageError("rpc needs data that buto's repository does not have", advice=ADVICE)
    tasks = list(paths_of(request.data))
    found = [one for of_one in in_parallel(compare, tasks, request.workers) for one in of_one]
    for table in tables(found):
        for line in text.lines(table):
            console.result(line)
        console.result("")
    planned = len(tasks) * len(DELAYS)
    if len(found) < planned:
        console.info(
            f"{planned - len(found)} of {planned} comparisons are left out: "
            f"fewer than {REPLICATES} requests on one side"
        )
    path = request.out / "rpc.csv"
    write_file(path, rows_csv(found).encode(), "--out")
    console.info(f"wrote {path}")
    return EXIT_PASS
