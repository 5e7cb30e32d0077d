"""``buto experiments run judge``."""

from __future__ import annotations

from collections.abc import Sequence

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import done, show, write
from buto_replications.judging import tables
from buto_replications.judging.checks import CheckTrial
from buto_replications.judging.recordings import Recordings, carried_out, recordings, tasks
from buto_replications.judging.surroundings import PairedCounters, between_hosts, drawn_variations, of_servers
from buto_replications.judging.versions import EXPERIMENT, PAIRS, SERVERS, SUBTLE_PART, UNSEEN
from buto_replications.report.charts import variation_svg
from buto_replications.report.content import TextTable, csv_text


def run(request: ExperimentsRequest, console: Console) -> int:
    """Measure the judge; print tables, write checks and a picture."""
    recorded = recordings(request.data)
    trials = done(carried_out, tasks(recorded, request.seed), "judge", request, console)
    hosts = between_hosts(recorded)
    show(_tables(recorded, trials, hosts), console)
    contents: dict[str, str | bytes] = {"judge.csv": _csv(trials)}
    if hosts is not None:
        contents["counters.svg"] = variation_svg(drawn_variations(hosts.variations))
    write(request.out, contents, console)
    return EXIT_PASS


def _tables(
    recorded: Recordings, trials: Sequence[CheckTrial], hosts: PairedCounters | None
) -> list[TextTable]:
    parts = list(dict.fromkeys(trial.part for trial in trials))
    shown = []
    for tuned, words in ((False, ", set apart"), (True, ", that chose sizes")):
        unseen = tables.apart(trials, recorded.tuning, tuned=tuned)
        if unseen:
            shown += [
                tables.versions_table(unseen, UNSEEN, words),
                tables.missed_table(unseen, UNSEEN),
                tables.curve(unseen, UNSEEN, words.strip(", ")),
            ]
    for part in (PAIRS, SERVERS):
        if part in parts:
            shown += [tables.versions_table(trials, part), tables.missed_table(trials, part)]
    if EXPERIMENT in parts:
        shown += [tables.discriminating(trials), tables.subtle(trials)]
    shown += [
        tables.alarms(trials, part)
        for part in parts
        if part not in (EXPERIMENT, SUBTLE_PART, PAIRS, SERVERS, UNSEEN)
    ]
    return [*shown, *(tables.varying(host) for host in (hosts, *of_servers(recorded)) if host is not None)]


def _csv(trials: Sequence[CheckTrial]) -> str:
    heads = ("part", "trained", "judged", "runs", "times", "followed", "three", "noted", "turns", "launches")
    rows = [
        (
            *(trial.part, trial.name, trial.case, " ".join(trial.runs), trial.times),
            *(int(trial.check.followed), trial.check.three, int(trial.check.noted)),
            *(trial.check.turns, trial.check.launches),
        )
        for trial in trials
    ]
    return csv_text(heads, rows, missing="nan")
