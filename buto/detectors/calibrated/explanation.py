"""How the calibrated oracle, and a comparison that works like it, explain their verdicts."""

from __future__ import annotations

from buto.detectors.explanation import Explanation
from buto.units import format_count
from buto.verdicts import Verdict

_ROWS = "each run is one row of numbers: levels, growth, scatter and extremes of every property"

_PAIRED = (
    "The two programs ran in pairs, at the same time. Every way of exchanging the two runs within pairs gets "
    "a score: how far the runs that are then the second program's differ from their partners. If the "
    "programs do not differ, each way is as likely as any other to have the highest score. The p-value says "
    "how unusual the actual score is among all of them; at or below alpha the programs differ."
)


def explain(verdict: Verdict) -> Explanation:
    """Return what a run is reduced to, and what the p-value compares."""
    known = f"{verdict.n_training} {verdict.roles.known_runs}"
    return Explanation(
        f"{known} defined what is normal; {_ROWS}. {_envelope()}",
        _rule(f"{format_count(len(verdict.run_ids), 'run')} under test", verdict),
    )


def explain_comparison(verdict: Verdict, *, paired: bool = False) -> Explanation:
    """Return the same of two programs, neither of which is the better known one.

    Args:
        paired: whether the runs are compared in pairs.
    """
    around = f" around the {verdict.n_training} {verdict.roles.known_runs}"
    return Explanation(
        f"The runs of both programs show the usual scatter; {_ROWS}. {_envelope(around)}",
        _PAIRED if paired else _rule(f"{len(verdict.run_ids)} {verdict.roles.judged_runs}", verdict),
    )


def _envelope(around: str = "") -> str:
    return f"The shaded range{around} is their smallest to largest value at each time; it decides nothing."


def _rule(judged: str, verdict: Verdict) -> str:
    return (
        f"The {judged} and the {verdict.roles.known_runs} are put together, and every way of choosing as "
        "many runs gets a score: how far the chosen runs differ from the others. If nothing has changed, "
        "each choice is as likely as any other to have the highest score. The p-value says how unusual the "
        "score of the runs under test is among all of them; at or below alpha it is a regression. A "
        "difference smaller than the size that matters counts in no choice; if it is certain, it is noted."
    )
