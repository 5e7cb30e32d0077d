"""Component tests that were recorded as traces: the self time of every component that they call."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from buto.architecture.model import Measures
from buto.architecture.results.model import ComponentResult
from buto.architecture.traces.reading import read_traces
from buto.architecture.traces.summary import summarize


def read_traced(path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each component, with one replicate: the file is one run of the tests.

    Raises:
        BadFileError: it has no traces.
        JudgeError: no trace in it is complete.
    """
    summary = summarize(read_traces([path]))
    return tuple(
        ComponentResult(
            component,
            np.array([moments.mean]),
            "run",
            Measures.SELF,
            tuple(summary.calls_of(component)),
        )
        for component, moments in summary.self_s.items()
        if moments.mean > 0
    )
