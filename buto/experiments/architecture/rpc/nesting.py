"""Which remote calls are within which others, from nothing but how long all of them took in each request."""

from __future__ import annotations

import numpy as np
from scipy.optimize import lsq_linear

from buto.experiments.architecture.rpc.reading import BoolArray, Scenario
from buto.runs import FloatArray
from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Station

FEWEST = 0.8
"""A call of whose time a smaller share is within another one is not taken to be made by it: both only vary
with the machine. Chosen on the scenarios that end with 0."""

REQUEST = "request"


def learn_model(scenario: Scenario, chosen: BoolArray) -> Architecture:
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
            found = lsq_linear(columns[:, [0, *inner + 1]], columns[:, caller + 1], (0.0, upper)).x[1:]
            if (found >= FEWEST).all():
                shares[caller, inner] = found
                break
            inner = inner[found >= FEWEST]
    return shares
