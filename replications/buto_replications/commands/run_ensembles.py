"""``buto experiments run ensembles``."""

from __future__ import annotations

import math
from collections.abc import Sequence

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto.judging.verdict import Status
from buto_replications import checkout
from buto_replications.bed import archive
from buto_replications.bed.labels import BedRun, RunBlock
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show, write
from buto_replications.ensembles.known import known
from buto_replications.ensembles.methods import INTERVAL_S, rules_left_out
from buto_replications.ensembles.paper import TABLE_IV, worked_example
from buto_replications.ensembles.scoring import results
from buto_replications.ensembles.sites import StatusShares, left_out, sites
from buto_replications.ensembles.tables import (
    ExperimentSummary,
    ablations,
    beside,
    f_measures,
    per_fault,
    scores_csv,
    summaries,
    whole_tests,
)
from buto_replications.report.content import TextTable, csv_text


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print the paper's example and table IV, and each environment left out once, of the variants and of the
    bed; write what was judged to two files."""
    bed = checkout.recorded(request.data, checkout.DATA) / archive.RECORDED.name
    runs = archive.load(bed, request.part.value)
    earlier: tuple[BedRun, ...] = ()
    if request.part is RunBlock.SET_APART and RunBlock.TUNING in archive.parts(bed):
        earlier = archive.load(bed, RunBlock.TUNING.value)
    some = sites(request.data)
    show((_work(), _table_iv()), console)
    shares = [*left_out(some), *rules_left_out(some), *known(some)]
    show([_find_left_out(summaries(shares))], console)
    scenarios = list(results(runs, earlier))
    show(
        (
            beside(scenarios),
            ablations(scenarios),
            f_measures(scenarios),
            per_fault(scenarios),
            whole_tests(scenarios),
        ),
        console,
    )
    if request.part is RunBlock.LONG:
        show((ablations(list(results(runs, step_s=INTERVAL_S)), INTERVAL_S),), console)
    write(request.out, {"ensembles.csv": _csv(shares), "ensembles-bed.csv": scores_csv(scenarios)}, console)
    return EXIT_PASS


def _work() -> TextTable:
    rows = tuple((worked.step, worked.printed or "–", worked.computed) for worked in worked_example())
    notes = (
        "–: not in the paper",
        "its text has T1 and T5 share three components, T2 and T5 two; its table III has two and three",
    )
    return TextTable("The paper's worked example", ("step", "printed", "computed"), rows, left=3, notes=notes)


def _table_iv() -> TextTable:
    heads = ("system", "test", *("P", "R", "F", "F from P and R") * 3)
    rows = []
    for row in TABLE_IV:
        cells: list[str] = []
        for place, computed in zip((0, 3, 6), row.f_measures(), strict=True):
            cells += [*(f"{cell:.2f}" for cell in row.cells[place : place + 3]), f"{computed:.2f}"]
        rows.append((row.system, row.test, *cells))
    groups = (("", 2), ("single model", 4), ("bagging", 4), ("stacking", 4))
    title = "The paper's table IV, precision, recall and F"
    notes = ("E1, stacking: P .85 and R .85 give F .85; the printed .92 cannot be",)
    return TextTable(title, heads, tuple(rows), groups, left=2, notes=notes)


def _find_left_out(experiments: Sequence[ExperimentSummary]) -> TextTable:
    heads = (
        "judged environment",
        "it is",
        "method",
        "prior tests",
        "unchanged",
        "error",
        "changed",
        "subtle",
        "unchanged, 3 runs",
        "changed, 3 runs",
        "inconclusive",
        "MCC",
    )
    rows = tuple(
        (
            summary.site,
            summary.seen,
            summary.method,
            str(summary.trained),
            _percent(summary.unchanged),
            _percent(summary.error),
            _percent(summary.changed),
            _percent(summary.subtle),
            _percent(summary.unchanged_checks),
            _percent(summary.changed_checks),
            _percent(summary.inconclusive),
            "" if math.isnan(summary.mcc) else f"{summary.mcc:.2f}",
        )
        for summary in experiments
    )
    return TextTable("The variants of the thesis: checks that failed", heads, rows, left=3)


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{share:.1%}"


def _csv(shares: Sequence[StatusShares]) -> str:
    heads = "environment seen training changed method prior_tests of runs failed inconclusive"
    rows = []
    for share in shares:
        for what, statuses in (("unchanged", share.unchanged), ("changed", share.changed)):
            counts = (statuses.count(status) for status in (Status.REGRESSION, Status.INCONCLUSIVE))
            row = (share.site, share.seen, share.training, share.negative, share.method, share.trained)
            rows.append((*row, what, len(statuses), *counts))
    return csv_text(heads.split(), rows)
