"""Suggest settings that would have avoided false alarms of the past without missing a regression: the
smallest changes of properties that count (minimum-effect). buto prints the lines of buto.yaml, and how
often checks would have failed with them. It launches and changes nothing.

buto judges the stored runs of each check again, with the training of its time. The labels say which
failures were false alarms and which were regressions: see 'buto label'. What was accepted was no
false alarm.

examples:
  buto label leaker last good --reason "false alarm: the cache was cold"
  buto suggest leaker
  buto suggest leaker --json suggestion.json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.output_files import write_file
from buto.cli.projects import front_end_for, project_of
from buto.errors import EXIT_PASS
from buto_replications.suggestions.document import suggestion_json
from buto_replications.suggestions.suggest import NEWEST, SuggestRequest, suggest_for
from buto_replications.suggestions.terminal import suggestion_lines


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="a test that has an oracle")
    parsing.declare(
        parser,
        f"--last N  how many checks without a label to judge again (default: the newest {NEWEST})",
        "--json FILE  write all as JSON (-: standard output)",
    )
    parser.set_defaults(last=NEWEST)
    # It takes the options of what judges stored runs again.
    parsing.add_options(parser, "selftest")


def run(args: Namespace, console: Console) -> int:
    project = project_of(args)
    request = SuggestRequest(args.test, args.last)
    front_end = front_end_for(args, project)
    outcome = suggest_for(project, request, EventPrinter(console, front_end))
    if args.json is not None:
        write_file(args.json, suggestion_json(outcome.suggestion).encode(), "--json")
    lines = suggestion_lines(
        outcome.suggestion,
        front_end.configuration,
        front_end.words(outcome.next_step),
        has_configuration=project.configuration is not None,
    )
    console.results(lines)
    return EXIT_PASS
