"""``buto experiments run``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.errors import EXIT_PASS, JudgeError
from buto.run.units import format_seconds
from buto_replications import checkout
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.dataset import archive
from buto_replications.dataset.generate import HOSTS
from buto_replications.report.content import lines
from buto_replications.report.pictures import html
from buto_replications.thesis import files, tables
from buto_replications.thesis.page import page
from buto_replications.thesis.repetition import Results, repeat

_PLAIN_LINE_EVERY_S = 30.0


class WorkProgress:
    """Shows how much of the work is done: one redrawn line, or a plain line from time to time."""

    def __init__(self, console: Console, host: str) -> None:
        self._console, self._host = console, host
        self._begun = time.monotonic()
        self._next_line = self._begun + _PLAIN_LINE_EVERY_S

    def __call__(self, done: int, parts: int) -> None:
        now = time.monotonic()
        # Parts differ in size, so the remaining time cannot be predicted.
        line = f"{self._host}: {done} of {parts} parts, {format_seconds(round(now - self._begun))} so far"
        if self._console.animated:
            self._console.rewrite(line)
        elif now >= self._next_line:
            self._next_line = now + _PLAIN_LINE_EVERY_S
            self._console.info(line)

    def clear(self) -> None:
        if self._console.animated:
            self._console.rewrite("")


def repeat_experiments(request: ExperimentsRequest, names: list[str], console: Console) -> int:
    """Repeat experiments of Appendix A on a data set, print the results and write the files."""
    data, hosts = data_and_hosts(request, default=HOSTS[0])
    results = [_repeated(host, data, names, request, console) for host in hosts]
    for one in results:
        _print(one, console)
    for path in _write(results, request.out):
        console.info(f"wrote {path}")
    return EXIT_PASS


def data_and_hosts(request: ExperimentsRequest, default: str) -> tuple[Path, tuple[str, ...]]:
    """Return the data set and the hosts that the user chose; ``default`` if no host was given.

    Raises:
        BadFileError: there is no data set.
        JudgeError: it has no runs of a host.
    """
    data = checkout.recorded(request.data, archive.RECORDED)
    there, host = archive.hosts(data), request.host or default
    hosts = there if host == "all" else (host,)
    if not set(hosts) <= set(there) or not hosts:
        raise JudgeError(
            f"{data} has no runs of the host {host}", advice=f"it has runs of: {', '.join(there)}"
        )
    return data, hosts


def _repeated(
    host: str, data: Path, names: list[str], request: ExperimentsRequest, console: Console
) -> Results:
    runs = archive.load(data, host)
    progress = WorkProgress(console, host)
    try:
        return repeat(host, runs, names, seed=request.seed, workers=request.workers, watch=progress)
    finally:
        progress.clear()


def _print(results: Results, console: Console) -> None:
    console.result(f"{results.host}: {tables.facts(results)}\n")
    shown = [tables.scores(table, short=True) for table in results.tables]
    if results.examples:
        shown.append(tables.examples(results))
    if results.failing:
        shown.append(tables.failing(results))
    shown += [table for one in results.notified for table in tables.notifications(one)[1:]]
    for table in shown:
        for line in lines(table):
            console.result(line)
        console.result("")
    for grid in results.grids:
        for sentence in tables.not_applicable(results, grid):
            console.result(f"{grid.name}: {sentence}\n")
    for claim, decision in results.claims:
        console.result(f"{decision.outcome.value:10}  {claim.section:7}  {claim.text}")
    console.result(f"\n{tables.summary(results)}")


def _write(results: Sequence[Results], directory: Path) -> list[Path]:
    contents = {
        "scores.csv": files.scores_csv(results),
        "notifications.csv": files.notifications_csv(results),
        "claims.csv": files.claims_csv(results),
        "results.json": files.to_json(results),
        "page.html": html(page(results)),
    }
    for name, content in contents.items():
        write_file(directory / name, content.encode(), "--out")
    return [directory / name for name in contents]
