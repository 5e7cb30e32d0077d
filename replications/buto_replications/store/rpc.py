"""Response times predicted from times of remote calls, beside those that were measured.

The data are those of the ICPE 2024 data challenge: one CSV file for each scenario. Which remote calls are
within which others is found from nothing but how long all of them took in each request. Predictions are
written as tables and as CSV.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import lsq_linear
from scipy.stats import mannwhitneyu

from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto.run.model import FloatArray
from buto_predict.calls import MeasuredComponent, calls_of, inclusive, self_changes
from buto_predict.deviations import ALPHA, cliffs_delta
from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Measures, Station
from buto_predict.prediction.predict import predict
from buto_predict.results.model import ComponentResult
from buto_replications.report.content import TextTable, csv_text
from buto_replications.store.simulated import JudgedVersion, counts

SYSTEMS = ("eshopper", "trainticket")
ADVICE = (
    "git clone https://github.com/SpencerLabAQ/icpe-data-challenge-delag, and name its directory data with "
    "--data"
)

BoolArray = npt.NDArray[np.bool_]

_FIRST, _LAST = "Latency", "anomaly"
_MS = 1e3


@dataclass(frozen=True, eq=False)
class RequestScenario:
    """Requests of one kind, some of them with delays that were injected into remote calls.

    Attributes:
        times_s: of all calls of one name within one request, with what they call, shape (n_requests,
            n_calls).
        responses_s: response times, shape (n_requests,).
        delays: which delays a request had, 0 for none, shape (n_requests,).
    """

    system: str
    number: int
    calls: tuple[str, ...]
    times_s: FloatArray
    responses_s: FloatArray
    delays: FloatArray


def paths_of(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield each system with its files.

    Raises:
        BadFileError: a system has no files.
    """
    for system in SYSTEMS:
        paths = sorted((directory / system).glob("[0-9]*.csv"))
        if not paths:
            raise BadFileError(f"{directory / system} has no scenarios", advice=ADVICE)
        yield from ((system, path) for path in paths)


def read_scenario(system: str, path: Path) -> RequestScenario:
    """Read one file.

    Raises:
        BadFileError: it is not such a file.
    """
    try:
        with path.open() as lines:
            head = lines.readline().strip().split(",")
            if (head[0], head[-1]) != (_FIRST, _LAST):
                raise ValueError(f"its columns must be from {_FIRST} to {_LAST}, got {head[0]} to {head[-1]}")
            rows = [_row(line, number, len(head)) for number, line in enumerate(lines, start=2)]
        if not rows:
            raise ValueError("it must have rows below its columns, got none")
        values = np.array(rows)
        times_s = values[:, 1:-1] / _MS
        return RequestScenario(
            system, int(path.stem), tuple(head[1:-1]), times_s, values[:, 0] / _MS, values[:, -1]
        )
    except (OSError, ValueError) as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice=ADVICE) from error


def _row(line: str, number: int, n_columns: int) -> list[float]:
    """Return the numbers of a line.

    Raises:
        ValueError: it has more or fewer of them than there are columns, or something else.
    """
    cells = line.strip().split(",")
    if len(cells) != n_columns:
        raise ValueError(f"line {number} must have {n_columns} values, got {len(cells)}")
    return [_number(cell, number) for cell in cells]


def _number(cell: str, line: int) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"line {line} must have finite numbers, got {cell!r}")
    return number


FEWEST = 0.8
"""A call of whose time a smaller share is within another one is not taken to be made by it: both only vary
with the machine. Chosen on the scenarios that end with 0."""

REQUEST = "request"


def learn_model(scenario: RequestScenario, chosen: BoolArray) -> Architecture:
    """Return a model of the requests: remote calls that call each other, and wait for no processor.

    Args:
        chosen: the requests to learn from, shape (n_requests,).
    """
    whole_s = np.column_stack([scenario.responses_s, scenario.times_s])[chosen]
    mean_s, shares = whole_s.mean(axis=0), nested(whole_s)
    self_s = np.maximum(mean_s - shares @ mean_s, 0.0)
    names = (REQUEST, *scenario.calls)
    components = tuple(
        Component(
            name,
            scenario.system,
            float(self_s[row]),
            tuple(Call(names[column], float(shares[row, column])) for column in np.flatnonzero(shares[row])),
        )
        for row, name in enumerate(names)
    )
    varied = float(whole_s[:, 0].std(ddof=1) / mean_s[0])
    return Architecture(
        scenario.system,
        (Station(scenario.system, discipline=Discipline.DELAY),),
        components,
        (Endpoint(REQUEST, (Call(REQUEST, 1.0),), 1.0, varied),),
    )


def nested(whole_s: FloatArray) -> FloatArray:
    """Return the share of column j's time that is within column i, shape (n_columns, n_columns).

    Each column is explained by those with smaller means: least squares with shares from 0 to 1.

    Args:
        whole_s: times with all that is within them, shape (n_requests, n_columns).
    """
    n_columns = whole_s.shape[1]
    mean_s = whole_s.mean(axis=0)
    # Shares of the same size, from a triangle instead of all requests.
    columns = np.linalg.qr(np.column_stack([np.ones(len(whole_s)), whole_s])).R
    shares = np.zeros((n_columns, n_columns))
    for caller in range(n_columns):
        inner = np.flatnonzero(mean_s < mean_s[caller])
        while len(inner):
            upper = np.ones(len(inner) + 1)
            upper[0] = np.inf
            parts = lsq_linear(columns[:, [0, *inner + 1]], columns[:, caller + 1], (0.0, upper)).x[1:]
            if (parts >= FEWEST).all():
                shares[caller, inner] = parts
                break
            inner = inner[parts >= FEWEST]
    return shares


REPLICATES = 20
"""A replicate is the mean of so many parts of the requests, as a fork is of many calls."""

CHOOSING = 10
"""Every tenth scenario chose how calls are nested; it reports nothing."""

DELAYS = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class ComparedRequests:
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
    def judged(self) -> JudgedVersion:
        """The verdict beside the truth."""
        truth = self.delta if self.significant and self.delays else 0.0
        return JudgedVersion(
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


def compare(task: tuple[str, Path]) -> list[ComparedRequests]:
    """Return the delays of one scenario, and its requests without any.

    Raises:
        BadFileError: it cannot be read.
    """
    scenario = read_scenario(*task)
    return list(_compare(scenario))


def _compare(scenario: RequestScenario) -> Iterator[ComparedRequests]:
    for delays in DELAYS:
        good = scenario.delays == 0
        if delays:
            old, new = good, scenario.delays == delays
        else:
            second = np.cumsum(good) % 2 == 0
            old, new = good & ~second, good & second
        if min(old.sum(), new.sum()) >= REPLICATES:
            yield _one(scenario, delays, old, new)


def _one(scenario: RequestScenario, delays: int, old: BoolArray, new: BoolArray) -> ComparedRequests:
    model = learn_model(scenario, old)
    old_tests, new_tests = _results(scenario, (old, new))
    prediction = predict(model, old_tests, new_tests, loads=())
    [endpoint] = prediction.endpoints
    before, after = scenario.responses_s[old], scenario.responses_s[new]
    whole_s, new_whole_s = (scenario.times_s[chosen].mean(axis=0) for chosen in (old, new))
    return ComparedRequests(
        system=scenario.system,
        number=scenario.number,
        delays=delays,
        old_s=float(before.mean()),
        new_s=float(after.mean()),
        predicted_s=float(before.mean() * endpoint.new_s / endpoint.old_s),
        propagated_s=float(before.mean() + _propagate_s(model, whole_s, new_whole_s)),
        inclusive_s=float(before.mean() + (new_whole_s - whole_s).sum()),
        delta=cliffs_delta(before, after),
        predicted_delta=endpoint.delta,
        significant=bool(mannwhitneyu(after, before).pvalue <= ALPHA),
        status=endpoint.status,
    )


def _propagate_s(model: Architecture, whole_s: FloatArray, new_whole_s: FloatArray) -> float:
    """Return by how much a request takes longer if all remote calls change, its own work excepted.

    A call that no old request makes has no relative change, and is left out.

    Args:
        whole_s, new_whole_s: mean times of the remote calls, old and new, shape (n_calls,).
    """
    calls, self_s = calls_of(model), model.self_s
    made = np.flatnonzero(whole_s > 0)
    # The model's first component is the request itself.
    tested = [MeasuredComponent(int(place) + 1, Measures.INCLUSIVE) for place in made]
    own_s = self_changes(calls, self_s, tested, new_whole_s[made] / whole_s[made] - 1)
    return float(inclusive(calls, own_s)[0])


def _results(scenario: RequestScenario, sides: tuple[BoolArray, BoolArray]) -> list[list[ComponentResult]]:
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


_PREDICTIONS: dict[str, Callable[[ComparedRequests], float]] = {
    "of its change": lambda requests: requests.predicted_s,
    "all calls propagated": lambda requests: requests.propagated_s,
    "inclusive times added": lambda requests: requests.inclusive_s,
}


def tables(compared: Sequence[ComparedRequests]) -> Iterator[TextTable]:
    """Yield all tables, of the scenarios that chose nothing."""
    reported = [requests for requests in compared if requests.reports]
    yield _errors(reported)
    yield _verdicts(reported)


def rows_csv(compared: Sequence[ComparedRequests]) -> str:
    """Return the delays of every scenario, one in a row."""
    names = [field.name for field in fields(ComparedRequests)]
    rows = [(*(_cell(getattr(requests, name)) for name in names), requests.reports) for requests in compared]
    return csv_text((*names, "reports"), rows)


def _cell(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _errors(reported: Sequence[ComparedRequests]) -> TextTable:
    rows = []
    for system in SYSTEMS:
        ours = [requests for requests in reported if requests.system == system and requests.delays]
        if not ours:
            continue
        change = np.median([requests.new_s / requests.old_s - 1 for requests in ours])
        level = _middle([requests.predicted_s / requests.new_s - 1 for requests in ours])
        errors = [
            _middle([requests.error(predicted_s(requests)) for requests in ours])
            for predicted_s in _PREDICTIONS.values()
        ]
        cells = (f"{100 * value:.1f} %" for pair in (level, *errors) for value in pair)
        rows.append((system, str(len(ours)), f"{100 * change:+.0f} %", *cells))
    return TextTable(
        "Mean response times with injected delays, predicted from the times of remote calls",
        ("", "delays", "median change", *("median", "90 % within") * 4),
        tuple(rows),
        groups=(("", 3), ("error of the response time", 2), *((name, 2) for name in _PREDICTIONS)),
    )


def _middle(errors: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 90 % quantile of the errors without their signs."""
    middle, high = np.quantile(np.abs(errors), [0.5, 0.9])
    return float(middle), float(high)


def _verdicts(reported: Sequence[ComparedRequests]) -> TextTable:
    rows = []
    for system in SYSTEMS:
        for what, is_delayed in (("with delays", True), ("without, divided in two", False)):
            ours = [
                requests
                for requests in reported
                if requests.system == system and bool(requests.delays) is is_delayed
            ]
            rows.append((system, what, str(len(ours)), counts(requests.judged for requests in ours)))
    return TextTable(
        "Verdicts on the response times, beside Cliff's delta of the measured ones",
        ("", "requests", "verdicts", "outcomes"),
        tuple(rows),
        left=2,
    )
