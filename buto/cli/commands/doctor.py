"""Report whether this machine can measure, and what to do about each problem.

buto launches a small program in every JVM that it finds. The exit code is 0 if the machine can measure,
also with warnings, and 3 if it cannot.

examples:
  buto doctor
  buto doctor --json doctor.json
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.hints import front_end_of
from buto.cli.output_files import write_file
from buto.cli.projects import files_of
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS
from buto.measure.doctor import Diagnosis, Health, examine
from buto.run.storage import Place

FORMAT = "buto-doctor"
VERSION = 1
_COLOUR = {Health.OK: "green", Health.WARNING: "yellow", Health.PROBLEM: "bold red"}


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_options(parser, "doctor")
    parsing.declare(parser, "--json FILE  write all results as JSON")


def run(args: Namespace, console: Console) -> int:
    checks = examine_all(args, files_of(args).store, console)
    if args.json is not None:
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
        write_file(args.json, text.encode(), "--json", make_parents=False)
    return EXIT_PASS if can_measure(checks) else EXIT_NOT_JUDGED


def examine_all(args: Namespace, store: Place, console: Console) -> list[Diagnosis]:
    """Check everything, and print each result as soon as it is known."""
    checks = []
    front_end = front_end_of(files_of(args))
    for diagnosis in examine(store):
        check = (
            diagnosis
            if diagnosis.advice is None
            else replace(diagnosis, advice=front_end.words(diagnosis.advice))
        )
        checks.append(check)
        console.style(
            [(f"{check.level.value:<9}", _COLOUR[check.level]), (f"{check.name}: {check.detail}", "")]
        )
        if check.advice is not None:
            console.style([(f"{'':<9}try: {check.advice}", "cyan")])
    return checks


def can_measure(checks: list[Diagnosis]) -> bool:
    """Return whether there is no problem; warnings are none."""
    return all(check.level is not Health.PROBLEM for check in checks)
