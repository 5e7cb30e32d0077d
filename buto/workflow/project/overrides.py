"""What a caller specifies of a test for one call; it overrides the configuration and the oracle."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from buto import config
from buto.config.labels import VARIABLE as LABELS
from buto.options import MEASURING, Measuring


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a call specifies; what is missing or None is left to the configuration.

    Attributes:
        command: how to start the program.
        alpha: share of checks of an unchanged program that may fail.
        options: how to launch and measure it.
    """

    command: tuple[str, ...] | None = None
    alpha: float | None = None
    options: Measuring = field(default_factory=Measuring)

    def variables(self) -> dict[str, str]:
        """Return what the call specifies in place of environment variables."""
        return {LABELS: self.options["environment"]} if "environment" in self.options else {}

    def to_data(self) -> dict[str, Any]:
        """Return the overrides of launching and measuring, by the keys of a configuration."""
        data: dict[str, Any] = {}
        if self.command is not None:
            data["command"] = [config.portable(word, os.environ) for word in self.command]
        for name, value in self.options.items():
            option = MEASURING[name]
            if option.schema is not None:
                data[option.key] = value if option.to_key is None else option.to_key(value)
        return data


def measuring(specified: Mapping[str, Any]) -> Measuring:
    """Return what is specified of launching and measuring, without what is None or an empty list."""
    given = {name: specified.get(name) for name in MEASURING}
    return cast(Measuring, {name: value for name, value in given.items() if value not in (None, (), [])})


NO_OVERRIDES = Overrides()
