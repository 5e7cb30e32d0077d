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
from buto_replications.report.content import Columns
from buto_replications.store import recorded
from buto_replications.store.evaluation import Tests, evaluate
from buto_replications.store.rpc import ADVICE, DELAYS, REPLICATES, compare, paths_of, rows_csv
from buto_replications.store.rpc import tables as rpc_tables
from buto_replications.store.simulated import (
    BOUNDARY,
    LOADS,
    Effect,
    Figure,
    Judged,
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


def _figures(numbers: Sequence[Figure]) -> Columns:
    return Columns(
        "The running example: B3 and B4 take 3 ms in place of 2",
        ("", "by hand", "ours"),
        tuple((one.what, one.by_hand, one.ours) for one in numbers),
    )


def _effects(sizes: Sequence[Effect]) -> Columns:
    return Columns(
        "B3 and B4 slowed down by a factor, at utilisations of .4 and .42",
        ("times", "variation of calls", "delta", "size"),
        tuple((f"{one.factor:g}", f"{one.variation:g}", f"{one.delta:.2f}", one.size.value) for one in sizes),
    )


def _versions(changed: Sequence[Judged]) -> Columns:
    return Columns(
        "Versions of a simulated store",
        ("load", "changed", "slower by", "true delta", "predicted", "status", "outcome"),
        tuple(
            (
                one.load,
                one.location,
                f"{100 * one.intensity:.0f} %",
                f"{one.truth:.2f}",
                f"{one.predicted:.2f}",
                one.status.value,
                one.outcome.value,
            )
            for one in changed
        ),
        left=2,
    )


def _scores(changed: Sequence[Judged], near: Sequence[Judged], unchanged: Sequence[Judged]) -> Columns:
    first = LOADS[0].name
    rows = (
        ("original load", published("fixed load"), [one for one in changed if one.load == first]),
        ("three other loads", published("varied loads"), [one for one in changed if one.load != first]),
        (f"near the boundary: true delta {BOUNDARY[0]:g} to {BOUNDARY[1]:g}, all loads", "", near),
        ("no change, or one of 1 %", "", unchanged),
    )
    return Columns(
        "How often the prediction was right; the paper's systems were real ones",
        ("", "paper", "ours", "right by delta alone"),
        tuple(
            (what, paper, counts(judged), f"{sum(one.agrees for one in judged)} of {len(judged)}")
            for what, paper, judged in rows
        ),
        left=3,
    )


def _json(
    numbers: Sequence[Figure], sizes: Sequence[Effect], changed: Sequence[Judged], unchanged: Sequence[Judged]
) -> str:
    def judged(one: Judged) -> dict[str, object]:
        return {**asdict(one), "status": one.status.value, "outcome": one.outcome.value}

    document = {
        "format": "buto-architecture-experiments",
        "version": 1,
        "example": [asdict(one) for one in numbers],
        "effects": [{**asdict(one), "size": one.size.value} for one in sizes],
        "changed": [judged(one) for one in changed],
        "unchanged": [judged(one) for one in unchanged],
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
            found = evaluate(directory, index, tests)
            console.result(f"{title}\n")
            show(tables(found, index), console)
            if found.lacking:
                console.info(f"not measured: {', '.join(found.lacking)}")
            write(request.out, {f"store-{tests}.csv": numbers_csv(found)}, console)
    return EXIT_PASS


def rpc(request: ExperimentsRequest, console: Console) -> int:
    """Predict response times from times of remote calls, print tables, and write every delay to a file."""
    if request.data is None:
        raise UsageError("rpc needs data that buto's repository does not have", advice=ADVICE)
    tasks = list(paths_of(request.data))
    found = [one for of_one in in_parallel(compare, tasks, request.workers) for one in of_one]
    show(rpc_tables(found), console)
    planned = len(tasks) * len(DELAYS)
    if len(found) < planned:
        console.info(
            f"{planned - len(found)} of {planned} comparisons are left out: "
            f"fewer than {REPLICATES} requests on one side"
        )
    write(request.out, {"rpc.csv": rows_csv(found)}, console)
    return EXIT_PASS
