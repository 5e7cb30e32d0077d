"""Where programs are launched: on this machine, or on the hosts of a scheduler."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLE = "BUTO_SCHEDULER"
"""The environment variable with the address of a scheduler; it overrides the configuration."""

HERE = "none"
"""In place of an address: no scheduler, whatever the configuration or the variable has."""


def scheduler_of(given: str | None, configured: str, environment: Mapping[str, str]) -> str:
    """Return the address of the scheduler; empty for launches on this machine.

    Args:
        given: what was specified for this call; None for nothing.
        configured: what the configuration has; empty for nothing.
    """
    address = given or environment.get(VARIABLE) or configured
    return "" if address == HERE else address
