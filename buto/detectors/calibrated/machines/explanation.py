"""How a verdict on an unknown machine came about: environments side by side, and what depends on them."""

from __future__ import annotations

import numpy as np

from buto.detectors.calibrated.findings import MEASURES
from buto.detectors.calibrated.machines.groups import Dependence
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.explanation import Explanation, Section
from buto.units import format_quantity
from buto.verdicts import Finding, Verdict

MOST_COLUMNS = 6
"""Environments that stand side by side; of more the first are shown."""

LETTERS = "ABCDEF"


def explain(verdict: Verdict, whole: WholeTests) -> Explanation:
    """Return what was learned of the machines, how a run of another one is judged, and what was flagged."""
    different = len(whole.groups.environments)
    alpha = f"{verdict.alpha:g}" if verdict.alpha is not None else "alpha"
    return Explanation(
        f"{len(whole.values)} training runs of {different} environments showed which numbers of a run do not "
        "depend on the machine.",
        "Training does not know this machine. The score of the run is compared with those that training runs "
        "had when their whole environment was held out. The p-value is the share of runs of an unchanged "
        f"program with a score that is at least as high; at most {alpha} is a regression.",
        (_environments(whole), *_flagged(verdict, whole), *_dependences(whole)),
    )


def _environments(whole: WholeTests) -> Section:
    """Return the components of the environments side by side."""
    shown = whole.groups.environments[:MOST_COLUMNS]
    every = whole.groups.environments
    keys = sorted(
        key for key in {key for one in every for key in one} if len({one.get(key) for one in every}) > 1
    )
    counts = whole.groups.counts.tolist()
    rows = [("training runs", *(str(count) for count in counts[: len(shown)]))]
    rows += [(key, *(str(one.get(key, "")) for one in shown)) for key in keys]
    hidden = len(whole.groups.environments) - len(shown)
    text = f"{hidden} more are not shown." if hidden else ""
    return Section(
        "Environments of the training runs", text, ("component", *LETTERS[: len(shown)]), tuple(rows)
    )


def _flagged(verdict: Verdict, whole: WholeTests) -> tuple[Section, ...]:
    if not verdict.findings:
        return ()
    n = min(len(whole.groups.environments), MOST_COLUMNS)
    rows = tuple(
        (found.subject, found.measure, _observed(found), *_ranges(whole, found, n), found.text)
        for found in verdict.findings
    )
    columns = ("counter", "of it", "checked", *LETTERS[:n], "why")
    text = "Beside the checked value is the range of the training runs of each environment."
    return (Section("Flagged counters", text, columns, rows),)


def _observed(found: Finding) -> str:
    return "" if found.observed is None else format_quantity(found.observed, found.unit)


def _ranges(whole: WholeTests, found: Finding, n: int) -> list[str]:
    """Return the range of a finding's number in the training runs of each environment."""
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
        Dependence.OWN: "different: judged only where five training runs are of the same environment",
    }
    rows = tuple((words[one], str(len(some)), ", ".join(some)) for one, some in names.items() if some)
    factors = ", ".join(
        f"{letter} {float(np.exp(one)):.2f}"
        for letter, one in zip(LETTERS, found.factors.tolist(), strict=False)
        if found.scaled.any()
    )
    text = f"Factors of the machines: {factors}." if factors else "No machine factor explains the times."
    return (Section("What depends on the machine", text, ("it is", "quantities", "which"), rows),)
