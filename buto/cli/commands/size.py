"""Say how much memory a program needs, so that nobody has to guess -Xmx and the limit of a container.

First, from the training runs, launching nothing: the resident memory that at most one of a hundred runs
exceeds, with confidence 95 %, and what it is for. Then the smallest heap: at most 31 launches, with up to
five smaller sizes of -Xmx, each beside a launch with the heap as it is. A heap is enough if the program gets
through with it and takes less than 5 % more processor time. An OutOfMemoryError is an answer. The last two
lines are to be copied. Nothing is launched under a limit of the kernel.

examples:
  buto size shop
  buto size shop --no-launch
  buto size shop --from-runs all --json size.json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.size import SizeRequest, size
from buto.cli import parsing
from buto.cli.console import Console, Verbosity
from buto.cli.output_files import write_file
from buto.cli.projects import overrides_of, printer_for, project_of
from buto.errors import EXIT_PASS


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="the test")
    parsing.declare(
        parser,
        "--from-runs WHICH  the stored runs that tell what it needs: 'all', ids separated by commas, or "
        "FIRST..LAST (default: the training runs)",
        "--no-launch  do not look for the smallest heap",
    )
    parsing.add_options(parser, "size")
    parsing.declare(
        parser.add_argument_group("reports", "FILE may be - for standard output"),
        "--json FILE  write what it needs as JSON",
    )


def run(args: Namespace, console: Console) -> int:
    from buto.report.size import size_json, size_lines

    paths = parsing.outputs_of(args, ("json",))
    project = project_of(args)
    request = SizeRequest(args.test, overrides_of(args), args.from_runs, not args.no_launch)
    sized = size(project, request, printer_for(args, project, console))
    lines = size_lines(sized.test, sized.need, sized.heap, sized.outside, sized.search)
    for line in [lines[0], *lines[-2:]] if console.verbosity is Verbosity.QUIET else lines:
        console.style(line.parts)
    if "json" in paths:
        text = size_json(
            sized.test,
            sized.need,
            sized.heap,
            sized.outside,
            sized.run_ids,
            sized.search,
            sized.n_launches,
        )
        write_file(paths["json"], text.encode(), "--json", console=console)
    return EXIT_PASS
