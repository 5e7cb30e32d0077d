"""The score of a whole test decides: a fitted detector whose verdicts have a p-value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from buto.detectors.ensemble.data import Learned
from buto.detectors.ensemble.settings import DETECTOR, environment_of
from buto.detectors.ensemble.whole import data as whole_data
from buto.detectors.ensemble.whole.deciding import decided
from buto.detectors.ensemble.whole.deviations import FEWEST_LIKE
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.ensemble.whole.ranking import Ranked
from buto.detectors.ensemble.whole.saying import notices
from buto.detectors.ensemble.whole.saying.explanation import explain
from buto.detectors.ensemble.whole.saying.findings import findings
from buto.detectors.ensemble.whole.saying.view import WholeView
from buto.detectors.explanation import Explanation
from buto.detectors.keys import ALPHA
from buto.detectors.protocol import FittedDetector
from buto.detectors.settings import Settings
from buto.detectors.views import View
from buto.errors import JudgeError
from buto.runs import FloatArray, Run, RunSet
from buto.verdicts import Status, Verdict

KNOWN = "rank alone: the new test is one more draw of what made the prior tests"

NOT_SEEN = (
    "estimate: the machine is one more draw of what made the environments of the prior tests, whose scores "
    "follow Student's t"
)


@dataclass(frozen=True, eq=False, slots=True)
class FittedWholeTests(FittedDetector):
    """Whole prior tests, which decide, and their rules, which explain.

    Attributes:
        left_out: quantities that are not judged, each with the reason.
    """

    settings: Settings
    whole: WholeTests
    rules: Learned
    left_out: Mapping[str, str]

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs of one environment together, at least one.

        A regression if the p-value is at most alpha, unless something of the environment may be the cause
        that no prior test shows. Inconclusive if prior tests cannot judge this environment, if the runs stand
        out among too few prior tests, or if a quantity could not be read.
        """
        if not len(runs):
            raise JudgeError("there is no run to judge")
        environments = [environment_of(run.metadata, self.settings) for run in runs]
        environment, values = environments[0], self._measured(runs.runs)
        if any(one != environment for one in environments):
            return Verdict(Status.INCONCLUSIVE, DETECTOR, reasons=(notices.MIXED,))
        alpha = self.alpha
        found = self.whole.ranked(environment, values, alpha)
        unread, lacking = notices.unread(self.whole, runs.runs, values, found)
        if found is None:
            why = (*notices.not_judged(self.whole, environment, alpha), *unread)
            return Verdict(Status.INCONCLUSIVE, DETECTOR, reasons=why, alpha=alpha)
        verdict = Verdict(
            Status.PASS,
            DETECTOR,
            findings(self.whole, self.rules, runs.runs, values, found, self.settings),
            warnings=(*lacking, *notices.likeness(self.whole, environment, found)),
            p_value=found.p_value,
            alpha=alpha,
            stands_out=found.stands_out,
            guarantee=NOT_SEEN if found.here is None else KNOWN,
        )
        status = decided(self.whole, environment, found, alpha)
        if status is Status.REGRESSION:
            return replace(verdict, status=status, warnings=(*unread, *verdict.warnings))
        if status is Status.INCONCLUSIVE and found.needed is not None:
            reasons: tuple[str, ...] = (notices.too_few(self.whole, found, alpha),)
            verdict = replace(verdict, runs_needed=self._runs_needed(found))
        else:
            reasons = notices.not_shown(self.whole, environment) if status is Status.INCONCLUSIVE else ()
        reasons = (*reasons, *unread)
        return replace(verdict, status=Status.INCONCLUSIVE, reasons=reasons) if reasons else verdict

    def why_confirm(self, verdict: Verdict) -> str | None:
        """Return why two more runs should decide with the first: their medians scatter less."""
        if verdict.p_value is None:
            return None
        if verdict.stands_out:
            return "the run is further from the prior tests than each of them is from the others"
        return f"p = {verdict.p_value:.3g} is not above alpha" if verdict.p_value <= self.alpha else None

    def ranked(self, runs: Sequence[Run]) -> Ranked | None:
        """Return runs of one environment among the prior tests; None if these cannot judge them."""
        environment = environment_of(runs[0].metadata, self.settings)
        return self.whole.ranked(environment, self._measured(runs), self.alpha)

    @property
    def alpha(self) -> float:
        return float(self.settings.values[ALPHA.name])

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        return notices.of_training(self.whole, self.alpha)

    def view(self, runs: Sequence[Run]) -> View:
        return WholeView(runs, self.rules.properties, self._reach)

    def explain(self, verdict: Verdict) -> Explanation:
        return explain(verdict, self.whole, self.rules)

    def to_data(self) -> dict[str, Any]:
        return whole_data.write(self.whole, self.rules, self.left_out)

    def _runs_needed(self, found: Ranked) -> int:
        """Return how many prior tests would show that a test differs."""
        assert found.needed is not None
        more = notices.more_needed(self.whole, found)
        return len(self.whole.values) + more * (FEWEST_LIKE if found.here is None else 1)

    def _measured(self, runs: Sequence[Run]) -> list[FloatArray]:
        return [self.whole.numbers.measure(run) for run in runs]

    def _reach(self, runs: Sequence[Run]) -> dict[str, float]:
        found = self.ranked(runs)
        if found is None:
            return {}
        names = [self.whole.numbers.quantities[place].name for place in found.quantity]
        return dict(zip(names, found.reach.tolist(), strict=True))
