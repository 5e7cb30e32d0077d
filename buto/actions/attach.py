"""Measuring what already runs: attach to a JVM and keep the run, or read the sources of tests now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from msgspec import Struct, structs

from buto.actions.events import (
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchStarted,
    Reporter,
    RunStored,
    ignore,
)
from buto.actions.project import Overrides, Project
from buto.actions.record import measuring_alone
from buto.errors import UsageError
from buto.measure.jmx.attach import AttachSpec
from buto.measure.jmx.attach import attach as attached
from buto.measure.journal import Journal
from buto.measure.sources.sampling import DryReading, RunningProgram, read_once
from buto.measure.target import SourceSpec
from buto.project.model import TestConfig
from buto.run.model import PURPOSE, Run
from buto.steps import Action, Advice, Configuration

ATTACH = "attach"


def attach(project: Project, spec: AttachSpec, reporter: Reporter = ignore) -> Run:
    """Record until the JVM ends, the time is over or Ctrl-C is pressed; the run is kept, usable or not.

    If the configuration has a test of this name, its sources are read, too.

    Raises:
        MeasureError: the JVM cannot be reached or measured.
        StorageError: the store cannot be written.
        UsageError: a package that a source needs is not installed.
    """
    test = project.find_test(spec.test)
    if test is not None:
        spec = replace(spec, sources=test.target.sources, secrets=test.target.secrets)
    launcher = project.launcher(reporter)
    reporter(LaunchesPlanned({spec.test: 1}))
    try:
        with measuring_alone(launcher):
            reporter(LaunchStarted(spec.test, 1, 1))
            store = project.store
            with Journal(store, {PURPOSE: ATTACH}) as journal:
                run = attached(spec, lambda progress: reporter(LaunchProgressed(progress)), journal=journal)
                run = replace(run, metadata={**run.metadata, PURPOSE: ATTACH})
                store.add(run)
            reporter(RunStored(run))
            return run
    finally:
        reporter(LaunchesEnded())


class SourceReading(Struct, frozen=True):
    """What one source of one test gave."""

    test: str
    spec: SourceSpec
    reading: DryReading


def read_sources(
    project: Project, names: Sequence[str] = (), pid: int | None = None
) -> Iterator[SourceReading]:
    """Read every source of the tests once, one after the other.

    Args:
        names: of tests; none for all of the configuration.
        pid: of the JVM beside which they are read; None if no program runs.

    Raises:
        UsageError: no such test has sources, or a package that a source needs is not installed.
    """
    tests = [project.find_test(name) for name in project.names(names, Action.RECORD, Overrides())]
    specs = [(test, spec) for test in tests if test is not None for spec in test.target.sources]
    if not specs:
        raise UsageError(
            "no test here has sources",
            advice=Advice("add sources to a test in ", Configuration(), ": sources: {host: {}}"),
        )
    program = RunningProgram(pid)

    def read(test: TestConfig, spec: SourceSpec) -> SourceReading:
        reading = read_once(spec, program)
        # A driver may quote a URL with its password.
        reason = test.target.new_mask().text(reading.reason)
        return SourceReading(test.name, spec, structs.replace(reading, reason=reason))

    return (read(test, spec) for test, spec in specs)
