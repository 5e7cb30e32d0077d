"""Show the checks of a test over time: date, commit, result, the label of its runs (see buto label), and one
number for each property. The number is the last value of a counter, or the mean of anything else; of
several runs of a check, the median.

Without PROPERTY, buto shows the properties that differed most often.

examples:
  buto history leaker
  buto history leaker jvm.memory.heap.used --plot history.png
  buto history leaker --otava leaker.csv
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.report import history
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.cli.projects import project_of
from buto.errors import EXIT_PASS
from buto.report.formats.trackers import otava_text
from buto.report.history import usual_properties
from buto.report.levels import select
from buto.report.terminal.history import history_lines
from buto.run.labels import LabelStore, current

NEWEST = 30
MAX_PROPERTIES = 3


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_properties(parser, "show")
    parsing.declare(
        parser,
        f"--last N  how many checks to show (default: the newest {NEWEST})",
        "--plot FILE  draw the history, as PNG or SVG depending on the file name",
        "--otava FILE  write all checks as CSV for Apache Otava (-: standard output)",
    )
    parser.set_defaults(last=NEWEST)
    parsing.add_options(parser, "history")


def run(args: Namespace, console: Console) -> int:
    parsing.expect_suffix(args, "plot", ".png", ".svg")
    project = project_of(args)
    entries = history(project, args.test)
    known = dict.fromkeys(name for entry in entries for name in entry.levels)
    named = select(known, args.properties, f"the history of {args.test!r}") if args.properties else []
    newest = entries[-args.last :]
    shown = named or usual_properties(newest, MAX_PROPERTIES)
    known_labels = LabelStore(project.files.store).all(args.test)
    given = {run: one.label.value for run, one in current(known_labels).items()}
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
