"""Configuration: ``buto.yaml``, checked against one schema, with messages that point at the line."""

from buto.config.model import DEFAULT_RUNS, InvalidValue, TestConfig, build_test, most_runs, parse_interval
from buto.config.reader import FILE_NAME, Config, find, load, masks
from buto.config.validation import complaints, meant
from buto.config.variables import escape, expand, portable

__all__ = [
    "DEFAULT_RUNS",
    "FILE_NAME",
    "Config",
    "InvalidValue",
    "TestConfig",
    "build_test",
    "complaints",
    "escape",
    "expand",
    "find",
    "load",
    "masks",
    "meant",
    "most_runs",
    "parse_interval",
    "portable",
]
