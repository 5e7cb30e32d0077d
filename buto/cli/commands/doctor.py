"""``buto doctor``."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from buto.actions.advice import in_words
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.hints import door_of
from buto.cli.output_files import write_file
from buto.cli.projects import files_of
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS
from buto.measure.doctor import Check, Level, examine

FORMAT = "buto-doctor"
VERSION = 1
_COLOUR = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "bold red"}


class DoctorCommand:
    name: ClassVar[str] = "doctor"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
Report whether this machine can measure, and what to do about each problem.

buto launches a small program in every JVM that it finds. The exit code is 0 if the machine can measure,
also with warnings, and 3 if it cannot.

examples:
  buto doctor
  buto doctor --json doctor.json"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", metavar="FILE", type=Path, help="write all results as JSON")
        parser.add_argument(
            "--store",
            metavar="DIR",
            type=parsing.store,
            default=Path(".buto"),
            help="where runs would be kept: a directory, or s3://BUCKET/PREFIX (default: .buto)",
        )

    def run(self, args: Namespace, console: Console) -> int:
        checks = examined(args, args.store, console)
        if args.json is not None:
            _write(args.json, checks)
        return EXIT_PASS if can_measure(checks) else EXIT_NOT_JUDGED


def examined(args: Namespace, store: Path, console: Console) -> list[Check]:
    """Check everything, and print each result as soon as it is known."""
    checks = []
    door = door_of(files_of(args))
    for found in examine(store):
        check = found if found.advice is None else replace(found, advice=in_words(found.advice, door))
        checks.append(check)
        _print(check, console)
    return checks


def can_measure(checks: list[Check]) -> bool:
    """Return whether there is no problem; warnings are none."""
    return all(check.level is not Level.PROBLEM for check in checks)


def _print(check: Check, console: Console) -> None:
    from rich.text import Text

    line = Text(f"{check.level.value:<9}", style=_COLOUR[check.level])
    line.append(f"{check.name}: {check.detail}", style="not bold default")
    terminal = console.rich()
    terminal.print(line)
    if check.advice is not None:
        terminal.print(Text(f"{'':<9}try: {check.advice}", style="cyan"))


def _write(path: Path, checks: list[Check]) -> None:
    document = {
        "format": FORMAT,
        "version": VERSION,
        "can_measure": can_measure(checks),
        "checks": [
            {"name": check.name, "level": check.level.value, "said": check.detail, "advice": check.advice}
            for check in checks
        ],
    }
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write_file(path, text.encode(), "--json", make_parents=False)


COMMAND = DoctorCommand()
