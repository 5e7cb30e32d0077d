"""The model of the store, learned from traces of the old version under the fixed load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from buto.errors import BadFileError
from buto_predict.model import Architecture
from buto_predict.traces.files import read_traces
from buto_predict.traces.learning import Known, learn
from buto_predict.traces.summary import summarize
from buto_replications.store.measured import Measured

CORES = "cores"
"""The station that all processes share."""


def learn_model(traces: Sequence[Path], runs: Sequence[Measured], measured_s: float) -> Architecture:
    """Return the model.

    Args:
        traces: of the old version under the fixed load.
        runs: measured at the same time.
        measured_s: how long requests were measured in each run.

    Raises:
        BadFileError: there are no traces or no runs.
    """
    if not traces or not runs:
        raise BadFileError(
            "a model needs traces and runs of the old version under the fixed load",
            advice="python -m beds.store generate DIRECTORY",
        )
    processes = sorted(runs[0].busy)
    requests = np.mean([sum(map(len, run.responses_s.values())) for run in runs])
    known = Known(
        {CORES: runs[0].cores},
        {process: float(np.mean([run.busy[process] for run in runs])) for process in processes},
        float(requests) / measured_s,
        {CORES: tuple(processes)},
    )
    return learn(summarize(read_traces(traces)), "store", known)
