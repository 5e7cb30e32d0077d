"""The collector for a target."""

from __future__ import annotations

from buto.errors import UsageError
from buto.measure.collector import Collector
from buto.measure.target import PROCESS, Target
from buto.steps import Advice, Setting


def open_collector(target: Target) -> Collector:
    """Return the collector that ``target.collector`` names.

    Raises:
        UsageError: there is no collector of that name.
    """
    # Imported here, so that a launch loads only what its collector needs.
    if target.collector == "agent":
        from buto.measure.agent import AgentCollector

        return AgentCollector(target)
    if target.collector == "jmx":
        from buto.measure.jmx.collector import JmxCollector

        return JmxCollector(target)
    if target.collector == PROCESS:
        from buto.measure.process import ProcessCollector

        return ProcessCollector(target)
    raise UsageError(
        f"the collector must be agent or jmx, got {target.collector!r}",
        advice=Advice("choose: ", Setting("collector", "agent")),
    )
