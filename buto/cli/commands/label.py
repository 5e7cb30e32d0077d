"""Say what is true of stored runs: good, bad (a regression), or invalid (the measurement was disturbed).
Without RUNS, show the labels and who gave them.

buto labels runs by itself, too: good if an oracle was trained on them or they were accepted; bad if
several of them failed a check together; after a bisection, those of the first bad commit and its parent.
A failed check of good runs was a false alarm, unless they are labelled with --meant or were accepted.
A later label replaces an earlier one, which stays in the record. Your own labels are replaced only by
you: with label or accept. Only the detector history judges by labels.

examples:
  buto label leaker last good --reason "false alarm: the machine was updated"
  buto label leaker 20261120T234041.123Z-1f2e,20261120T234102.007Z-8a01 bad
  buto label leaker 20261120T234041.123Z-1f2e.. invalid
  buto label leaker last good --meant --reason "a new cache"
  buto label leaker
  buto label leaker --export labels.csv
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.labels import LabelRequest, label, labels
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.cli.projects import project_of
from buto.errors import EXIT_PASS, UsageError
from buto.report.formats.listings import labels_csv, labels_json
from buto.report.terminal.history import label_lines, write_labelled_lines
from buto.run.labels import Label

_TABLES = {".csv": labels_csv, ".json": labels_json}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="the test")
    parser.add_argument(
        "runs",
        metavar="RUNS",
        nargs="?",
        help="'last' (those of the newest check or recording), ids separated by commas, FIRST..LAST, "
        "or 'all'; runs of checks are among them",
    )
    given = [label.value for label in Label]
    parser.add_argument("label", metavar="LABEL", nargs="?", choices=given, help="good, bad or invalid")
    parsing.declare(
        parser,
        "--meant  with good: the program was changed on purpose, and the check was right to fail",
        "--reason TEXT  why, for those who read it later",
        "--export FILE  write all labels, replaced ones too, as CSV or JSON depending on the file name",
    )
    parsing.add_options(parser, "label")


def run(args: Namespace, console: Console) -> int:
    _check(args)
    project = project_of(args)
    known = labels(project, args.test)
    if args.label is not None:
        request = LabelRequest(args.test, args.runs, Label(args.label), args.reason or "", args.meant)
        given = label(project, request)
        console.results(write_labelled_lines(given, known))
        known = [*known, given]
    elif args.export is None:
        console.results(label_lines(args.test, known))
    if args.export is not None:
        write_file(args.export, _TABLES[args.export.suffix](known).encode(), "--export")
    return EXIT_PASS


def _check(args: Namespace) -> None:
    """Raise UsageError for arguments that do not go together."""
    if args.label is None:
        for given, what, more in (
            (args.runs, "RUNS must be followed by good, bad or invalid", ""),
            (args.reason, "--reason needs runs and a label", " --reason TEXT"),
            (args.meant or None, "--meant needs runs and a label", " --meant"),
        ):
            if given is not None:
                raise UsageError(what, advice=f"buto label NAME last good{more}")
    parsing.expect_suffix(args, "export", *_TABLES)
