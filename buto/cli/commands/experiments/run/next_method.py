"""``buto experiments run next``."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from buto.cli.commands.experiments.request import ExperimentsRequest
from buto.cli.commands.experiments.run.sharing import done
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_PASS
from buto.experiments.next_method import tables
from buto.experiments.next_method.charts import alarm_panels, drawn_variations
from buto.experiments.next_method.checks import METHODS
from buto.experiments.next_method.criteria import IN_ROW, criteria
from buto.experiments.next_method.recordings import (
    Recordings,
    carried_out,
    recordings,
    tasks,
    versions_of,
)
from buto.experiments.next_method.surroundings import Surroundings, between_hosts, of_servers
from buto.experiments.next_method.trials import Trial
from buto.experiments.next_method.variants import UNCHANGED
from buto.experiments.next_method.versions import PAIRS, SERVERS, first_named
from buto.report.experiments import text
from buto.report.experiments.alarm_chart import svg as alarm_svg
from buto.report.experiments.content import Columns
from buto.report.experiments.variation_chart import svg as variation_svg


def run(request: ExperimentsRequest, console: Console) -> int:
    """Measure both presets by the written criteria; print tables, write checks and pictures."""
    found = recordings(request.data)
    trials = done(carried_out, tasks(found, request.seed), "next", request, console)
    hosts = between_hosts(found)
    for table in _tables(found, trials, hosts, request.seed):
        for line in text.lines(table):
            console.result(line)
        console.result("")
    contents = {"next.csv": _csv(trials).encode()}
    if panels := alarm_panels(trials):
        contents["alarms.svg"] = alarm_svg(panels)
    if hosts is not None:
        contents["counters.svg"] = variation_svg(drawn_variations(hosts.found))
    for name, content in contents.items():
        write_file(request.out / name, content, "--out")
        console.info(f"wrote {request.out / name}")
    return EXIT_PASS


def _tables(
    found: Recordings, trials: Sequence[Trial], hosts: Surroundings | None, seed: int
) -> list[Columns]:
    parts = {one.part for one in trials}
    shown = []
    if found.variants:
        shown += [tables.discriminating(trials), tables.subtle(trials)]
        shown += tables.alarms(trials, UNCHANGED, "Variants")
    if IN_ROW in parts:
        shown += tables.alarms(trials, IN_ROW, "In a row on a quiet machine")
    named = {
        (task.name, version): first_named(task, version, next(iter(METHODS)))
        for task in versions_of(found, seed)
        if task.part == PAIRS
        for version in task.others
    }
    shown += [tables.versions_table(trials, part, named) for part in (PAIRS, SERVERS) if part in parts]
    shown += [tables.varying(one) for one in (hosts, *of_servers(found)) if one is not None]
    return [*shown, *(tables.decision(list(criteria(trials, method)), method) for method in METHODS)]


def _csv(trials: Sequence[Trial]) -> str:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    heads = ("part", "method", "trained", "judged", "runs", "times", "alone", "followed", "three")
    writer.writerow(heads)
    for one in trials:
        check = one.check
        writer.writerow(
            (
                one.part,
                one.method,
                one.name,
                one.case,
                " ".join(one.runs),
                one.times,
                check.alone,
                int(check.followed),
                check.three,
            )
        )
    return content.getvalue()
