"""Snapshot tests for what a JVM program uses.

``import buto`` imports nothing heavy: each name is imported when it is first used. docs/running/api.md shows
what can be done with them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from buto.run.display import display_with
from buto.version import __version__ as __version__

if TYPE_CHECKING:  # the same names for type checkers; a name that is imported as itself is public
    from buto import frames as frames
    from buto.actions import events as events
    from buto.actions.ending import Interrupted as Interrupted
    from buto.actions.release import Released as Released
    from buto.api.actions import accept as accept
    from buto.api.actions import check as check
    from buto.api.actions import compare as compare
    from buto.api.actions import record as record
    from buto.api.actions import release as release
    from buto.api.actions import selftest as selftest
    from buto.api.actions import train as train
    from buto.api.actions import why as why
    from buto.api.plots import plot_history as plot_history
    from buto.api.plots import plot_result as plot_result
    from buto.api.plots import plot_runs as plot_runs
    from buto.api.values import history as history
    from buto.api.values import judge as judge
    from buto.api.values import label as label
    from buto.api.values import labels as labels
    from buto.api.values import learn as learn
    from buto.api.values import load_oracle as load_oracle
    from buto.api.values import open_store as open_store
    from buto.api.values import save_oracle as save_oracle
    from buto.causes.model import Explanation as Explanation
    from buto.causes.model import Tier as Tier
    from buto.errors import BadFileError as BadFileError
    from buto.errors import ButoError as ButoError
    from buto.errors import ConfigError as ConfigError
    from buto.errors import JudgeError as JudgeError
    from buto.errors import MeasureError as MeasureError
    from buto.errors import StorageError as StorageError
    from buto.errors import UsageError as UsageError
    from buto.judging.verdict import Difference as Difference
    from buto.judging.verdict import Finding as Finding
    from buto.judging.verdict import Statement as Statement
    from buto.judging.verdict import Status as Status
    from buto.judging.verdict import Verdict as Verdict
    from buto.oracle import Oracle as Oracle
    from buto.report.result import Result as Result
    from buto.run.model import Run as Run
    from buto.run.model import RunSet as RunSet
    from buto.run.store import RunStore as RunStore

_MODULES = {"events": "buto.actions.events", "frames": "buto.frames"}
_HOMES = {
    "buto.api.actions": ("accept", "check", "compare", "record", "release", "selftest", "train", "why"),
    "buto.api.plots": ("plot_history", "plot_result", "plot_runs"),
    "buto.api.values": (
        "history",
        "judge",
        "label",
        "labels",
        "learn",
        "load_oracle",
        "open_store",
        "save_oracle",
    ),
    "buto.causes.model": ("Explanation", "Tier"),
    "buto.errors": (
        "BadFileError",
        "ButoError",
        "ConfigError",
        "JudgeError",
        "MeasureError",
        "StorageError",
        "UsageError",
    ),
    "buto.oracle": ("Oracle",),
    "buto.report.result": ("Result",),
    "buto.run.model": ("Run", "RunSet"),
    "buto.run.store": ("RunStore",),
    "buto.judging.verdict": ("Difference", "Finding", "Statement", "Status", "Verdict"),
    "buto.actions.ending": ("Interrupted",),
    "buto.actions.release": ("Released",),
}
"""Public names by the module that has them."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(["__version__", *_MODULES, *_HOME_OF])

# It registers what it adds to a check, and is imported when that is asked for.
import_module("buto.causes")

# The package that draws reports is slow to import, and values do not depend on it.
display_with(lambda value: str(import_module("buto.report.notebook").render(value)))


if not TYPE_CHECKING:  # for type checkers, an unknown name would have any type

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            value = import_module(_MODULES[name])
        elif name in _HOME_OF:
            value = getattr(import_module(_HOME_OF[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
