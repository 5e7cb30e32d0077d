"""Response times predicted from times of remote calls, beside those that were measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import mannwhitneyu

from buto.experiments.architecture.outcomes import Judged
from buto.experiments.architecture.rpc.nesting import learn_model
from buto.experiments.architecture.rpc.reading import BoolArray, Scenario, read_scenario
from buto.runs import FloatArray
from buto.verdicts import Status
from buto_predict.calls import Measured, calls_of, inclusive, self_changes
from buto_predict.deviations import ALPHA, cliffs_delta
from buto_predict.model import Architecture, Measures
from buto_predict.prediction.predict import predict
from buto_predict.results.model import ComponentResult

REPLICATES = 20
"""A replicate is the mean of so many parts of the requests, as a fork is of many calls."""

CHOOSING = 10
"""Every tenth scenario chose how calls are nested; it reports nothing."""

DELAYS = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Compared:
    """The requests of a scenario with the same delays, against those without.

    Attributes:
        delays: which ones; 0: the requests without delays, divided in two.
        old_s, new_s: measured mean response times, without and with the delays.
        predicted_s: the mean response time with the delays, from the remote calls that differ significantly.
        propagated_s: the same from all remote calls that requests without delays make; changes of what a call
            calls are not its own.
        inclusive_s: the same if each remote call's change is added to the old time.
        delta, predicted_delta: Cliff's delta of response times.
        significant: whether the measured response times differ significantly.
    """

    system: str
    number: int
    delays: int
    old_s: float
    new_s: float
    predicted_s: float
    propagated_s: float
    inclusive_s: float
    delta: float
    predicted_delta: float
    significant: bool
    status: Status

    @property
    def reports(self) -> bool:
        """Whether the scenario had no part in choosing the method."""
        return self.number % CHOOSING != 0

    @property
    def judged(self) -> Judged:
        """The verdict beside the truth."""
        truth = self.delta if self.significant and self.delays else 0.0
        return Judged(
            version=f"{self.system} {self.number}",
            location=self.system,
            intensity=0.0,
            load=str(self.number),
            truth=truth,
            predicted=self.predicted_delta,
            status=self.status,
        )

    def error(self, predicted_s: float) -> float:
        """Return the error of a prediction as a share of the measured change."""
        return (predicted_s - self.new_s) / (self.new_s - self.old_s)


def compare(task: tuple[str, Path]) -> list[Compared]:
    """Return the delays of one scenario, and its requests without any.

    Raises:
        BadFileError: it cannot be read.
    """
    scenario = read_scenario(*task)
    return list(_compared(scenario))


def _compared(scenario: Scenario) -> Iterator[Compared]:
    for delays in DELAYS:
        good = scenario.delays == 0
        if delays:
            old, new = good, scenario.delays == delays
        else:
            second = np.cumsum(good) % 2 == 0
            old, new = good & ~second, good & second
        if min(old.sum(), new.sum()) >= REPLICATES:
            yield _one(scenario, delays, old, new)


def _one(scenario: Scenario, delays: int, old: BoolArray, new: BoolArray) -> Compared:
    model = learn_model(scenario, old)
    old_tests, new_tests = _results(scenario, (old, new))
    found = predict(model, old_tests, new_tests, loads=())
    [endpoint] = found.endpoints
    before, after = scenario.responses_s[old], scenario.responses_s[new]
    whole_s, new_whole_s = (scenario.times_s[chosen].mean(axis=0) for chosen in (old, new))
    return Compared(
        system=scenario.system,
        number=scenario.number,
        delays=delays,
        old_s=float(before.mean()),
        new_s=float(after.mean()),
        predicted_s=float(before.mean() * endpoint.new_s / endpoint.old_s),
        propagated_s=float(before.mean() + _propagated_s(model, whole_s, new_whole_s)),
        inclusive_s=float(before.mean() + (new_whole_s - whole_s).sum()),
        delta=cliffs_delta(before, after),
        predicted_delta=endpoint.delta,
        significant=bool(mannwhitneyu(after, before).pvalue <= ALPHA),
        status=endpoint.status,
    )


def _propagated_s(model: Architecture, whole_s: FloatArray, new_whole_s: FloatArray) -> float:
    """Return by how much a request takes longer if all remote calls change, its own work excepted.

    A call that no old request makes has no relative change, and is left out.

    Args:
        whole_s, new_whole_s: mean times of the remote calls, old and new, shape (n_calls,).
    """
    calls, self_s = calls_of(model), model.self_s
    made = np.flatnonzero(whole_s > 0)
    # The model's first component is the request itself.
    tested = [Measured(int(place) + 1, Measures.INCLUSIVE) for place in made]
    own_s = self_changes(calls, self_s, tested, new_whole_s[made] / whole_s[made] - 1)
    return float(inclusive(calls, own_s)[0])


def _results(scenario: Scenario, sides: tuple[BoolArray, BoolArray]) -> list[list[ComponentResult]]:
    """Return the times of remote calls of each side as if component tests had measured them; those that some
    part of either side does not make are not tested.
    """
    means_s = [
        np.array([part.mean(axis=0) for part in np.array_split(scenario.times_s[chosen], REPLICATES)])
        for chosen in sides
    ]
    made = np.flatnonzero(np.all([(side > 0).all(axis=0) for side in means_s], axis=0))
    return [
        [ComponentResult(scenario.calls[call], side[:, call], "part of the requests") for call in made]
        for side in means_s
    ]
