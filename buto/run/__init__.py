"""Runs of programs, sets of runs, and the store that keeps them."""

from buto.run.model import (
    BAD_ENDS,
    ClassCount,
    ClassHistogram,
    FloatArray,
    Mark,
    MetadataValue,
    Notification,
    Outcome,
    Problem,
    ProblemKind,
    Quality,
    Run,
    RunSet,
    SourceState,
    run_set,
)
from buto.run.names import encode_test, new_id
from buto.run.store import RunStore, RunSummary

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
