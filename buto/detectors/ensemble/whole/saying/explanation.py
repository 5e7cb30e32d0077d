"""How a verdict on a whole test came about: environments side by side, and what depends on the machine."""

from __future__ import annotations

import numpy as np

from buto.detectors.calibrated.findings import MEASURES
from buto.detectors.ensemble.data import Learned
from buto.detectors.ensemble.whole.groups import Dependence
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.explanation import Explanation, Section
from buto.units import format_quantity
from buto.verdicts import Finding, Verdict

MOST_COLUMNS = 6
"""Environments that stand side by side; of more the first are shown."""

LETTERS = "ABCDEF"


def explain(verdict: Verdict, whole: WholeTests, rules: Learned) -> Explanation:
    """Return what was learned of the prior tests, how a test is judged, and what was flagged where."""
    n, different = len(whole.values), len(whole.groups.environments)
    of = "" if whole.groups.pooled or different == 1 else f" of {different} environments"
    n_rules = sum(len(test.rules) for test in rules.ensemble.tests)
    alpha = f"{verdict.alpha:g}" if verdict.alpha is not None else "alpha"
    return Explanation(
        f"{n} prior tests{of} showed which numbers of a run do not depend on the machine, and gave {n_rules} "
        "rules between counters.",
        "The score of the whole test is compared with those that prior tests had when they were held out: "
        "each alone if prior tests are of this environment, else with its whole environment. The p-value is "
        "the share of tests of an unchanged program with a score that is at least as high; it must be above "
        f"{alpha}.",
        (_environments(whole), *_flagged(verdict, whole), *_dependences(whole)),
    )


def _environments(whole: WholeTests) -> Section:
    """Return the components of the environments side by side."""
    shown = whole.groups.environments[:MOST_COLUMNS]
    keys = sorted({key for one in shown for key in one})
    counts = whole.groups.counts.tolist()
    rows = [("prior tests", *(str(count) for count in counts[: len(shown)]))]
    rows += [(key, *(str(one.get(key, "")) for one in shown)) for key in keys]
    hidden = len(whole.groups.environments) - len(shown)
    text = f"{hidden} more are not shown." if hidden else ""
    return Section(
        "Environments of the prior tests", text, ("component", *LETTERS[: len(shown)]), tuple(rows)
    )


def _flagged(verdict: Verdict, whole: WholeTests) -> tuple[Section, ...]:
    if not verdict.findings:
        return ()
    n = min(len(whole.groups.environments), MOST_COLUMNS)
    rows = tuple(
        (found.subject, found.measure, _observed(found), *_ranges(whole, found, n), found.text)
        for found in verdict.findings
    )
    columns = ("counter", "of it", "checked", *LETTERS[:n], "why, and the violated rules")
    text = "Beside the checked value is the range of the prior tests of each environment."
    return (Section("Flagged counters", text, columns, rows),)


def _observed(found: Finding) -> str:
    return "" if found.observed is None else format_quantity(found.observed, found.unit)


def _ranges(whole: WholeTests, found: Finding, n: int) -> list[str]:
    """Return the range of a finding's number in the prior tests of each environment."""
    for place in whole.kept:
        feature = whole.numbers.catalogue[place]
        prop = whole.numbers.quantities[feature.column]
        if prop.name == found.subject and (found.measure in ("", MEASURES[feature.name])):
            column = whole.values[:, place]
            own = [column[whole.groups.place == one] for one in range(n)]
            return [_range(float(one.min()), float(one.max()), prop.unit) for one in own]
    return [""] * n


def _range(low: float, high: float, unit: str) -> str:
    lower, upper = format_quantity(low, unit), format_quantity(high, unit)
    return lower if lower == upper else f"{lower} to {upper}"


def _dependences(whole: WholeTests) -> tuple[Section, ...]:
    found = whole.dependences
    if found is None:
        return ()
    names: dict[Dependence, list[str]] = {one: [] for one in Dependence}
    for column in np.unique(whole.quantity):
        own = np.flatnonzero(whole.quantity == column)
        best = min((found.of(int(one)) for one in own), key=list(Dependence).index)
        names[best].append(whole.numbers.quantities[column].name)
    words = {
        Dependence.SAME: "the same everywhere",
        Dependence.SCALED: "the same after division by the machine's factor",
        Dependence.OWN: "different: judged only where prior tests are of the same environment",
    }
    rows = tuple((words[one], str(len(some)), ", ".join(some)) for one, some in names.items() if some)
    factors = ", ".join(
        f"{letter} {float(np.exp(one)):.2f}"
        for letter, one in zip(LETTERS, found.factors.tolist(), strict=False)
        if found.scaled.any()
    )
    text = f"Factors of the machines: {factors}." if factors else "No machine factor explains the times."
    return (Section("What depends on the machine", text, ("it is", "quantities", "which"), rows),)
