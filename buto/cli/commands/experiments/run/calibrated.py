"""``buto experiments run calibrated``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path

from buto.cli.commands.experiments.request import ExperimentsRequest
from buto.cli.commands.experiments.run.thesis import WorkProgress, data_and_hosts
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_PASS, JudgeError
from buto.experiments.calibrated.cost import cost
from buto.experiments.calibrated.evaluation import evaluate
from buto.experiments.calibrated.goals import Line, lines
from buto.experiments.calibrated.rules import FEWEST_TRAINING, FROZEN
from buto.experiments.dataset import archive
from buto.report.experiments import text
from buto.report.experiments.content import Columns
from buto.runs import RunSet

NAME = "calibrated"
MOST_TRAIN_S, MOST_CHECK_S = 0.5, 0.05
_REACHED = {True: "yes", False: "no", None: ""}


@dataclass(frozen=True, slots=True)
class _Host:
    host: str
    runs: int
    lines: tuple[Line, ...]


def run(request: ExperimentsRequest, console: Console) -> int:
    """Judge the runs recorded since the method was frozen; print the figures and write them to files."""
    data, hosts = data_and_hosts(request, default="all")
    results = [_measured(data, host, request, console) for host in hosts]
    for one in results:
        for line in text.lines(_table(one)):
            console.result(line)
        console.result("")
    files = {"calibrated.csv": _csv(results), "calibrated.json": _json(results)}
    for name, content in files.items():
        write_file(request.out / name, content.encode(), "--out")
        console.info(f"wrote {request.out / name}")
    return EXIT_PASS


def _measured(data: Path, host: str, request: ExperimentsRequest, console: Console) -> _Host:
    runs = archive.load(data, host, since=FROZEN)
    progress = WorkProgress(console, host)
    try:
        judgements = evaluate(runs, seed=request.seed, workers=request.workers, watch=progress)
    finally:
        progress.clear()
    usable = {name: ours.valid() for name, ours in runs.items()}
    found = (*lines(judgements), *_cost_lines(usable))
    return _Host(host, sum(map(len, usable.values())), found)


def _cost_lines(runs: dict[str, RunSet]) -> list[Line]:
    most = max(runs.values(), key=len)
    if len(most) <= FEWEST_TRAINING:
        raise JudgeError(
            f"{len(most)} runs are too few to measure the cost of judging; it needs {FEWEST_TRAINING + 1}"
        )
    found = cost(most.runs)
    size = f"{found.n_training} runs, {found.n_properties} properties, {found.n_samples} samples"
    return [
        Line(f"seconds to {what}", value, float("nan"), f"under {goal:g}", value < goal, size)
        for what, value, goal in (
            ("train", found.train_s, MOST_TRAIN_S),
            ("check one run", found.check_s, MOST_CHECK_S),
        )
    ]


def _table(result: _Host) -> Columns:
    return Columns(
        f"{result.host}: {result.runs} runs recorded since {FROZEN:%Y-%m-%d %H:%M} UTC, when the "
        "method was frozen",
        ("", "measured", "± s.e.", "asked", "reached", "of"),
        tuple(
            (one.what, _number(one.value), _number(one.error), one.goal, _REACHED[one.reached], one.counts)
            for one in result.lines
        ),
    )


def _number(value: float) -> str:
    return "" if isnan(value) else f"{value:.4f}"


def _csv(results: Sequence[_Host]) -> str:
    return _written(
        ["host", "what", "value", "error", "goal", "reached", "counts"],
        (
            [result.host, *(_empty(value) for value in asdict(one).values())]
            for result in results
            for one in result.lines
        ),
    )


def _written(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return content.getvalue()


def _json(results: Sequence[_Host]) -> str:
    hosts = {
        one.host: [{key: _null(value) for key, value in asdict(line).items()} for line in one.lines]
        for one in results
    }
    return json.dumps({"format": "buto-calibrated", "version": 1, "hosts": hosts}, indent=1) + "\n"


def _empty(value: object) -> object:
    return "" if value is None or (isinstance(value, float) and isnan(value)) else value


def _null(value: object) -> object:
    return None if isinstance(value, float) and isnan(value) else value
