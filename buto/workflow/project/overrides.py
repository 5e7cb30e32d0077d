"""What a caller specifies of a test for one call; it overrides the configuration and the oracle."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from buto import config
from buto.config.labels import VARIABLE as LABELS


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a call specifies; None (for ``mbeans``: empty) leaves it to the configuration.

    Attributes:
        command: how to start the program.
        interval, timeout: times as in a configuration, as ``100ms``.
        jvm: pattern for the main class of the JVM to measure.
        collector: ``agent`` or ``jmx``.
        live_set: when to count the live objects: ``off``, ``end``, ``marks`` or a time.
        mbeans: patterns of the program's own MBeans to record.
        expect_exit: exit code of a good run.
        environment: name and labels of the environment, as ``ci,database=17``; instead of the variable.
        alpha: share of checks of an unchanged program that may fail.
    """

    command: tuple[str, ...] | None = None
    interval: str | None = None
    timeout: str | None = None
    jvm: str | None = None
    collector: str | None = None
    live_set: str | None = None
    mbeans: tuple[str, ...] = ()
    expect_exit: int | None = None
    environment: str | None = None
    alpha: float | None = None

    def variables(self) -> dict[str, str]:
        """Return what the call specifies in place of environment variables."""
        return {} if self.environment is None else {LABELS: self.environment}

    def to_data(self) -> dict[str, Any]:
        """Return the overrides of launching and measuring, by the keys of a configuration."""
        words = None if self.command is None else [config.portable(word, os.environ) for word in self.command]
        specified = {
            "command": words,
            "interval": self.interval,
            "timeout": self.timeout,
            "jvm": self.jvm,
            "collector": self.collector,
            "live-set": self.live_set,
            "mbeans": [{"name": pattern} for pattern in self.mbeans] or None,
            "expect-exit": self.expect_exit,
        }
        return {key: value for key, value in specified.items() if value is not None}


NO_OVERRIDES = Overrides()
