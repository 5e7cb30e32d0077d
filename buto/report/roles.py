"""What a report calls the runs that were judged, and those that they were compared with."""

from __future__ import annotations

from dataclasses import dataclass

from buto.detectors.comparison.detector import DETECTOR as COMPARISON
from buto.runs import RunSet
from buto.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of the two sides. Those of a comparison are its programs', which are text from outside.

    Attributes:
        judged, known: in a word, for the head of a column.
        judged_runs, known_runs: behind a number or an article.
    """

    judged: str
    judged_runs: str
    known: str
    known_runs: str


OF_CHECK = Roles("checked", "checked runs", "training", "training runs")


def roles_of(verdict: Verdict, judged: RunSet, known: RunSet) -> Roles:
    """Of a check training and what was checked; of a comparison, which trains nothing, the two programs."""
    if verdict.detector != COMPARISON:
        return OF_CHECK
    first, second = known.runs[0].test, judged.runs[0].test
    return Roles(second, f"runs of {second}", first, verdict.baseline)
