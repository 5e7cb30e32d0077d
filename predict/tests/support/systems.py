"""Small systems that several tests predict."""

import numpy as np

from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Station
from buto_predict.prediction.model import PredictionSettings
from buto_predict.prediction.predict import predict
from buto_predict.results.model import ComponentResult

ARRIVALS = 0.42 / 0.018
QUICK = PredictionSettings(n_replicates=200)


def running_example(*, b3_s=0.002, b4_s=0.002, cv=1.0, rate=ARRIVALS):
    """The example of the paper's figures 1 and 3: two subsystems, B1 = 4 + 2 B3 + B4 ms, B2 = 6 + B4 ms."""
    return Architecture(
        "running example",
        (Station("A"), Station("B")),
        (
            Component("A1", "A", 0.4 / ARRIVALS, cv=cv),
            Component("B1", "B", 0.004, (Call("B3", 2), Call("B4", 1)), cv=cv),
            Component("B2", "B", 0.006, (Call("B4", 1),), cv=cv),
            Component("B3", "B", b3_s, cv=cv),
            Component("B4", "B", b4_s, cv=cv),
        ),
        (Endpoint("GET /b", (Call("A1", 1), Call("B1", 1), Call("B2", 1)), rate),),
    )


def single_station(rho, *, servers=1, discipline=Discipline.PROCESSOR_SHARING, cv=1.0, demand_s=0.01):
    """One endpoint that uses one station."""
    return Architecture(
        "single",
        (Station("s", servers, discipline),),
        (Component("c", "s", demand_s, cv=cv),),
        (Endpoint("e", (Call("c", 1),), rho * servers / demand_s),),
    )


def result(name, mean_s, *, n=10, noise=0.02, seed=0):
    """The forks of a benchmark, with normal noise."""
    rng = np.random.default_rng(seed)
    return ComponentResult(name, mean_s * (1 + noise * rng.standard_normal(n)), "fork")


def changed(architecture, times, *, names=("B3", "B4"), n=10, noise=0.01, seed=0, settings=QUICK):
    """A prediction in which the named components take this many times as long."""
    sides = [
        [
            result(name, scale * 0.002, n=n, noise=noise, seed=seed + 100 * side + number)
            for number, name in enumerate(names)
        ]
        for side, scale in enumerate((1.0, times))
    ]
    return predict(architecture, sides[0], sides[1], loads=(), settings=settings)


def two_endpoints(*, rates=(50.0, 50.0)):
    """Two requests that share nothing."""
    return Architecture(
        "two",
        (Station("s"), Station("t")),
        (Component("a", "s", 0.01), Component("b", "t", 0.01)),
        (Endpoint("first", (Call("a", 1),), rates[0]), Endpoint("second", (Call("b", 1),), rates[1])),
    )
