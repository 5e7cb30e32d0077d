"""``buto experiments run store``."""

from __future__ import annotations

from buto.cli.commands.experiments.request import ExperimentsRequest
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_PASS
from buto.experiments.architecture.recorded import archive
from buto.experiments.architecture.recorded.evaluation import Tests, evaluate
from buto.experiments.architecture.recorded.tables import numbers_csv, tables
from buto.report.experiments import text

_TESTS: dict[Tests, str] = {"jmh": "Predicted from benchmarks", "junit": "Predicted from unit tests"}


def run(request: ExperimentsRequest, console: Console) -> int:
    """Predict the recorded versions of the store, print the tables for each kind of component tests, and
    write all numbers to a file for each.
    """
    with archive.unpacked((request.data or archive.RECORDED) / archive.NAME) as (directory, index):
        for tests, title in _TESTS.items():
            found = evaluate(directory, index, tests)
            console.result(f"{title}\n")
            for table in tables(found, index):
                for line in text.lines(table):
                    console.result(line)
                console.result("")
            if found.lacking:
                console.info(f"not measured: {', '.join(found.lacking)}")
            path = request.out / f"store-{tests}.csv"
            write_file(path, numbers_csv(found).encode(), "--out")
            console.info(f"wrote {path}")
    return EXIT_PASS
