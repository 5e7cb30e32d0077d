"""Runs that a scripted cluster records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from buto.actions.collecting import Collected, LaunchPlan, collect
from buto.actions.events import Event
from buto.engine.launching import LaunchRequest
from buto.engine.placement import ANYWHERE, Placement
from buto.measure.target import Target
from buto.run.model import Run
from buto.run.store import RunStore
from buto_cluster.engine import ClusterEngine
from cluster.tests.support.scripted import ScriptedCluster
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
    plans = [
        LaunchPlan(test, Target((test,), timeout_s=5.0), runs, where=where) for test, runs in counts.items()
    ]
    on_event = (lambda event: None) if events is None else events.append
    return collect(plans, RunStore(store), on_event, seed=1, purpose="train", engine_for=engine_for, **more)


def good(name: str, launch: LaunchRequest) -> Run:
    return GOOD
