"""Launch a program and judge it by its oracle: pass, regression, or inconclusive.

One run is enough if it is ordinary. If not, buto launches two more and judges the three together.
Before a check fails, and on another machine than in training, buto launches the program of the
training and the present one in random turns, and these decide. With --runs K, K runs take the place
of the first three.

The command is the one after --, the one in buto.yaml, or the one that the oracle stores. Without NAME,
buto checks all tests of buto.yaml. The exit code is 0 if all pass, 1 if any shows a regression,
otherwise 3 or 4 if any could not be judged.

examples:
  buto check leaker
  buto check leaker --runs 3
  buto check leaker -- java -Xmx256m -cp new.jar com.acme.Main 5 100
  buto check --json result.json --html report.html --junitxml junit.xml
  buto check --changed-since origin/main
  buto check leaker --from-runs 20261120T234041.123Z-1f2e
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.check import CheckRequest, check
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.projects import overrides_of, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_tests(parser)
    parsing.declare(
        parser,
        "--runs K  runs to judge together (default: 1, and 2 more if it is not ordinary)",
        parsing.FROM_RUNS,
        "--changed-since REV  skip tests whose inputs in buto.yaml have not changed since git revision REV",
    )
    parsing.add_options(parser, "check")
    add_report_options(parser)


def run(args: Namespace, console: Console) -> int:
    reports = reports_of(args)
    project = project_of(args)
    request = CheckRequest(
        names=tuple(args.names),
        overrides=overrides_of(args),
        runs=args.runs,
        from_runs=args.from_runs,
        changed_since=args.changed_since,
        with_training=reports.shows_training,
    )
    printer = EventPrinter(console, order=reports.order)
    outcome = check(project, request, printer)
    printer.outcome(outcome)
    return write_reports(outcome, reports, console)
