"""Snapshot tests for what a JVM program uses.

``import buto`` imports nothing heavy: each name comes from :mod:`buto.api` when it is first used.
docs/api.md shows what can be done with them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from buto.display import display_with
from buto.version import __version__

if TYPE_CHECKING:
    from buto import frames
    from buto.api import (
        BadFileError,
        ButoError,
        ConfigError,
        Finding,
        Interrupted,
        JudgeError,
        MeasureError,
        Oracle,
        Result,
        Run,
        RunSet,
        RunStore,
        Status,
        StorageError,
        UsageError,
        Verdict,
        accept,
        check,
        compare,
        history,
        judge,
        learn,
        load_data_set,
        load_oracle,
        open_store,
        plot_history,
        plot_result,
        plot_runs,
        record,
        save_oracle,
        selftest,
        train,
    )
    from buto.workflow import events

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
    "__version__",
    "accept",
    "check",
    "compare",
    "events",
    "frames",
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

_MODULES = {"events": "buto.workflow.events", "frames": "buto.frames"}
"""Names that are modules; all others are in :mod:`buto.api`."""

# The package that draws reports is slow to import, and values do not depend on it.
display_with(lambda value: str(import_module("buto.report.notebook").render(value)))


if not TYPE_CHECKING:  # for type checkers, an unknown name would have any type

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = _MODULES.get(name)
        value = getattr(import_module("buto.api"), name) if home is None else import_module(home)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
