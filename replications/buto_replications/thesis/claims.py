"""A claim of the thesis, and the evidence that decides it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import isnan, nan

import numpy as np
import numpy.typing as npt

from buto_replications.scores import MCC, Score, difference, standard_error
from buto_replications.thesis import published
from buto_replications.thesis.evaluation import Evaluation
from buto_replications.thesis.grids import configuration, grid_of
from buto_replications.thesis.notifications import NotifiedRuns
from buto_replications.thesis.published import Scope
from buto_replications.thesis.score_tables import by_run


class ClaimOutcome(Enum):
    REPLICATES = "replicates"
    DIFFERS = "does not"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class ClaimDecision:
    """The decision on a claim.

    Attributes:
        apart: the difference that decided; NaN if there is more than one.
    """

    outcome: ClaimOutcome
    thesis: str
    ours: str
    apart: float = nan
    error: float = nan


@dataclass(frozen=True, eq=False)
class HostEvidence:
    """All measurements of one host; ``notified`` by the number of the figure."""

    evaluation: Evaluation
    notified: Mapping[str, NotifiedRuns]

    def of(self, table: str) -> MeasuredTable:
        if table not in self._of_table:
            self._of_table[table] = MeasuredTable(self, table)
        return self._of_table[table]

    @cached_property
    def _of_table(self) -> dict[str, MeasuredTable]:
        return {}


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """One table of the thesis: the printed and the measured numbers.

    An undefined MCC (all runs were accepted, or none) is 0 with error 0 here, as in Table 5.34. Numbers are
    NaN if nothing was printed or measured, or if neither of two MCCs is defined.
    """

    evidence: HostEvidence
    table: str

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of the thesis's configurations."""
        return tuple(grid_configuration.label for grid_configuration in grid_of(self.table).configurations)

    @cached_property
    def _counts(self) -> dict[str, tuple[npt.NDArray[np.int64], list[str]] | None]:
        return {}

    def counts(self, label: str) -> tuple[npt.NDArray[np.int64], list[str]] | None:
        """Return a configuration's counts by run, and each run's variant; None if nothing was measured."""
        if label not in self._counts:
            method = configuration(self.table, label).method
            scope = published.SCOPES.get(self.table, Scope())
            self._counts[label] = by_run(self.evidence.evaluation, method, scope)
        return self._counts[label]

    def printed(self, label: str, score: Score = MCC) -> float:
        """Return a score of the thesis, computed from its counts."""
        rows = {row.configuration: row for row in published.rows(self.table)}
        return float(score.value(rows[label].counts)) if label in rows else nan

    def value(self, label: str, score: Score = MCC) -> tuple[float, float]:
        """Return a score and its standard error."""
        counts = self.counts(label)
        if counts is None:
            return nan, nan
        value = float(score.value(counts[0].sum(axis=0)))
        if isnan(value):
            return (0.0, 0.0) if score is MCC else (nan, nan)
        return value, standard_error(score, *counts)

    def values(self) -> dict[str, float]:
        """Return the MCC of every measured configuration."""
        values = {label: self.value(label)[0] for label in self.labels}
        return {label: value for label, value in values.items() if not isnan(value)}

    def apart(self, claim: str, other: str, score: Score = MCC) -> tuple[float, float]:
        """Return the difference of two configurations' scores and its standard error."""
        first, second = self.counts(claim), self.counts(other)
        if first is None or second is None:
            return nan, nan
        apart, error = difference(score, first[0], second[0], first[1])
        if isnan(apart) and score is MCC:
            (value, of_value), (rival, of_rival) = self.value(claim), self.value(other)
            error = max(of_value, of_rival)
            return (value - rival, error) if error > 0 else (nan, nan)
        return apart, error


Decide = Callable[[MeasuredTable], ClaimDecision]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the thesis.

    Attributes:
        table: of the thesis, with the numbers of the claim.
        decided: the criterion by which the table decides it.
        why: a known reason for a difference, or a slip in the thesis; empty if there is none.
    """

    table: str
    text: str
    decided: Decide
    why: str = ""

    @property
    def section(self) -> str:
        return published.SECTIONS[self.table]

    def decide(self, evidence: HostEvidence) -> ClaimDecision:
        return self.decided(evidence.of(self.table))
