"""Say what grows with every round of a program's work: memory, threads, descriptors, classes. There is no
baseline, no training and no limit.

A round is over when the program says so, by Class.forName("buto.Round").getMethod("end").invoke(null), which
needs nothing of buto; or with --workload, when the test's load is over, which is repeated. Otherwise each
equal share of what the program allocates is a round. After each round buto counts the live objects by class.
The first third of the rounds is warm-up. What rises in each of the others, and does not level off, fails.

examples:
  buto grow shop -- java -jar shop.jar
  buto grow shop --workload --rounds 8
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial

from buto.actions.grow import GrowOutcome, GrowRequest, grow
from buto.cli import parsing
from buto.cli.console import Console, Verbosity
from buto.cli.output_files import write_file
from buto.cli.projects import overrides_of, printer_for, project_of
from buto.judging.growth import FEWEST_ROUNDS, MOST_ROUNDS, ROUNDS
from buto.judging.verdict import Status
from buto.measure.holders import GET, find_reader, repository


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="the test")
    parsing.declare(
        parser,
        f"--rounds K  how many are counted, warm-up included (default: {ROUNDS})",
        "--workload  a round is one load of the test, which is repeated",
        rounds=partial(parsing.count, least=FEWEST_ROUNDS, most=MOST_ROUNDS, what="rounds"),
    )
    parser.set_defaults(rounds=ROUNDS)
    parsing.add_options(parser, "grow")
    parsing.declare(
        parser.add_argument_group("reports", "FILE may be - for standard output"),
        "--json FILE  write what grows as JSON",
    )


def run(args: Namespace, console: Console) -> int:
    from buto.report.formats.json_result import growth_json
    from buto.report.growth import growth_lines

    paths = parsing.outputs_of(args, ("json",))
    request = GrowRequest(args.test, overrides_of(args), args.rounds, args.workload)
    project = project_of(args)
    grown = grow(project, request, printer_for(args, project, console))
    lines = growth_lines(grown.test, grown.growth, _next(grown), full=console.verbosity is Verbosity.VERBOSE)
    for line in lines[:1] if console.verbosity is Verbosity.QUIET else lines:
        console.style(line.parts)
    if "json" in paths:
        text = growth_json(grown.test, grown.growth)
        write_file(paths["json"], text.encode(), "--json", console=console)
    return grown.status.exit_code


def _next(grown: GrowOutcome) -> list[str]:
    if grown.status is Status.PASS:
        return []
    if grown.growth.paths:
        return []
    return [f"{GET}   (then buto names what holds it)"] if find_reader(repository()) is None else []
