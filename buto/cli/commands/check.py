"""Launch a program and judge it by its oracle: pass, regression, or inconclusive.

One run is enough if it is not suspicious. If it is, buto launches two more and judges the three together.
If the three differ, or if the machine is not that of the training, buto launches the old and the new program
in turns, at most ten times each in a drawn order, and these decide. With --runs K, K runs take the place of
the first three.

With --release, buto judges the sum since the last release (see buto release) instead of the last change: the
program of that release and the present one are launched in turns, and if they differ, buto names the
commits that gave the largest shares. It fails for what is over its budget, where buto.yaml has one.

The command is the one after --, the one in buto.yaml, or the one that the oracle stores. Without NAME,
buto checks all tests of buto.yaml. The exit code is 0 if all pass, 1 if any shows a regression,
otherwise 3 or 4 if any could not be judged.

examples:
  buto check leaker
  buto check leaker --runs 3
  buto check leaker -- java -Xmx256m -cp new.jar com.acme.Main 5 100
  buto check --json result.json --html report.html --junitxml junit.xml
  buto check --changed-since origin/main
  buto check --release
  buto check leaker --from-runs 20261120T234041.123Z-1f2e
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial

from buto.actions.check import CheckRequest, check
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import overrides_of, printer_for, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports
from buto.judging.growth import FEWEST_ROUNDS, MOST_ROUNDS


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_tests(parser)
    parsing.declare(
        parser,
        "--runs K  runs to judge together (default: 1, and 2 more if it is suspicious)",
        parsing.FROM_RUNS,
        "--never-grows K  also fail if anything grows over K rounds of the program's work (growth: never)",
        "--release  judge all that has changed since the last release, in turns with its program",
        "--changed-since REV  skip tests whose inputs in buto.yaml have not changed since git revision REV",
        never_grows=partial(parsing.count, least=FEWEST_ROUNDS, most=MOST_ROUNDS, what="rounds"),
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
        release=args.release,
        never_grows=args.never_grows,
        with_training=reports.shows_training,
    )
    printer = printer_for(args, project, console, reports.order)
    outcome = printer.words(check(project, request, printer))
    printer.outcome(outcome)
    return write_reports(outcome, reports, console)
