"""Judge stored runs again and write reports, without launching anything.

RUN is the id of a run, or the name of a test for its newest check. The runs of one test are judged
together. If a test has no oracle, its recorded and attached runs are shown without bands.

The exit code is 0 if the reports are written, whatever the verdict is. For an exit code by the verdict, use
'buto check NAME --from-runs ID'.

examples:
  buto report leaker --html leaker.html
  buto report 20261120T234041.123Z-1f2e --markdown comment.md --junitxml junit.xml
  buto report server --html soak.html
  buto report leaker --oracle old/leaker.json --json -
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.report import ReportRequest, report
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import printer_for, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="RUN", nargs="+", help="ids of runs, or names of tests")
    parsing.add_options(parser, "report")
    add_report_options(parser)


def run(args: Namespace, console: Console) -> int:
    reports = reports_of(args)
    request = ReportRequest(tuple(args.what), with_training=reports.shows_training)
    project = project_of(args)
    printer = printer_for(args, project, console, reports.order)
    outcome = report(project, request, printer)
    return write_reports(printer.words(outcome), reports, console)
