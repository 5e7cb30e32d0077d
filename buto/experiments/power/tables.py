"""Tables and curves of trials: false alarms, changes found, and what a gate costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

from buto.detectors.alarms import N_CHECKED
from buto.experiments.power.changes import Change
from buto.experiments.power.rates import Rate, rate
from buto.experiments.power.trials import (
    IN_ORDER,
    LATER_SESSION,
    OTHER_VARIANTS,
    ROUNDING,
    UNCHANGED,
    Trial,
)
from buto.report.experiments.content import Columns
from buto.report.experiments.power_chart import PowerCurve, PowerPanel

ALWAYS = 1.0
GATES = (0.1, 0.2, 0.3, 0.4, 0.5, ALWAYS)
"""Largest p-values of a first run that two more follow."""

Decision = Callable[[Trial], bool]


def confirmed(gate: float, alpha: float) -> Decision:
    """Return whether a check fails with this gate."""
    return lambda one: one.fails_confirmed(gate, alpha)


def share(trials: Sequence[Trial], method: str, case: str, decision: Decision) -> Rate:
    """Return the share of a method's trials of a case with a decision."""
    return rate((one.run, decision(one)) for one in trials if one.method == method and one.case == case)


def comparison(trials: Sequence[Trial], gates: dict[str, float], alpha: float, caption: str) -> Columns:
    """Return one row for each case: the share of trials in which each method fails.

    Args:
        gates: by method, the gate with which it is used; with its smallest possible p-value, only a run that
            surpasses all training runs passes.
    """
    cases = list(dict.fromkeys(one.case for one in trials))
    first = [UNCHANGED, IN_ORDER, LATER_SESSION]
    order = [case for case in first if case in cases]
    order += [case for case in cases if case not in (*first, OTHER_VARIANTS)]
    order += [case for case in (OTHER_VARIANTS,) if case in cases]
    ways = ("one run", "with its gate", "three runs")

    def cells(case: str) -> tuple[str, ...]:
        decisions = [
            (method, decision)
            for method, gate in gates.items()
            for decision in (_alone(alpha), confirmed(gate, alpha), confirmed(ALWAYS, alpha))
        ]
        return tuple(_percent(share(trials, method, case, decision)) for method, decision in decisions)

    return Columns(
        caption,
        ("share that fails, %", *(way for _ in gates for way in ways)),
        tuple((case, *cells(case)) for case in order),
        (("", 1), *((method, len(ways)) for method in gates)),
    )


def gate_table(trials: Sequence[Trial], method: str, alpha: float) -> Columns:
    """Return one row for each gate: launches for an unchanged program, false alarms, and changes found."""
    ours = [one for one in trials if one.method == method]
    changed = {one.case for one in ours} - {UNCHANGED, IN_ORDER, LATER_SESSION, OTHER_VARIANTS}
    rows = []
    for gate in GATES:
        fails = confirmed(gate, alpha)
        followed = share(ours, method, UNCHANGED, _passes(gate))
        found = rate((one.run, fails(one)) for one in ours if one.case in changed)
        alarms = share(ours, method, UNCHANGED, fails)
        in_order = share(ours, method, IN_ORDER, fails)
        launches = 1 + (N_CHECKED - 1) * followed.value
        rows.append((f"{gate:g}", f"{launches:.2f}", *map(_percent, (found, alarms, in_order))))
    heads = ("gate", "launches of a good build", "changes found, %", "alarms, %", "alarms in order, %")
    return Columns(f"{method}: what a gate costs", heads, tuple(rows))


def panels(
    trials: Sequence[Trial], changes: Sequence[Change], gates: dict[str, float], alpha: float
) -> list[PowerPanel]:
    """Return the power curves of each kind of change: by one run alone, with each method's gate, by three."""
    kinds = dict.fromkeys((one.quantities, one.unit) for one in changes)
    found = []
    for quantities, unit in kinds:
        ours = [one for one in changes if (one.quantities, one.unit) == (quantities, unit)]
        curves = [
            _curve(trials, ours, f"{method}, {way}", method, decision, number, line)
            for number, method in enumerate(gates)
            for way, line, decision in (
                ("one run alone", ":", _alone(alpha)),
                ("one run, confirmed", "--", confirmed(gates[method], alpha)),
                ("always three runs", "-", confirmed(ALWAYS, alpha)),
            )
        ]
        number = {None: "All properties change", 1: "One property changes"}.get(
            quantities, f"{quantities} properties change"
        )
        label = "deviations between runs" if unit == "deviations" else "share of the level"
        found.append(PowerPanel(number, label, tuple(curves)))
    return found


def _curve(
    trials: Sequence[Trial],
    changes: Sequence[Change],
    label: str,
    method: str,
    decision: Decision,
    number: int,
    line: str,
) -> PowerCurve:
    rates = [share(trials, method, str(one), decision) for one in changes]
    return PowerCurve(
        label,
        tuple(one.size for one in changes),
        tuple(one.value for one in rates),
        tuple(one.error for one in rates),
        number,
        line,
    )


def _alone(alpha: float) -> Decision:
    return lambda one: one.alone <= alpha


def _passes(gate: float) -> Decision:
    return lambda one: one.first <= gate + ROUNDING


def _percent(found: Rate) -> str:
    return "" if isnan(found.value) else f"{100 * found.value:.1f} ± {100 * found.error:.1f}"
