"""The oracle: trained from runs, kept in a file, judges later runs."""

from buto.judging.configuration import DEFAULT, settings_from, with_alpha
from buto.judging.settings import Settings
from buto.oracle.check import (
    AGENT_KEY,
    METADATA_SOURCE,
    CheckedRuns,
    at_alpha,
    check,
    compare,
    judge,
)
from buto.oracle.file import load, save
from buto.oracle.model import Oracle
from buto.oracle.train import (
    FEWEST_RUNS,
    auto_runs,
    enough_runs,
    fewest_runs,
    learns_from_labels,
    promises_alarm_rate,
    selftest,
    train,
)

__all__ = [
    "AGENT_KEY",
    "DEFAULT",
    "FEWEST_RUNS",
    "METADATA_SOURCE",
    "CheckedRuns",
    "Oracle",
    "Settings",
    "at_alpha",
    "auto_runs",
    "check",
    "compare",
    "enough_runs",
    "fewest_runs",
    "judge",
    "learns_from_labels",
    "load",
    "promises_alarm_rate",
    "save",
    "selftest",
    "settings_from",
    "train",
    "with_alpha",
]
