"""Runs that a scripted cluster records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from buto.cluster.launching.engine import ClusterEngine
from buto.collect.target import Target
from buto.engine.placement import ANYWHERE, Placement
from buto.engine.protocol import Launch
from buto.runs import Run
from buto.runs.store import RunStore
from buto.workflow.events import Event
from buto.workflow.launching.collected import Collected
from buto.workflow.launching.collecting import Plan, collect
from tests.support.cluster.scripted import ScriptedCluster
from tests.support.runs.scripted import GOOD


def collected(
    cluster: ScriptedCluster,
    store: Path,
    counts: Mapping[str, int],
    where: Placement = ANYWHERE,
    events: list[Event] | None = None,
    **more: Any,
) -> dict[str, Collected]:
    engine_for = partial(ClusterEngine, cluster=cluster, look_s=0.01, patience_s=0.05)
    plans = [Plan(test, Target((test,), timeout_s=5.0), runs, where=where) for test, runs in counts.items()]
    on_event = (lambda event: None) if events is None else events.append
    return collect(plans, RunStore(store), on_event, seed=1, purpose="train", engine_for=engine_for, **more)


def good(name: str, launch: Launch) -> Run:
    return GOOD
