"""Make this machine a host of a cluster: join a Dask scheduler, and launch the programs that others send.

First buto looks whether this machine can measure, as 'buto doctor' does, and refuses to join if it
cannot. Then it launches one program at a time, until Ctrl-C.

Whoever can reach the scheduler can start any program here. Use TLS, or a network of your own.

examples:
  dask scheduler
  buto worker --scheduler tcp://10.0.0.1:8786
  buto worker --scheduler tcp://10.0.0.1:8786 --tag fast --tag x86
"""

from __future__ import annotations

import os
import socket
from argparse import ArgumentParser, Namespace
from pathlib import Path

from buto.cli import parsing
from buto.cli.commands.doctor import can_measure, examine_all
from buto.cli.console import Console
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, UsageError
from buto.project.document import SCHEDULER_VARIABLE


def add_arguments(parser: ArgumentParser) -> None:
    parsing.declare(
        parser,
        "--scheduler ADDRESS  the scheduler to join (default: BUTO_SCHEDULER)",
        "--name HOST  this host (default: its host name)",
        "--directory DIR  where files of programs are kept (default: ~/.cache/buto/worker)",
        "--no-doctor  join without looking whether this machine can measure",
    )
    parser.add_argument(
        "--tag",
        metavar="TAG",
        action="append",
        help="a word by which tests can ask for this host, with hosts: {tag: TAG}; may be repeated",
    )
    directory = Path("~/.cache/buto/worker")
    parser.set_defaults(name=socket.gethostname(), tag=[], directory=directory)


def run(args: Namespace, console: Console) -> int:
    address = args.scheduler or os.environ.get(SCHEDULER_VARIABLE)
    if not address:
        raise UsageError(
            "a worker needs the address of a scheduler",
            advice="buto worker --scheduler tcp://HOST:8786; dask scheduler (starts one)",
        )
    directory = args.directory.expanduser()
    if not args.no_doctor and not can_measure(examine_all(args, directory, console)):
        console.error("this machine cannot measure, so it does not join", "solve the problems above")
        return EXIT_NOT_JUDGED
    # Imported here: the help does not wait for Dask.
    from buto_cluster.worker import WorkerRequest, serve

    request = WorkerRequest(address, args.name, tuple(args.tag), directory)
    serve(request, lambda own: console.result(f"{args.name} has joined {address} as {own}"))
    return EXIT_PASS
