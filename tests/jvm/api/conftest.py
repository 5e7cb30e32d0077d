"""A call of buto from Python leaves no process behind either."""

from __future__ import annotations

from tests.support.processes.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]
