"""``buto experiments run``."""

from __future__ import annotations

from pathlib import Path

from buto.cli.console import Console
from buto.errors import EXIT_PASS, JudgeError
from buto_replications import checkout
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import WorkProgress, show, write
from buto_replications.dataset import archive
from buto_replications.dataset.generate import HOSTS
from buto_replications.report.pictures import html
from buto_replications.thesis import files, tables
from buto_replications.thesis.page import page
from buto_replications.thesis.repetition import Results, repeat


def repeat_experiments(request: ExperimentsRequest, names: list[str], console: Console) -> int:
    """Repeat experiments of Appendix A on a data set, print the results and write the files."""
    data, hosts = data_and_hosts(request, default=HOSTS[0])
    results = [_repeat(host, data, names, request, console) for host in hosts]
    for result in results:
        _print(result, console)
    contents = {
        "scores.csv": files.scores_csv(results),
        "notifications.csv": files.notifications_csv(results),
        "claims.csv": files.claims_csv(results),
        "results.json": files.to_json(results),
        "page.html": html(page(results)),
    }
    write(request.out, contents, console)
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


def _repeat(
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
    shown += [table for runs in results.notified for table in tables.notifications(runs)[1:]]
    show(shown, console)
    for grid in results.grids:
        for sentence in tables.not_applicable(results, grid):
            console.result(f"{grid.name}: {sentence}\n")
    for claim, decision in results.claims:
        console.result(f"{decision.outcome.value:10}  {claim.section:7}  {claim.text}")
    console.result(f"\n{tables.summary(results)}")
