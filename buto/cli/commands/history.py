"""Show the checks of a test over time: date, commit, result, the label of its runs (see buto label), and one
number for each property. The number is the last value of a counter, or the mean of anything else; of
several runs of a check, the median.

Without PROPERTY, buto shows the properties that differed most often.

--html writes a page of its own: what changed since a release or a training, when, and by whom, with charts of
what people ask about first. Its order is that of the commits of the branch. Without NAME it has all tests,
and those that moved most come first. It needs no network.

examples:
  buto history leaker
  buto history leaker jvm.memory.heap.used --plot history.png
  buto history leaker --otava leaker.csv
  buto history leaker --html history.html
  buto history --html public/index.html
"""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime

from buto.actions.builds import pasts
from buto.actions.project import Project
from buto.actions.report import history
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.cli.projects import project_of
from buto.errors import EXIT_PASS, UsageError
from buto.report.formats.trackers import otava_text
from buto.report.history import usual_properties
from buto.report.levels import select
from buto.report.terminal.history import history_lines
from buto.run.entries import ResultStore
from buto.run.labels import LabelStore, current
from buto.run.units import format_list

NEWEST = 30
MAX_PROPERTIES = 3


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "test", metavar="NAME", nargs="?", help="the test; may be left out with --html, or if there is one"
    )
    parsing.add_properties(parser, "show", of_test=False)
    parsing.declare(
        parser,
        f"--last N  how many checks to show (default: the newest {NEWEST})",
        "--plot FILE  draw the history, as PNG or SVG depending on the file name",
        "--otava FILE  write all checks as CSV for Apache Otava (-: standard output)",
        "--html FILE  write a page of what changed, when, and by whom (-: standard output)",
    )
    parser.set_defaults(last=NEWEST)
    parsing.add_options(parser, "history")


def _only_test(project: Project) -> str:
    """Return the one test that has a history; UsageError, with their names, if there is none or several."""
    tests = ResultStore(project.files.store).tests()
    if len(tests) == 1:
        return tests[0]
    if not tests:
        raise UsageError("no test was named, and none was checked yet", advice="buto check")
    raise UsageError(
        f"no test was named; {format_list(tests, 10)} have a history",
        advice=f"buto history {shlex.quote(tests[0])}, or of all: buto history --html FILE",
    )


def run(args: Namespace, console: Console) -> int:
    parsing.expect_suffix(args, "plot", ".png", ".svg")
    parsing.outputs_of(args, ("otava", "html"))
    project = project_of(args)
    if args.html is not None:
        # The templates are only needed for a page.
        from buto.report.html.history import render_history

        histories = pasts(project, [args.test] if args.test else [])
        write_file(
            args.html, render_history(histories, datetime.now(UTC)).encode(), "--html", console=console
        )
    if args.test is None:
        if args.html is not None:
            return EXIT_PASS
        args.test = _only_test(project)
    entries = history(project, args.test)
    known = dict.fromkeys(name for entry in entries for name in entry.levels)
    named = select(known, args.properties, f"the history of {args.test!r}") if args.properties else []
    newest = entries[-args.last :]
    shown = named or usual_properties(newest, MAX_PROPERTIES)
    known_labels = LabelStore(project.files.store).all(args.test)
    given = {run: labelling.label.value for run, labelling in current(known_labels).items()}
    console.results(history_lines(args.test, newest, shown, given))
    if args.otava is not None:
        write_file(args.otava, otava_text(entries, named).encode(), "--otava")
    if args.plot is not None:
        from buto.cli.commands.plot import matplotlib_beside

        with matplotlib_beside(project.store):
            from buto.report.plots.charts import drawing
            from buto.report.plots.pictures import history_plot

            picture = drawing(history_plot(args.test, newest, shown), args.plot.suffix[1:])
        write_file(args.plot, picture, "--plot")
    return EXIT_PASS
