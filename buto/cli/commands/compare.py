"""Launch two programs in turns, in a drawn order, and report what the second uses more or less of.

This needs no oracle and writes none. Use it if machines change from day to day, or to look at one
change only. The two commands may differ in everything: arguments, class path, options of the JVM,
the JDK. A and B name the runs. A name without a command is a test of buto.yaml or of an oracle. If
only one of the two is such a test, the other is measured with the same settings.

With --revisions, buto checks out two revisions of the current git repository into temporary working
trees, builds them with --build, and launches them there. Uncommitted files are not included.

buto keeps what --build has made, and launches no more than needed: it stops as soon as the outcome is clear.

examples:
  buto compare old -- java -jar old.jar --against new -- java -jar new.jar
  buto compare shop --against shop-next
  buto compare shop --against g1 -- java -XX:+UseG1GC -cp app.jar com.acme.Main 5 100
  buto compare shop --revisions v1.2 HEAD --build 'mvn -q package' -- java -cp target/classes Main
  buto compare old --against new --from-runs all --html report.html
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.compare import CompareRequest, compare
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import add_two_programs, overrides_of, printer_for, programs_of, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="A", help="the first program")
    add_two_programs(parser, "B")
    parsing.declare(
        parser,
        "--runs K  exactly K usable runs of each (default: as many as decide, at most 10 at alpha 0.01)",
        "--from-runs WHICH  launch nothing: 'all', or FIRST..LAST",
        "--alpha SHARE  share of comparisons of equal programs that may fail (default: 0.01)",
    )
    parsing.add_options(parser, "compare")
    add_report_options(parser)


def run(args: Namespace, console: Console) -> int:
    reports = reports_of(args)
    project = project_of(args)
    request = CompareRequest(
        programs=programs_of(args),
        overrides=overrides_of(args),
        runs=args.runs,
        from_runs=args.from_runs,
        build=args.build,
    )
    printer = printer_for(args, project, console, reports.order)
    outcome = compare(project, request, printer)
    return write_reports(printer.words(outcome), reports, console)
