"""``buto experiments run architecture``, ``store`` and ``rpc``: the experiments of the prediction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from buto.cli.console import Console
from buto.errors import EXIT_PASS, UsageError
from buto_replications import checkout
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show, write
from buto_replications.report.content import TextTable
from buto_replications.store import recorded
from buto_replications.store.evaluation import Tests, evaluate
from buto_replications.store.rpc import ADVICE, DELAYS, REPLICATES, compare, paths_of, rows_csv
from buto_replications.store.rpc import tables as rpc_tables
from buto_replications.store.simulated import (
    BOUNDARY,
    LOADS,
    ExampleFigure,
    FactorEffect,
    JudgedVersion,
    counts,
    effects,
    figures,
    judge_changed,
    judge_near_boundary,
    judge_unchanged,
    published,
)
from buto_replications.store.tables import numbers_csv, tables
from buto_replications.workers import in_parallel


def architecture(request: ExperimentsRequest, console: Console) -> int:
    """Print the paper's example and the versions of a simulated store, and write both to a file."""
    console.info("simulating, about half a minute")
    numbers, sizes = figures(), effects(seed=request.seed)
    changed, unchanged = list(judge_changed(request.seed)), list(judge_unchanged(request.seed))
    near = list(judge_near_boundary(request.seed))
    shown = (_figures(numbers), _effects(sizes), _versions([*changed, *near]))
    show((*shown, _scores(changed, near, unchanged)), console)
    write(request.out, {"architecture.json": _json(numbers, sizes, [*changed, *near], unchanged)}, console)
    return EXIT_PASS


def _figures(numbers: Sequence[ExampleFigure]) -> TextTable:
    return TextTable(
        "The running example: B3 and B4 take 3 ms in place of 2",
        ("", "by hand", "ours"),
        tuple((number.what, number.by_hand, number.ours) for number in numbers),
    )


def _effects(sizes: Sequence[FactorEffect]) -> TextTable:
    return TextTable(
        "B3 and B4 slowed down by a factor, at utilisations of .4 and .42",
        ("times", "variation of calls", "delta", "size"),
        tuple(
            (f"{size.factor:g}", f"{size.variation:g}", f"{size.delta:.2f}", size.size.value)
            for size in sizes
        ),
    )


def _versions(changed: Sequence[JudgedVersion]) -> TextTable:
    return TextTable(
        "Versions of a simulated store",
        ("load", "changed", "slower by", "true delta", "predicted", "status", "outcome"),
        tuple(
            (
                version.load,
                version.location,
                f"{100 * version.intensity:.0f} %",
                f"{version.truth:.2f}",
                f"{version.predicted:.2f}",
                version.status.value,
                version.outcome.value,
            )
            for version in changed
        ),
        left=2,
    )


def _scores(
    changed: Sequence[JudgedVersion], near: Sequence[JudgedVersion], unchanged: Sequence[JudgedVersion]
) -> TextTable:
    first = LOADS[0].name
    rows = (
        ("original load", published("fixed load"), [version for version in changed if version.load == first]),
        (
            "three other loads",
            published("varied loads"),
            [version for version in changed if version.load != first],
        ),
        (f"near the boundary: true delta {BOUNDARY[0]:g} to {BOUNDARY[1]:g}, all loads", "", near),
        ("no change, or one of 1 %", "", unchanged),
    )
    return TextTable(
        "How often the prediction was right; the paper's systems were real ones",
        ("", "paper", "ours", "right by delta alone"),
        tuple(
            (what, paper, counts(judged), f"{sum(version.agrees for version in judged)} of {len(judged)}")
            for what, paper, judged in rows
        ),
        left=3,
    )


def _json(
    numbers: Sequence[ExampleFigure],
    sizes: Sequence[FactorEffect],
    changed: Sequence[JudgedVersion],
    unchanged: Sequence[JudgedVersion],
) -> str:
    def judge(version: JudgedVersion) -> dict[str, object]:
        return {**asdict(version), "status": version.status.value, "outcome": version.outcome.value}

    document = {
        "format": "buto-architecture-experiments",
        "version": 1,
        "example": [asdict(number) for number in numbers],
        "effects": [{**asdict(size), "size": size.size.value} for size in sizes],
        "changed": [judge(version) for version in changed],
        "unchanged": [judge(version) for version in unchanged],
    }
    return json.dumps(document, indent=1) + "\n"


_TESTS: dict[Tests, str] = {"jmh": "Predicted from benchmarks", "junit": "Predicted from unit tests"}


def store(request: ExperimentsRequest, console: Console) -> int:
    """Predict the recorded versions of the store, print the tables for each kind of component tests, and
    write all numbers to a file for each.
    """
    data = checkout.recorded(request.data, recorded.RECORDED)
    with recorded.unpacked(data / recorded.NAME) as (directory, index):
        for tests, title in _TESTS.items():
            evaluation = evaluate(directory, index, tests)
            console.result(f"{title}\n")
            show(tables(evaluation, index), console)
            if evaluation.lacking:
                console.info(f"not measured: {', '.join(evaluation.lacking)}")
            write(request.out, {f"store-{tests}.csv": numbers_csv(evaluation)}, console)
    return EXIT_PASS


def rpc(request: ExperimentsRequest, console: Console) -> int:
    """Predict response times from times of remote calls, print tables, and write every delay to a file."""
    if request.data is None:
        raise UsageError("rpc needs data that buto's repository does not have", advice=ADVICE)
    tasks = list(paths_of(request.data))
    comparisons = [requests for of_one in in_parallel(compare, tasks, request.workers) for requests in of_one]
    show(rpc_tables(comparisons), console)
    planned = len(tasks) * len(DELAYS)
    if len(comparisons) < planned:
        console.info(
            f"{planned - len(comparisons)} of {planned} comparisons are left out: "
            f"fewer than {REPLICATES} requests on one side"
        )
    write(request.out, {"rpc.csv": rows_csv(comparisons)}, console)
    return EXIT_PASS
