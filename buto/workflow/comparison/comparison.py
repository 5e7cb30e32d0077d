"""Two programs judged by their runs: how many are needed, and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from buto import oracle
from buto.detectors.calibrated.explanation import explain_comparison
from buto.detectors.calibrated.settings import JudgeSettings
from buto.detectors.comparison.detector import DEFAULT_RUNS, compare, comparing, runs_needed, turns_needed
from buto.detectors.comparison.pairs import pairs_of
from buto.detectors.judge import with_alpha
from buto.oracle import Checked, Settings
from buto.runs import RunSet
from buto.verdicts import Roles


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two programs are compared.

    Attributes:
        settings: as :func:`comparing` gives them.
        paired: whether the two run at the same time, in pairs.
    """

    settings: JudgeSettings
    paired: bool = False

    @classmethod
    def by(cls, settings: Settings, alpha: float | None = None, *, paired: bool = False) -> Comparison:
        """Return the comparison of two programs of a test with these settings."""
        taken = comparing(settings)
        return cls(taken if alpha is None else with_alpha(taken, alpha), paired)

    @property
    def fewest(self) -> int:
        """The smallest number of runs of each program that can show a difference."""
        return runs_needed(self.settings, paired=self.paired)

    @property
    def usual(self) -> int:
        """The number of runs of each program that are launched unless another one is asked for."""
        return max(DEFAULT_RUNS, self.fewest)

    @property
    def turns(self) -> int:
        """The number of runs of each program, launched in turns, that settle a check."""
        return turns_needed(self.settings)

    def check(self, old: RunSet, new: RunSet, test: str, roles: Roles | None = None) -> Checked:
        """Judge the runs of the new program by those of the old one, valid or not.

        Args:
            test: what the report calls the comparison.
            roles: what the two are called; None for the names of their tests.

        Raises:
            JudgeError: they cannot be compared.
        """
        verdict = compare(old, new, self.settings)
        verdict = verdict if roles is None else replace(verdict, roles=roles)
        against = old.valid()
        # Of the old program, for the charts only. It does not judge, so its warnings are dropped.
        shown = replace(oracle.train(against, self.settings), test=test, warnings=())
        paired = pairs_of(against, new.valid()) is not None
        return Checked(shown, new, verdict, against, explain_comparison(verdict, paired=paired))
