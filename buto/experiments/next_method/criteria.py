"""The written criteria by which ``calibrated-next`` could become the default, each with what was measured.

The page ``docs/methods/next-method.md`` fixed them before any of these runs was recorded. A rate of false
alarms is kept if it is not above alpha by more than two standard errors. A lower rate is no failure: alpha is
the largest rate that is promised, and a confirmed check fails only if two conditions hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan

from buto.experiments.next_method import unchanged, variants, versions
from buto.experiments.next_method.checks import Way
from buto.experiments.next_method.rates import Rate
from buto.experiments.next_method.trials import Trial, share

ALPHAS = (0.01, 0.05)
ALPHA = ALPHAS[0]
MOST_ERRORS = 3
TEN_PERCENT = ("references-strong-rate-550", "leaker-string-builder-11-leaks")
PAGE = "consumerproducer-v0-leak-200"
IN_ROW = "in a row"
ERRORS = 2.0
"""So many standard errors a rate may lie above alpha."""


@dataclass(frozen=True, slots=True)
class Line:
    """One criterion.

    Attributes:
        what: in words.
        value, error: what was measured; NaN if there are no runs.
        asked: in words.
        met: None if it was not measured, or by too few runs for its error.
    """

    what: str
    value: float
    error: float
    asked: str
    met: bool | None


def criteria(trials: Sequence[Trial], method: str) -> Iterator[Line]:
    """Yield all written criteria for one method, also those that nothing was recorded for."""
    ours = [one for one in trials if one.method == method]
    yield from _errors(ours)
    for what, cases, asked in (
        ("10 % changes, three runs", TEN_PERCENT, 0.95),
        ("a page leaked in 200 jobs, three runs", (PAGE,), 0.9),
    ):
        yield _found(ours, what, cases, asked)
    within = (unchanged.RANDOM, unchanged.IN_ORDER)
    for part, name, orders in (
        (variants.UNCHANGED, "variants", within),
        (IN_ROW, "in a row on a quiet machine", (*within, unchanged.LATER)),
    ):
        for case in orders:
            chosen = [one for one in ours if one.part == part and one.case == case]
            for way in (Way.CONFIRMED, Way.THREE):
                for alpha in ALPHAS:
                    found = share(chosen, way, alpha)
                    yield _alarms(found, f"A/A, {name}, {case}, {way}, alpha {alpha:g}", alpha)
    # No recording has two days, and trials do not say how far their sessions are apart.
    yield Line("A/A, in a row, another day", nan, nan, f"at most alpha, by {ERRORS:g} errors", None)
    yield from _servers([one for one in ours if one.part == versions.SERVERS])


def _errors(ours: Sequence[Trial]) -> Iterator[Line]:
    experiments = [one for one in ours if one.part == variants.EXPERIMENT]
    if not experiments:
        yield Line("MCC over the 32 experiments, confirmed, alpha 0.01", nan, nan, "1.00", None)
        return
    found = variants.discrimination(experiments, ALPHA)
    errors = found.alarms + found.missed
    yield Line(
        "MCC over the 32 experiments, confirmed, alpha 0.01",
        found.mcc,
        found.error,
        "1.00",
        None if isnan(found.mcc) else round(found.mcc, 2) >= 1.0,
    )
    yield Line(
        f"errors in {found.n_unchanged + found.n_changed} checks of these, by {found.runs} runs",
        float(errors),
        nan,
        f"at most {MOST_ERRORS}",
        errors <= MOST_ERRORS,
    )


def _found(ours: Sequence[Trial], what: str, cases: Sequence[str], asked: float) -> Line:
    chosen = [one for one in ours if one.part == variants.SUBTLE_PART and one.case in cases]
    if not chosen:
        return Line(what, nan, nan, f"at least {asked:.0%}", None)
    found = [one.check.fails(Way.THREE, ALPHA) for one in chosen]
    value = sum(found) / len(found)
    return Line(what, value, variants.jackknife(chosen, found), f"at least {asked:.0%}", value >= asked)


def _alarms(found: Rate, what: str, alpha: float) -> Line:
    limit = alpha + ERRORS * found.error
    met = None if isnan(limit) else found.value <= limit
    return Line(what, found.value, found.error, f"at most {alpha:.0%}, by {ERRORS:g} errors", met)


def _servers(servers: Sequence[Trial]) -> Iterator[Line]:
    for case, asked in (("large", 0.95), ("small", 0.8)):
        found = share((one for one in servers if one.case == case), Way.CONFIRMED, ALPHA, by_name=True)
        yield Line(
            f"small servers, {case} regression, confirmed",
            found.value,
            found.error,
            f"at least {asked:.0%}",
            None if isnan(found.value) else found.value >= asked,
        )
    found = share((one for one in servers if one.case == "refactored"), Way.CONFIRMED, ALPHA, by_name=True)
    yield _alarms(found, "small servers, refactored, confirmed", ALPHA)
