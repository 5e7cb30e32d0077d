"""One table for each method: what each gate costs, and what it finds, with each number of confirming runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan

from buto.experiments.gates.checks import MOST_CONFIRMING, NO_GATE
from buto.experiments.gates.trials import CHANGED, IN_ORDER, Trial
from buto.experiments.next_method.variants import UNCHANGED
from buto.experiments.power.rates import Rate, rate
from buto.report.experiments.content import Columns

ALPHA = 0.01
GATES = (0.1, 0.2, 0.3, 0.5, NO_GATE)
CASES = (*CHANGED, UNCHANGED, IN_ORDER)
HEADS = (
    "gate",
    "confirming runs",
    "launches of a good build",
    "small regressions found, %",
    "large ones",
    "libraries' regressions",
    "false alarms at random, %",
    "in the order of time",
)


def gate_table(trials: Sequence[Trial], method: str) -> Columns:
    """Return one row for each gate and number of confirming runs."""
    ours = [one for one in trials if one.method == method]
    rows = [
        (
            _gate(gate),
            str(more),
            _launches(ours, gate, more),
            *(_cell(ours, case, gate, more) for case in CASES),
        )
        for gate in GATES
        for more in range(1, MOST_CONFIRMING + 1)
    ]
    return Columns(
        f"{method}: gate and confirming runs, alpha {ALPHA:g}",
        HEADS,
        tuple(rows),
        notes=(
            "errors of changes and of false alarms at random are clustered by program",
            "in the order of time neighbouring checks share runs, so the errors are too small",
        ),
    )


def found(trials: Iterable[Trial], case: str, gate: float, n_confirming: int) -> Rate:
    """Return the share of checks of a case that fail, of those with as many confirming runs."""
    return rate(
        (_cluster(one), one.check.fails(gate, n_confirming, ALPHA))
        for one in trials
        if one.case == case and not isnan(one.check.p_values[n_confirming - 1])
    )


def launches(trials: Iterable[Trial], gate: float, n_confirming: int) -> float:
    """Return the mean number of launches of a check of an unchanged program; NaN without such checks."""
    followed = rate((one.first, one.check.follows(gate)) for one in trials if one.case == UNCHANGED)
    return 1 + n_confirming * followed.value


def _cluster(one: Trial) -> str:
    """Return which checks are one observation: those of one program, or in the order of time of one run."""
    return f"{one.name}/{one.first}" if one.case == IN_ORDER else one.name


def _gate(gate: float) -> str:
    return "none" if gate == NO_GATE else f"{gate:g}"


def _launches(trials: Sequence[Trial], gate: float, n_confirming: int) -> str:
    value = launches(trials, gate, n_confirming)
    return "" if isnan(value) else f"{value:.2f}"


def _cell(trials: Sequence[Trial], case: str, gate: float, n_confirming: int) -> str:
    one = found(trials, case, gate, n_confirming)
    return "" if isnan(one.value) else f"{100 * one.value:.1f} ± {100 * one.error:.1f}"
