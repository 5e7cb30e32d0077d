"""``buto experiments run gates``."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from buto.cli.commands.experiments.request import ExperimentsRequest
from buto.cli.commands.experiments.run.sharing import done
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_PASS
from buto.experiments.gates.checks import MOST_CONFIRMING
from buto.experiments.gates.tables import gate_table
from buto.experiments.gates.trials import Size, Trial, carried_out, tasks
from buto.experiments.next_method.checks import METHODS
from buto.experiments.next_method.recordings import recordings
from buto.report.experiments import text


def run(request: ExperimentsRequest, console: Console) -> int:
    """Judge first runs with one to five confirming runs; print what each gate costs and finds."""
    work = tasks(recordings(request.data), request.seed, Size())
    trials = done(carried_out, work, "gates", request, console)
    for method in METHODS:
        for line in text.lines(gate_table(trials, method)):
            console.result(line)
        console.result("")
    path = request.out / "gates.csv"
    write_file(path, _csv(trials).encode(), "--out")
    console.info(f"wrote {path}")
    return EXIT_PASS


def _csv(trials: Sequence[Trial]) -> str:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    confirmed = [f"p_{number}_confirming" for number in range(1, MOST_CONFIRMING + 1)]
    writer.writerow(("method", "trained", "judged", "first", "rank", "far", *confirmed))
    for one in trials:
        check = one.check
        row = (one.method, one.name, one.case, one.first, check.rank, int(check.far), *check.p_values)
        writer.writerow(row)
    return content.getvalue()
