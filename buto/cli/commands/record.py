"""Launch a program and keep its runs in the store, without training or judging. buto prints the ids of
the runs, one on each line. You can train an oracle from them later.

examples:
  buto record leaker --runs 5 -- java -cp app.jar com.acme.Main 5 100
  buto train leaker --from-runs all -- java -cp app.jar com.acme.Main 5 100
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.record import RecordRequest, record
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import overrides_of, printer_for, project_of
from buto.errors import EXIT_PASS


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_tests(parser)
    parsing.declare(parser, "--runs K  valid runs to record (default: 1)")
    parser.set_defaults(runs=1)
    parsing.add_options(parser, "record")


def run(args: Namespace, console: Console) -> int:
    request = RecordRequest(tuple(args.names), overrides_of(args), args.runs)
    code, project = EXIT_PASS, project_of(args)
    for name, result in record(project, request, printer_for(args, project, console)).items():
        for run in result.valid():
            console.result(run.id)
        if result.failure is not None:
            console.error(f"{name}: {result.failure.message}", result.failure.advice)
            code = result.failure.exit_code
    return code
