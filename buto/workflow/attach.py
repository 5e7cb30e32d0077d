"""Attaching: record a JVM that is already running, and keep the run."""

from __future__ import annotations

from dataclasses import replace

from buto.collect.jmx.attach import AttachSpec
from buto.collect.jmx.attach import attach as attached
from buto.collect.record.journal import Journal
from buto.runs import Run
from buto.runs.model import PURPOSE
from buto.workflow.advice.door import worded
from buto.workflow.events import (
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchStarted,
    OnEvent,
    RunStored,
    ignore,
)
from buto.workflow.project import Project
from buto.workflow.record import measuring_alone

ATTACH = "attach"


@worded
def attach(project: Project, spec: AttachSpec, on_event: OnEvent = ignore) -> Run:
    """Record until the JVM ends, the time is over or Ctrl-C is pressed; the run is kept, usable or not.

    If the configuration has a test of this name, its sources are read, too.

    Raises:
        MeasureError: the JVM cannot be reached or measured.
        StorageError: the store cannot be written.
        UsageError: a package that a source needs is not installed.
    """
    test = project.configured(spec.test)
    if test is not None:
        spec = replace(spec, sources=test.target.sources, secrets=test.target.secrets)
    on_event(LaunchesPlanned({spec.test: 1}))
    try:
        with measuring_alone(project, on_event):
            on_event(LaunchStarted(spec.test, 1, 1))
            store = project.store
            with Journal(store, {PURPOSE: ATTACH}) as journal:
                run = attached(spec, lambda progress: on_event(LaunchProgressed(progress)), journal=journal)
                run = replace(run, metadata={**run.metadata, PURPOSE: ATTACH})
                store.add(run)
            on_event(RunStored(run))
            return run
    finally:
        on_event(LaunchesEnded())
