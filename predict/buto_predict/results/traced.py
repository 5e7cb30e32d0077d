"""Component tests that were recorded as traces: the self time of every component that they call."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np

from buto.errors import BadFileError, JudgeError
from buto.units import format_count
from buto_predict.model import Measures
from buto_predict.results.model import ComponentResult
from buto_predict.traces.reading import read_traces
from buto_predict.traces.summary import summarize

MOST_CUT = 0.05
"""Share of incomplete traces with which the others are still those of the whole test."""


def read_traced(path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each component, with one replicate: the file is one run of the tests.

    Raises:
        BadFileError: it has no spans.
        JudgeError: no trace in it is complete, or too many are not.
    """
    spans = read_traces([path])
    first = next(spans, None)
    if first is None:
        raise BadFileError(
            f"{path} must be JSON of JMH or traces, and has neither benchmarks nor spans",
            advice="java -jar benchmarks.jar -rf json -rff result.json",
        )
    summary = summarize(chain([first], spans))
    total = summary.cut + summary.requests
    if summary.cut > MOST_CUT * total:
        raise JudgeError(
            f"{path}: {summary.cut} of {format_count(total, 'trace')} are cut or cyclic, so the times of the "
            "others are not those of the tests",
            advice="record it again, and let the tests end before the traces are copied",
        )
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
