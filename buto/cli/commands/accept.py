"""Accept a change: train the test again and show what changes in its oracle, number by number.

After a check that did not pass, buto trains on the runs of that check, and launches more if an oracle
needs more. Otherwise it launches all runs, as for train. --launch always launches all runs, and
--from-runs uses stored runs. buto asks no questions: it writes the oracle, and git keeps the
difference. With --dry-run it writes nothing. A test that is not in buto.yaml keeps its judge settings.

--only accepts one property that the newest check fails for, in its direction and up to its size, and leaves
the oracle as it is: it prints a line for the message of the commit that means it. Checks of this commit and
of later ones, up to the next training, do not fail for it; they still fail for all else.

Without a NAME, buto lists the tests that failed their newest check, and accepts nothing.

examples:
  buto accept leaker --reason "a new cache"
  buto accept leaker --dry-run
  buto accept leaker --launch --runs 20
  buto accept leaker --from-runs 20261120T234041.123Z-1f2e..
  buto accept leaker --only jvm.memory.allocated --reason "cache of rendered pages"
  buto accept leaker -- java -Xmx512m -cp app.jar com.acme.Main 5 100
"""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace

from buto.actions.accept import AcceptRequest, accept
from buto.actions.accept_only import AcceptOnlyRequest, accept_only
from buto.actions.past_results import acceptance_error
from buto.actions.project import Project
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import overrides_of, printer_for, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports
from buto.errors import EXIT_PASS, UsageError


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="tests that have an oracle")
    parsing.declare(
        parser,
        "--reason TEXT  why the change is meant, for the labels of its runs",
        "--dry-run  show the difference, write nothing",
        "--runs K  valid runs to learn from, or 'auto' (default: as many as trained the old oracle)",
        "--only PROPERTY  print the trailer that accepts this one finding; needs --reason",
        "--commit  with --only: make an empty commit that has the trailer",
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
    if args.only is not None:
        return _accept_only(args, project, console)
    if not args.names:
        raise acceptance_error(project.launcher().workspace, project.files.find_trained())
    if args.commit:
        raise UsageError("--commit goes with --only", advice="buto accept NAME --only PROPERTY --commit")
    request = AcceptRequest(
        names=tuple(args.names),
        overrides=overrides_of(args),
        runs=args.runs,
        from_runs=args.from_runs,
        launch=args.launch,
        dry_run=args.dry_run,
        reason=args.reason or "",
    )
    printer = printer_for(args, project, console)
    outcome = accept(project, request, printer)
    return write_reports(printer.words(outcome), reports, console)


def _accept_only(args: Namespace, project: Project, console: Console) -> int:
    if len(args.names) != 1:
        raise UsageError(f"--only needs exactly one test, got {len(args.names)}")
    given = [flag for flag in ("dry_run", "runs", "from_runs", "launch", "command") if getattr(args, flag)]
    if given:
        raise UsageError(f"--only writes no oracle, and goes with --reason alone, not with {given[0]}")
    request = AcceptOnlyRequest(args.names[0], args.only, args.reason or "", args.commit)
    trailer = accept_only(project, request)
    console.document(trailer)
    if not args.commit:
        console.info(f"put it into the commit: git commit --amend --no-edit --trailer {shlex.quote(trailer)}")
    return EXIT_PASS
