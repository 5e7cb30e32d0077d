"""Launches of one test whose runs are no runs of it: they are kept aside, under a name of their own.

The test's own training and checks do not see them, and a judgement on them can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from buto.actions.events import (
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchStarted,
    RunStored,
)
from buto.actions.launcher import Launcher
from buto.actions.record import measuring_alone
from buto.measure.target import Target
from buto.measure.workload.model import Workload
from buto.project.model import TestConfig
from buto.run.model import PURPOSE, MetadataValue, Run
from buto.steps import Action


class Aside:
    """Launches one test, one launch after the other, while no other buto measures.

    Attributes:
        test: what is launched.
        number: how many launches there were.
    """

    def __init__(self, launcher: Launcher, test: TestConfig, action: Action) -> None:
        self.test = test
        self.number = 0
        self._action = action
        self._reporter = launcher.report
        self._store = launcher.workspace.runs

    @classmethod
    @contextmanager
    def open(cls, launcher: Launcher, test: TestConfig, action: Action) -> Iterator[Aside]:
        """Yield the launches of a test, whose runs are kept under ``NAME@ACTION``."""
        with measuring_alone(launcher):
            try:
                yield cls(launcher, test, action)
            finally:
                launcher.report(LaunchesEnded())

    def launch(
        self, target: Target, workload: Workload | None, metadata: Mapping[str, MetadataValue] | None = None
    ) -> Run:
        """Launch the test with another target and workload, and return its run, however it ended.

        Args:
            metadata: what the run is marked with, beside its purpose.

        Raises:
            MeasureError: there is nothing to record.
            StorageError: the run cannot be stored.
        """
        # Imported here, for what launches takes longer to import than the options of a command.
        from buto.engine.launching import Setup, hooks_of, record_one
        from buto.measure.opener import open_collector

        self.number += 1
        name = name_aside(self.test.name, self._action)
        command = target.new_mask().command(target.command)
        self._reporter(LaunchesPlanned({name: 1}, commands={name: command}))
        self._reporter(LaunchStarted(name, self.number, self.number))
        with ExitStack() as held:
            collector = held.enter_context(open_collector(target))
            new_hooks = held.enter_context(hooks_of(workload))
            run = record_one(
                collector,
                name,
                self._store,
                {PURPOSE: self._action.value, **(metadata or {})},
                lambda progress: self._reporter(LaunchProgressed(progress)),
                None if new_hooks is None else new_hooks(),
                Setup(self.test.services, needs_idle=False),
            )
        self._reporter(RunStored(run))
        return run


def name_aside(test: str, action: Action) -> str:
    """Return the name under which the runs of a test are kept aside."""
    return f"{test}@{action.value}"
