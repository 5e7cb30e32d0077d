"""``buto experiments run store``."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications import checkout
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show, write
from buto_replications.store import recorded
from buto_replications.store.evaluation import Tests, evaluate
from buto_replications.store.tables import numbers_csv, tables

_TESTS: dict[Tests, str] = {"jmh": "Predicted from benchmarks", "junit": "Predicted from unit tests"}


def run(request: ExperimentsRequest, console: Console) -> int:
    """Predict the recorded versions of the store, print the tables for each kind of component tests, and
    write all numbers to a file for each.
    """
    data = checkout.recorded(request.data, recorded.RECORDED)
    with recorded.unpacked(data / recorded.NAME) as (directory, index):
        for tests, title in _TESTS.items():
            found = evaluate(directory, index, tests)
            console.result(f"{title}\n")
            show(tables(found, index), console)
            if found.lacking:
                console.info(f"not measured: {', '.join(found.lacking)}")
            write(request.out, {f"store-{tests}.csv": numbers_csv(found)}, console)
    return EXIT_PASS
