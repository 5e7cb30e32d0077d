"""The oracle: trained from runs, kept in a file, judges later runs."""

from buto.judging.configuration import DEFAULT, settings_from, with_alpha
from buto.judging.settings import Settings
from buto.oracle.check import (
    AGENT_KEY,
    METADATA_SOURCE,
    Checked,
    at_alpha,
    check,
    compare,
    judge,
    why_confirm,
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
    "Checked",
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
    "why_confirm",
    "with_alpha",
]
