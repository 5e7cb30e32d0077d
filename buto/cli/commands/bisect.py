"""Find the commit that made a test fail: git bisect, judged by buto check.

buto checks out commits between GOOD and BAD into a temporary working tree, builds them with --build,
launches them there, and judges them by the current oracle. A pass is good, a regression bad; a commit
that cannot be built, measured or judged is skipped. First buto checks that GOOD passes and BAD fails.
It does not change your files or your own git bisect. At the end the commit and its parent are launched
three times each under Flight Recorder, and once more to count calls, to name the code that did it (see buto
why).

The exit code is 0 if the commit is found, otherwise 3.

examples:
  buto bisect shop v1.2 HEAD --build 'mvn -q package -DskipTests'
  buto bisect shop HEAD~20 HEAD --runs 3 --html report.html
  buto bisect shop v1.2 HEAD --build 'javac -d out Main.java' -- java -Xmx64m -cp out Main
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.bisect import BisectRequest, bisect
from buto.causes.action import why_bisected
from buto.causes.report import explanation_lines
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import overrides_of, printer_for, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports
from buto.report.sanitize import one_line


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="a test that has an oracle")
    parser.add_argument("good", metavar="GOOD", help="a git revision at which it passes")
    parser.add_argument("bad", metavar="BAD", help="a later git revision at which it fails")
    parsing.declare(
        parser,
        "--build CMD  command that builds each commit before the test is launched",
        "--runs K  runs of each commit to judge together (default: 1, and 2 more if it is suspicious)",
        "--no-why  do not profile the commit that is found and its parent to name the code",
    )
    parsing.add_options(parser, "bisect")
    add_report_options(parser, "json", "html", "markdown")


def run(args: Namespace, console: Console) -> int:
    reports = reports_of(args)
    request = BisectRequest(
        test=args.test,
        good=args.good,
        bad=args.bad,
        overrides=overrides_of(args),
        runs=args.runs,
        build=args.build,
        with_training=reports.shows_training,
    )
    project = project_of(args)
    printer = printer_for(args, project, console)
    outcome = printer.words(bisect(project, request, printer))
    explanation = None if args.no_why else why_bisected(project, request, outcome, printer)
    for result in outcome.results:
        if outcome.first_bad is not None:
            commit = outcome.first_bad
            console.result(f"FIRST BAD  {result.test}: {commit.name}")
            console.result(f"  {one_line(commit.subject)}")
            console.result(f"  {one_line(commit.author)}, {commit.date}")
        printer.verdict(result)
    if explanation is not None:
        console.result("")
        console.results(explanation_lines(explanation))
    return write_reports(outcome, reports, console)
