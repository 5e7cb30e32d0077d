"""``buto experiments run architecture``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show, write
from buto_replications.report.content import Columns
from buto_replications.store.simulated import (
    FIXED_LOAD,
    LOADS,
    VARIED_LOADS,
    Effect,
    Figure,
    Judged,
    counts,
    effects,
    figures,
    judge_changed,
    judge_unchanged,
)


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print the paper's example and the versions of a simulated store, and write both to a file."""
    console.info("simulating, about half a minute")
    numbers, sizes = figures(), effects(seed=request.seed)
    changed, unchanged = list(judge_changed(request.seed)), list(judge_unchanged(request.seed))
    show((_figures(numbers), _effects(sizes), _versions(changed), _scores(changed, unchanged)), console)
    write(request.out, {"architecture.json": _json(numbers, sizes, changed, unchanged)}, console)
    return EXIT_PASS


def _figures(numbers: Sequence[Figure]) -> Columns:
    return Columns(
        "The running example: B3 and B4 take 3 ms in place of 2",
        ("", "paper", "ours"),
        tuple((one.what, one.paper, one.ours) for one in numbers),
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


def _scores(changed: Sequence[Judged], unchanged: Sequence[Judged]) -> Columns:
    first = LOADS[0].name
    rows = (
        ("original load", FIXED_LOAD, [one for one in changed if one.load == first]),
        ("three other loads", VARIED_LOADS, [one for one in changed if one.load != first]),
        ("no change, or one of 1 %", "", unchanged),
    )
    return Columns(
        "How often the prediction was right; the paper's systems were real ones",
        ("", "paper", "ours"),
        tuple((what, paper, counts(judged)) for what, paper, judged in rows),
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
