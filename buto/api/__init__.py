"""What ``import buto`` offers, for notebooks and other tools; see docs/api.md.

The package itself imports nothing heavy: :mod:`buto` takes each of these names from here when it is used.
"""

from buto.api.actions import accept, check, compare, record, selftest, train
from buto.api.plots import plot_history, plot_result, plot_runs
from buto.api.values import (
    history,
    judge,
    learn,
    load_data_set,
    load_oracle,
    open_store,
    save_oracle,
)
from buto.errors import (
    BadFileError,
    ButoError,
    ConfigError,
    JudgeError,
    MeasureError,
    StorageError,
    UsageError,
)
from buto.oracle import Oracle
from buto.report.result import Result
from buto.runs import Run, RunSet, RunStore
from buto.verdicts import Finding, Status, Verdict
from buto.workflow.launching.interruption import Interrupted

__all__ = [
    "BadFileError",
    "ButoError",
    "ConfigError",
    "Finding",
    "Interrupted",
    "JudgeError",
    "MeasureError",
    "Oracle",
    "Result",
    "Run",
    "RunSet",
    "RunStore",
    "Status",
    "StorageError",
    "UsageError",
    "Verdict",
    "accept",
    "check",
    "compare",
    "history",
    "judge",
    "learn",
    "load_data_set",
    "load_oracle",
    "open_store",
    "plot_history",
    "plot_result",
    "plot_runs",
    "record",
    "save_oracle",
    "selftest",
    "train",
]
