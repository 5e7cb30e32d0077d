"""Name a release: its program becomes the anchor, with which buto check --release compares what comes later.

Nothing is launched. If git has a tag of this name, its commit was released, else the one that is checked
out. The program is in the store if the commit was trained or checked; else it is the present one, or is
built by the command of buto.yaml. It stays in the store, and does not move when a change is accepted.
Without NAME, all tests of buto.yaml are released. --remove takes back what was named by mistake.

examples:
  buto release leaker v1.4
  buto release v1.4
  buto release leaker v1.4 --remove
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.release import ReleaseRequest, release, take_back
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.projects import project_of
from buto.errors import EXIT_PASS
from buto.report.sanitize import one_line


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="tests (default: all of buto.yaml)")
    parser.add_argument("release", metavar="RELEASE", help="what the release is called, most often its tag")
    parsing.declare(parser, "--remove  take the release back: later checks compare with the one before it")
    parsing.add_options(parser, "release")


def run(args: Namespace, console: Console) -> int:
    request = ReleaseRequest(tuple(args.names), args.release)
    if args.remove:
        for test in take_back(project_of(args), request):
            console.result(one_line(f"REMOVED  {test}: {request.release}"))
        return EXIT_PASS
    for released in release(project_of(args), request, EventPrinter(console)):
        at = f" at {released.commit[:9]}" if released.commit else ""
        console.result(one_line(f"RELEASED  {released.test}: {released.release}{at}"))
    return EXIT_PASS
