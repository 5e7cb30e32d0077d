"""``buto experiments run power``."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, fields

from buto.cli.commands.experiments.request import ExperimentsRequest
from buto.cli.commands.experiments.run.sharing import done
from buto.cli.commands.experiments.run.thesis import data_and_hosts
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.detectors.alarms import N_CHECKED
from buto.errors import EXIT_PASS, JudgeError
from buto.experiments.dataset import archive
from buto.experiments.power.material import CHECK, DESIGN, Material, materials
from buto.experiments.power.measured import ALPHA, CHANGES, CHECK_PLAN, DESIGN_PLAN, METHODS, gates
from buto.experiments.power.tables import comparison, gate_table, panels
from buto.experiments.power.trials import Plan, Trial, trials
from buto.report.experiments import text
from buto.report.experiments.power_chart import svg

FEWEST = CHECK_PLAN.n_training + N_CHECKED + 1
PLANS = {DESIGN: DESIGN_PLAN, CHECK: CHECK_PLAN}


def run(request: ExperimentsRequest, console: Console) -> int:
    """Add changes of known size to recorded runs; print what each method finds and write it to files."""
    data, hosts = data_and_hosts(request, default="all")
    everything = [one for host in hosts for one in materials(host, archive.load(data, host), FEWEST)]
    if not everything:
        raise JudgeError(
            f"no variant in {data} has {FEWEST} usable runs",
            advice="record more of them: buto experiments generate --help",
        )
    rows: list[tuple[str, Trial]] = []
    for part, plan in PLANS.items():
        tasks = [(one, plan, request.seed) for one in everything if one.part == part]
        found = done(_trials, tasks, part, request, console)
        rows += [(part, one) for one in found]
        _print(part, plan, found, console)
    shown = [one for part, one in rows if part == CHECK] or [one for _, one in rows]
    chart = svg(panels(shown, CHANGES, gates(CHECK_PLAN.n_training), ALPHA))
    for name, content in (("power.csv", _csv(rows).encode()), ("power.svg", chart)):
        write_file(request.out / name, content, "--out")
        console.info(f"wrote {request.out / name}")
    return EXIT_PASS


def _trials(task: tuple[Material, Plan, int]) -> list[Trial]:
    material, plan, seed = task
    return list(trials(material, METHODS, plan, seed))


def _print(part: str, plan: Plan, found: Sequence[Trial], console: Console) -> None:
    if not found:
        return
    caption = (
        f"the {part} part: {plan.n_training} training runs, alpha {ALPHA:g}; "
        f"the gate of {', '.join(f'{name} is {gate:.3g}' for name, gate in gates(plan.n_training).items())}"
    )
    for table in (
        comparison(found, gates(plan.n_training), ALPHA, caption),
        *(gate_table(found, method, ALPHA) for method in METHODS),
    ):
        for line in text.lines(table):
            console.result(line)
        console.result("")


def _csv(rows: Sequence[tuple[str, Trial]]) -> str:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(["part", *(field.name for field in fields(Trial))])
    writer.writerows((part, *astuple(one)) for part, one in rows)
    return content.getvalue()
