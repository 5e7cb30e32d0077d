"""Launch a program several times, record what it uses, and write the usual behaviour to an oracle.

The oracle stores the command after --, so 'buto check NAME' and 'buto train NAME' need no command
later. Without NAME, buto trains all tests of buto.yaml and mixes their launches at random. buto repeats
disturbed runs: up to half as many as you asked for, or three if that is more.

examples:
  buto train leaker --runs 10 -- java -Xmx256m -cp app.jar com.acme.Main 5 100
  buto train build --jvm 'com.acme.*' --timeout 2min -- ./gradlew run
  buto train
  buto train leaker --from-runs all
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.ending import Interrupted
from buto.actions.train import TrainRequest, train
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.interruption import tell_how_to_resume
from buto.cli.projects import overrides_of, printer_for, project_of
from buto.cli.report_files import add_report_options, reports_of, write_reports


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_tests(parser)
    parsing.declare(
        parser,
        "--runs K  valid runs to learn from, or 'auto': as many as make the oracle better (default: 10)",
        runs=parsing.count_or_auto,
    )
    parsing.declare(
        parser.add_mutually_exclusive_group(),
        parsing.FROM_RUNS,
        "--resume ID  use the stored runs from this one on, launch only the missing ones",
    )
    parsing.declare(
        parser, "--profile  then also store a profile of each program, for buto why (three more launches)"
    )
    parsing.add_options(parser, "train")
    add_report_options(parser, "json")


def run(args: Namespace, console: Console) -> int:
    reports = reports_of(args)
    project = project_of(args)
    request = TrainRequest(
        names=tuple(args.names),
        overrides=overrides_of(args),
        runs=args.runs,
        from_runs=args.from_runs,
        resume=args.resume,
    )
    printer = printer_for(args, project, console)
    if args.profile:
        # Imported here, for it brings along what launches.
        from buto.causes.action import require_profiles, store_profiles

        require_profiles(project, request.names, request.overrides)
    try:
        outcome = printer.words(train(project, request, printer))
        if args.profile:
            store_profiles(project, outcome, request.overrides, printer)
    except Interrupted as stop:
        raise tell_how_to_resume(stop, args) from stop
    printer.outcome(outcome)
    return write_reports(outcome, reports, console)
