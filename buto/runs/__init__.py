"""Runs: one execution each, finished and frozen; sets of them; their store."""

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

__all__ = [
    "FloatArray",
    "MetadataValue",
    "Notification",
    "Outcome",
    "Quality",
    "Run",
    "RunSet",
    "run_set",
]
