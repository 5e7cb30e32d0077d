"""Read the sources of tests now, without a launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from buto.collect.sources.dry import DryReading, read_once
from buto.collect.sources.running import RunningProgram
from buto.collect.target import SourceSpec
from buto.config import TestConfig
from buto.errors import UsageError
from buto.steps import Action
from buto.workflow.advice.door import worded
from buto.workflow.project import Overrides, Project


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What one source of one test gave."""

    test: str
    spec: SourceSpec
    reading: DryReading


@worded
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
    tests = [project.configured(name) for name in project.names(names, Action.RECORD, Overrides())]
    specs = [(test, spec) for test in tests if test is not None for spec in test.target.sources]
    if not specs:
        raise UsageError(
            "no test here has sources",
            advice=f"add sources to a test in {project.door.configuration}: sources: {{host: {{}}}}",
        )
    program = RunningProgram(pid)
    return (_reading(test, spec, program) for test, spec in specs)


def _reading(test: TestConfig, spec: SourceSpec, program: RunningProgram) -> SourceReading:
    """Read one source; a driver may quote a URL with its password as the reason."""
    reading = read_once(spec, program)
    mask = test.target.new_mask()
    return SourceReading(test.name, spec, replace(reading, reason=mask.text(reading.reason)))
