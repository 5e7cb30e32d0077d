"""Runs of programs, sets of runs, and the store that keeps them."""

from buto.runs.model import (
    FloatArray,
    MetadataValue,
    Notification,
    Outcome,
    Quality,
    Run,
    RunSet,
    run_set,
)
from buto.runs.names import encode_test, new_id
from buto.runs.observations import ClassCount, ClassHistogram, Mark, SourceState
from buto.runs.problems import BAD_ENDS, Problem, ProblemKind
from buto.runs.store import RunStore, RunSummary

__all__ = [
    "BAD_ENDS",
    "ClassCount",
    "ClassHistogram",
    "FloatArray",
    "Mark",
    "MetadataValue",
    "Notification",
    "Outcome",
    "Problem",
    "ProblemKind",
    "Quality",
    "Run",
    "RunSet",
    "RunStore",
    "RunSummary",
    "SourceState",
    "encode_test",
    "new_id",
    "run_set",
]
