"""Accept a change: train the test again and show what changes in its oracle, number by number.

After a check that did not pass, buto trains on the runs of that check, and launches more if an oracle
needs more. Otherwise it launches all runs, as for train. --launch always launches all runs, and
--from-runs uses stored runs. buto asks no questions: it writes the oracle, and git keeps the
difference. With --dry-run it writes nothing. A test that is not in buto.yaml keeps its judge settings.

examples:
  buto accept leaker --reason "a new cache"
  buto accept leaker --dry-run
  buto accept leaker --launch --runs 20
  buto accept leaker --from-runs 20261120T234041.123Z-1f2e..
  buto accept leaker -- java -Xmx512m -cp app.jar com.acme.Main 5 100
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.accept import AcceptRequest, accept
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.projects import overrides_of, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="+", help="tests that have an oracle")
    parsing.declare(
        parser,
        "--reason TEXT  why the change is meant, for the labels of its runs",
        "--dry-run  show the difference, write nothing",
        "--runs K  valid runs to learn from, or 'auto' (default: those that did not pass, else 10)",
        runs=parsing.count_or_auto,
    )
    parsing.declare(
        parser.add_mutually_exclusive_group(),
        parsing.FROM_RUNS,
        "--launch  launch all runs, and ignore those of the newest check",
    )
    parsing.add_options(parser, "accept")
    add_report_options(parser, "json")


def run(args: Namespace, console: Console) -> int:
    reports = reports_of(args)
    project = project_of(args)
    request = AcceptRequest(
        names=tuple(args.names),
        overrides=overrides_of(args),
        runs=args.runs,
        from_runs=args.from_runs,
        launch=args.launch,
        dry_run=args.dry_run,
        reason=args.reason or "",
    )
    outcome = accept(project, request, EventPrinter(console, project.door))
    return write_reports(outcome, reports, console)
