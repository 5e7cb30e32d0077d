"""Read the sources of tests once, now, and print each number with its name, kind and value, or why there is
none. Nothing is launched: start what the sources read before. The exit code is 0 if every source gave
numbers, otherwise 3.

examples:
  buto sources
  buto sources shop --pid 4711
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.attach import SourceReading, read_sources
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import project_of
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS
from buto.report.document import align
from buto.run.units import format_count, format_quantity, format_seconds


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_tests(parser)
    parsing.declare(parser, "--pid P  the JVM beside which they are read, for ${port} and process")
    parsing.add_options(parser, "sources")


def run(args: Namespace, console: Console) -> int:
    code = EXIT_PASS
    for source in read_sources(project_of(args), args.names, args.pid):
        console.results(_lines(source))
        if not source.reading.numbers:
            code = EXIT_NOT_JUDGED
    return code


def _lines(reading: SourceReading) -> list[str]:
    numbers, reason = reading.reading.numbers, reading.reading.reason
    title = f"{reading.test}: {reading.spec.name} ({reading.spec.kind})"
    if not numbers:
        return [f"{title}: {reason or 'no numbers'}"]
    rows = [("", prop.name, prop.kind.value, format_quantity(value, prop.unit)) for prop, value in numbers]
    lines = [f"{title}: {format_count(len(numbers), 'number')} in {format_seconds(reading.reading.took_s)}"]
    return [*lines, *align(rows), *([f"  others: {reason}"] if reason else [])]
